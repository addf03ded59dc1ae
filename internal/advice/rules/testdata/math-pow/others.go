package others

import "math"

func next() float64

func others(x, y float64, n int64, k uint) float64 {
	x += math.Pow(x, y)           // hot: math.pow
	x += math.Pow(next(), 2)      // hot: math.pow
	x += math.Pow(x, 4)           // hot: math.pow
	x += math.Pow(2, float64(n))  // hot: math.pow
	x += math.Pow(2, x)           // hot: math.pow
	x += math.Pow(3, 2)           // hot: math.pow
	x += math.Pow(-2, float64(k)) // hot: math.pow
	return x
}
