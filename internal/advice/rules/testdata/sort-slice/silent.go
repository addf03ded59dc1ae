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

// records of width bytes each stand one after the other.
type records struct {
	data  []byte
	width int
}

func (r *records) at(i int) []byte    { return r.data[i*r.width : (i+1)*r.width] }
func (r *records) Len() int           { return len(r.data) / r.width }
func (r *records) Less(i, j int) bool { return string(r.at(i)) < string(r.at(j)) }
func (r *records) Swap(i, j int) {
	for k := range r.at(i) {
		r.at(i)[k], r.at(j)[k] = r.at(j)[k], r.at(i)[k]
	}
}

func byBytes(r *records) {
	sort.Sort(r) // hot: sort.Sort
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
