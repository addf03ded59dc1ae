//go:build !amd64

package main

// dot returns the inner product of a and b, which have the same length.
func dot(a, b []float64) float64 {
	var sum float64
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
