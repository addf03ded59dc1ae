package rank

import (
	"math"
	"slices"
)

func medianOfSorted(v []float64) float64 {
	switch n := len(v); {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return v[n/2]
	default:
		return v[n/2-1]/2 + v[n/2]/2
	}
}

// Median returns the median of values, which it does not change; NaN without any.
func Median(v []float64) float64 {
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	return medianOfSorted(sorted)
}

// MedianDeviation times the median absolute deviation, which outliers do not move, is
// the standard deviation of normal noise: P. J. Rousseeuw, C. Croux, "Alternatives to
// the Median Absolute Deviation" (1993).
const MedianDeviation = 1.4826

// Spread is the standard deviation by the median absolute deviation.
func Spread(values []float64) float64 {
	m := Median(values)
	deviations := make([]float64, len(values))
	for i, v := range values {
		deviations[i] = math.Abs(v - m)
	}
	return MedianDeviation * Median(deviations)
}

// NormalQuantile returns z with P(Z ≤ z) = p.
func NormalQuantile(p float64) float64 {
	return math.Sqrt2 * math.Erfinv(2*p-1)
}

// StudentQuantile is the expansion of M. Abramowitz and I. A. Stegun, "Handbook
// of Mathematical Functions" (1964), 26.7.5, good to a percent from five degrees
// of freedom on.
func StudentQuantile(p float64, degrees int) float64 {
	z, v := NormalQuantile(p), float64(degrees)
	return z + (z*z*z+z)/(4*v) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*v*v)
}
