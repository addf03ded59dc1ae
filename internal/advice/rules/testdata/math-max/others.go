package others

import "math"

func both() (x, y float64)

type floats struct{}

func (floats) Max(x, y float64) float64 { return x }

func others(x, y float64) float64 {
	x = math.Max(both())        // hot: math.archMax
	x += math.Max(1, 2)         // hot: math.archMax
	x += floats{}.Max(x, y)     // hot: math.archMax
	x += max(x, y)              // hot: math.archMax
	fold(math.Max)              // hot: math.archMax
	return x + math.Hypot(x, y) // hot: math.archHypot
}

func cold(x, y float64) float64 { return math.Max(x, y) }

func fold(f func(x, y float64) float64) {}
