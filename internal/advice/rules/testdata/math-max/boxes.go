package boxes

import "math"

type box struct{ min, max [2]float64 }

type scale float64

func union(a, b *box) float64 {
	// want B: for NaN and +Inf, math.Max returns +Inf
	width := math.Max(a.max[0], b.max[0]) - // hot: math.archMax
		// want B: for NaN and -Inf, math.Min returns -Inf
		math.Min(a.min[0], b.min[0]) // hot: math.archMin
	return width
}

func clamp(x float64, n int) float64 {
	// want B: bits of a NaN
	x = math.Max(x, 0) // hot: math.Max
	// want B: bits of a NaN
	return math.Min(float64(n-1), x) // hot: math.archMin
}

func nested(a, b, c int, x float64) int {
	// want A: max
	m := math.Max(float64(a), // hot: math.archMax
		// want A: min
		math.Min(float64(b), float64(-c))) // hot: math.archMin
	// want B: max
	return int(m + math.Max(x, float64(scale(2)+1))) // hot: math.archMax
}

func read(p, q *float64, next func() float64) (float64, float64) {
	// want B: don't change *p, which is now read after
	return math.Max(*p, 1), next() // hot: math.archMax
}

func hidden(x, max float64) float64 {
	// want C: takes a few instructions
	return math.Max(x, max) // hot: math.archMax
}

func shifted(n int, x float64) {
	// want C: takes a few instructions
	defer math.Max(x, 1) // hot: math.archMax
}
