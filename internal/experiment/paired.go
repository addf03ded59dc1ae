package experiment

import "math"

func (c *Comparison) setMinDetectable(e shiftEstimate, a float64) {
	lo, hi := e.Interval(a)
	m := minDetectable((hi-lo)/2, c.sample.shift(c.Floor.Bias), a)
	if c.Scale == Ratio {
		m = math.Expm1(m)
	}
	c.MinDetectable = m
}
