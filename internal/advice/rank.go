package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// rank puts the most worthwhile findings first. Findings of one rule in one function rank as one, with the
// sum of what they are worth. The first of them names the others, which come last.
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
		all[i].Also = append(all[i].Also, Also{ID: f.ID, Line: f.Line, Cost: f.costIn(all[i].Evidence.Subject)})
		all[i].Bound.Worth += f.Bound.Worth
		f.Folded = all[i].ID
		follows = append(follows, f)
	}
	all = all[:n]
	for i := range all {
		slices.SortStableFunc(all[i].Also, func(a, b Also) int { return cmp.Compare(a.Line, b.Line) })
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return a.Bound.order(&b.Bound) })
	return append(all, follows...)
}

// costIn is the cost of a finding in few words: "12.3 % of the CPU time". It names the subject if that isn't the given one.
func (f *Finding) costIn(subject string) string {
	parts := f.Evidence.parts()
	if len(parts) == 0 {
		return ""
	}
	if f.Evidence.Subject != subject {
		return parts[0] + " of " + f.Evidence.Subject
	}
	return parts[0]
}

// leastSaved is the smallest share of the time, the waiting or the bytes that is worth reporting: saving
// less makes nothing 1.01 times as fast.
const leastSaved = 1 - 1/1.01

// little reports whether, by its profiles, a finding gains next to nothing.
func (e *evidence) little(f *Finding) bool {
	i := slices.Index(e.subjects, f.Evidence.Subject)
	return f.Class != Look && i >= 0 && e.totals[i][cpuTime] > 0 && f.Bound.Time < leastSaved && f.Bound.Waiting < leastSaved && f.Bound.Live == 0 && e.tooFew(f) == nil
}

// tooFew says that allocating may well take time though the CPU profile has no sample of it: with 95 % confidence, what n samples
// don't show takes less than 3/n of the time (the rule of three).
func (e *evidence) tooFew(f *Finding) []string {
	i := slices.Index(e.subjects, f.Evidence.Subject)
	if i < 0 || f.Bound.Time > 0 || f.Bound.Waiting > 0 || e.totals[i][cpuSamples] == 0 {
		return nil
	}
	n := e.totals[i][cpuSamples]
	if f.Bound.Bytes*min(1, 3/float64(n)) < leastSaved {
		return nil
	}
	return []string{fmt.Sprintf("the CPU profile has only %d samples, none of them here: profile for longer to see how much time this takes", n)}
}

// perLine keeps one ranked finding per line, which names the others of its line. They come last, and are
// shown only if everything is. The one that stays is the first. A finding with a rewrite takes its place if
// it is worth at least half as much, because it can be tried at once.
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
		rewritten := slices.IndexFunc(at, func(i int) bool {
			return ranked[i].Fix != nil && 2*ranked[i].Bound.Worth >= ranked[first].Bound.Worth
		})
		if rewritten > 0 {
			ranked[first], ranked[at[rewritten]] = ranked[at[rewritten]], ranked[first]
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

// showAll makes all findings be shown: none is folded into another, or too small.
func showAll(ranked []Finding) {
	for i := range ranked {
		ranked[i].Folded, ranked[i].Little = "", false
	}
}
