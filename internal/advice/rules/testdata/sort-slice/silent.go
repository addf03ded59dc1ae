package silent

import (
	"slices"
	"sort"
	"strings"
)

// wide is more than it is worth to hand over by value.
type wide struct {
	a, b, c, d, e, f, g string
}

// pairs are two slices that are sorted together.
type pairs struct {
	keys   []string
	values []int
}

func (p pairs) Len() int           { return len(p.keys) }
func (p pairs) Less(i, j int) bool { return p.keys[i] < p.keys[j] }
func (p pairs) Swap(i, j int) {
	p.keys[i], p.keys[j] = p.keys[j], p.keys[i]
	p.values[i], p.values[j] = p.values[j], p.values[i]
}

func sorted(all []wide, p pairs, words []string) int {
	sort.Slice(all, func(i, j int) bool { return all[i].a < all[j].a }) // hot: sort.Slice
	sort.Sort(p)                                                        // hot: sort.Sort
	slices.Sort(words)                                                  // hot: slices.Sort[...]
	slices.SortFunc(words, strings.Compare)                             // hot: slices.SortFunc[...]
	return sort.SearchStrings(words, "x")                               // hot: sort.SearchStrings
}

func cold(all []int) {
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	// The function is what takes time, not sorting.
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] }) // hot: other.Work
}
