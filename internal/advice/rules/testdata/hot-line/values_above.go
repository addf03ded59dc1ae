package hotline

import (
	"slices"
	"strings"
)

type named struct{ names []string }

func weigh(a, b, w, v []float64) (x, y float64) {
	for i := range a {
		// want look: 2 products have the factors w[i] and v[0]: the product of the two can be computed once (floats then round differently). (end)
		x += a[i] * w[i] * v[0] // hot
		y += b[i] * w[i] * v[0]
	}
	return x, y
}

func copyOf(t *named) []string {
	// want look: It makes a copy of t.names, and copyOf writes to neither. It allocates blocks of 64 bytes on average, mostly in slices.Clone. (end)
	return slices.Clone(t.names) // alloc: slices.Clone
}

func size(a string, n int) int {
	return n + pieces(a)
}

func pieces(a string) int {
	// want look: runs at most once per call of pieces; the loop on line 34 in all repeats these calls. (end)
	return strings.Count(a, "/") // hot: strings.Count
}

func all(list []string) (n int) {
	for _, a := range list {
		n += size(a, 10)
	}
	return n
}

func (t *named) duplicates(same func(a, b string) bool) (n int) {
	for i := range t.names {
		for _, name := range t.names[i+1:] {
			// want look: It goes through t.names again for each element of it: the loop on line 41 makes that quadratic.
			if same(t.names[i], name) { // hot
				n++
			}
		}
	}
	return n
}
