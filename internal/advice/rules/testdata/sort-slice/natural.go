package natural

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

type id uint64

func sorted(ids []id, words []string, numbers []float64) {
	// want C: compiled for id
	slices.SortFunc(ids, func(a, b id) int { // hot: slices.SortFunc[...] slices.pdqsortCmpFunc[...]
		if a < b {
			return -1
		}
		return 1
	})
	// want A: compiled for string
	slices.SortFunc(words, strings.Compare) // hot: slices.SortFunc[...] slices.pdqsortCmpFunc[...]
	// want B: compiled for float64
	slices.SortFunc(numbers, func(a, b float64) int { return cmp.Compare(a, b) }) // hot: slices.SortFunc[...] slices.pdqsortCmpFunc[...]
}

// stable keeps 0 and -0 where they are.
func stable(numbers []float64) {
	// want B: 0 and -0
	sort.Stable(sort.Float64Slice(numbers)) // hot: sort.Stable
}

func reversed(numbers []float64) {
	// want B: 0 and -0
	sort.Stable(sort.Reverse(sort.Float64Slice(numbers))) // hot: sort.Stable
}
