package pointers

import "sort"

type ids []int

func (s ids) Len() int           { return len(s) }
func (s ids) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s ids) Less(i, j int) bool { return s[i] < s[j] }

// Methods for values panic in their own way if they are called on a nil pointer.
func pointed(p, q *ids) int {
	// want B: p isn't nil
	sort.Sort(p) // hot: sort.Sort
	n := len(*q)
	// want A: slices.Sort is compiled for int
	sort.Sort(q) // hot: sort.Sort
	return n
}
