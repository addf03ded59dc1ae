package experiment

import "math"

// Overall returns the geometric mean of the changes of all series in a unit, head/base,
// and an interval that holds it with the confidence of the series' own, where their
// errors are independent and about normal in their logarithms:
//
//	log mean ± √(Σ half width²)/n
//
// It counts series that are in pairs and on the scale of ratios; n is how many. What
// was measured in one unit only says how the whole moved, not that a benchmark did.
func (f *Family) Overall(unit string) (change float64, interval Interval, n int) {
	sum, squares := 0.0, 0.0
	interval = Interval{Lo: 1, Hi: 1}
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		if c.Unit != unit || c.Scale != Ratio || c.Pairs == 0 || !(c.Change > 0) || !(c.Interval.Lo > 0) || math.IsInf(c.Interval.Hi, 0) {
			continue
		}
		half := (math.Log(c.Interval.Hi) - math.Log(c.Interval.Lo)) / 2
		sum += math.Log(c.Change)
		squares += half * half
		interval.Confidence = c.Interval.Confidence
		n++
	}
	if n == 0 {
		return 1, interval, 0
	}
	mean, half := sum/float64(n), math.Sqrt(squares)/float64(n)
	interval.Lo, interval.Hi = math.Exp(mean-half), math.Exp(mean+half)
	return math.Exp(mean), interval, n
}
