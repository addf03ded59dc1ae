package main

// dot returns the inner product of a and b, which have the same length.
//
//go:noescape
func dot(a, b []float64) float64
