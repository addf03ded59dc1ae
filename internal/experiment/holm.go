package experiment

// gateP is the p value of "the change is no more than the floor": two one-sided
// tests, each with half of the level.
func (c *Comparison) gateP(e shiftEstimate) float64 {
	lo, hi := c.within(c.Floor.Bias)
	return min(1, 2*min(e.atLeast(lo), e.atMost(hi)))
}
