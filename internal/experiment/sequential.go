package experiment

import "math"

// MedianDeviation times the median absolute deviation, which outliers do not move, is
// the standard deviation of normal noise: P. J. Rousseeuw, C. Croux, "Alternatives to
// the Median Absolute Deviation" (1993).
const MedianDeviation = 1.4826

// spread is the standard deviation by the median absolute deviation.
func spread(values []float64) float64 {
	m := median(values)
	deviations := make([]float64, len(values))
	for i, v := range values {
		deviations[i] = math.Abs(v - m)
	}
	return MedianDeviation * median(deviations)
}

// studentQuantile is the expansion of M. Abramowitz and I. A. Stegun, "Handbook
// of Mathematical Functions" (1964), 26.7.5, good to a percent from five degrees
// of freedom on.
func studentQuantile(p float64, degrees int) float64 {
	z, v := normalQuantile(p), float64(degrees)
	return z + (z*z*z+z)/(4*v) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*v*v)
}
