package ordered

import (
	"cmp"
	"slices"
	"strings"
)

type entry struct {
	name string
	n    int
}

// Elements that < doesn't know, another order, and what is looked at besides.
func sorted(entries []*entry, words []string, rank map[string]int) {
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Compare(a.n, b.n) }) // hot: slices.SortFunc[...] slices.pdqsortCmpFunc[...]
	slices.SortFunc(words, func(a, b string) int { return strings.Compare(b, a) })   // hot: slices.SortFunc[...] slices.pdqsortCmpFunc[...]
	slices.SortFunc(words, func(a, b string) int {                                   // hot: slices.SortFunc[...] slices.pdqsortCmpFunc[...]
		if rank[a] < rank[b] {
			return -1
		}
		return 1
	})
	slices.SortFunc(words, func(a, b string) int { // hot: slices.SortFunc[...] slices.pdqsortCmpFunc[...]
		if a > b {
			return -1
		}
		return 1
	})
}
