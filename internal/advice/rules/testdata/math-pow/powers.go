package powers

import "math"

type point struct{ x, y float64 }

func distance(p, q *point) float64 {
	// want B: (p.x-q.x)*(p.x-q.x) is a few instructions
	sum := math.Pow(p.x-q.x, 2) + // hot: math.pow
		// want B: may be fused
		math.Pow(p.y-q.y, 2.0) // hot: math.pow
	// want B: math.Sqrt is one instruction
	return math.Pow(sum, 0.5) // hot: math.Pow
}

func volume(r, density float64, n int) float64 {
	// want B: a few instructions
	v := 4 * math.Pi * math.Pow(r, 3) / 3 // hot: math.Pow
	// want B: are rounded once
	v /= 1 / -math.Pow(float64(n), 2) // hot: math.Pow
	return v * density
}

func scales(n int, xs []float64) (float64, float64) {
	// want A: makes a power of 2 directly
	a := math.Pow(2, float64(n-1)) // hot: math.pow
	// want B: the last digit
	return a * xs[n], math.Pow(10, float64(-n)) // hot: math.pow
}
