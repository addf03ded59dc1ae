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
		all[i].Also = append(all[i].Also, Also{f.ID, f.Line})
		all[i].Bound.Worth += f.Bound.Worth
		follows = append(follows, f)
	}
	all = all[:n]
	slices.SortStableFunc(all, func(a, b Finding) int { return a.Bound.order(&b.Bound) })
	return append(all, follows...)
}
