package regress

// A deviation is by how much a function differs from what is usual, as a logarithm, and
// the variance that is known to explain some of that.
type deviation struct{ by, variance float64 }

// usualDays is a variance between days that is usual. Functions that vary less by chance
// tell no more about the variance.
const usualDays = 0.01 * 0.01

// scatter returns the variance that deviations have beyond the known one, at least 0. It is
// an estimate of scale as P. J. Huber's proposal 2 ("Robust estimation of a location
// parameter", 1964): deviations of more than one standard error count as one, so that it
// doesn't matter how much some functions changed.
func scatter(all []deviation) float64 {
	const most, usual = 1, 0.516 // the mean of min(z*z, most) of a normal deviate z
	exceeds := func(beyond float64) bool {
		sum := 0.0
		for _, d := range all {
			v := d.variance + beyond
			sum += (min(d.by*d.by/v, most) - usual) / (v + usualDays)
		}
		return sum > 0
	}
	low, high := 0.0, 1.0
	if !exceeds(low) {
		return 0
	}
	for range 30 {
		if half := (low + high) / 2; exceeds(half) {
			low = half
		} else {
			high = half
		}
	}
	return low
}
