package advice

import (
	"cmp"
	"slices"
	"strings"
)

// rank puts the most worthwhile findings first. Those of one rule in one function rank
// as one, for all that they are worth together: the first of them names the others,
// which stand at the end.
func rank(all []Finding) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(a.Bound.order(&b.Bound), strings.Compare(a.ID, b.ID))
	})
	type group struct{ rule, file, function string }
	first := make(map[group]int)
	var follows []Finding
	n := 0
	for _, f := range all {
		g := group{f.Rule, f.File, f.Function}
		i, named := first[g]
		if !named || f.Function == "" {
			first[g] = n
			all[n] = f
			n++
			continue
		}
		all[i].Also = append(all[i].Also, Also{ID: f.ID, Line: f.Line})
		all[i].Bound.Worth += f.Bound.Worth
		f.Folded = all[i].ID
		follows = append(follows, f)
	}
	all = all[:n]
	slices.SortStableFunc(all, func(a, b Finding) int { return a.Bound.order(&b.Bound) })
	return append(all, follows...)
}

// leastSaved is the smallest part of the time or the waiting whose loss is worth a word: less than that
// makes nothing 1.01 times as fast.
const leastSaved = 1 - 1/1.01

// little reports whether profiles show that a finding gains next to nothing.
func (e *evidence) little(f *Finding) bool {
	i := slices.Index(e.subjects, f.Evidence.Subject)
	return f.Class != Look && i >= 0 && e.totals[i][cpuTime] > 0 && f.Bound.Time < leastSaved && f.Bound.Waiting < leastSaved
}

// perLine keeps one ranked finding per line in its place and puts the others at the end, where only those
// who ask for everything see them. The one that stays names the others. It is the first, or the first with
// a rewrite if that is worth half as much at least: it can be tried at once.
func perLine(ranked []Finding) []Finding {
	lines := make(map[lineOf][]int)
	for i := range ranked {
		if f := &ranked[i]; f.Shown() && f.Line > 0 {
			at := lineOf{f.File, f.Line}
			lines[at] = append(lines[at], i)
		}
	}
	for _, at := range lines {
		first := at[0]
		tried := slices.IndexFunc(at, func(i int) bool {
			return ranked[i].Fix != nil && 2*ranked[i].Bound.Worth >= ranked[first].Bound.Worth
		})
		if tried > 0 {
			ranked[first], ranked[at[tried]] = ranked[at[tried]], ranked[first]
		}
		head := &ranked[first]
		for _, i := range at[1:] {
			f := &ranked[i]
			head.Also = append(head.Also, Also{ID: f.ID, Line: f.Line, Title: f.Title, Most: f.Bound.Most()})
			f.Folded = head.ID
		}
	}
	shown := slices.DeleteFunc(slices.Clone(ranked), func(f Finding) bool { return !f.Shown() })
	return append(shown, slices.DeleteFunc(ranked, func(f Finding) bool { return f.Shown() })...)
}

// everything has nothing left out of ranked findings.
func everything(ranked []Finding) {
	for i := range ranked {
		ranked[i].Folded, ranked[i].Little = "", false
	}
}
