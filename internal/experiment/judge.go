package experiment

// settle gives the verdict at level a of this series.
func (c *Comparison) settle(e shiftEstimate, a float64, opts *Options) {
	c.Gate = c.sample.interval(e, a)
	c.setMinDetectable(e, a)
	lo, hi := e.Interval(a)
	low, high := c.within(c.Floor.Bias)
	switch {
	case lo > high:
		c.Verdict = c.towards(+1)
	case hi < low:
		c.Verdict = c.towards(-1)
	default:
		c.Verdict = c.small(opts)
		return
	}
	sign := LowerIsBetter
	if lo > high {
		sign = HigherIsBetter
	}
	if c.busy(sign) {
		c.Verdict, c.Busy = Inconclusive, true
		return
	}
	c.significant = true
	low, high = c.within(max(c.Budget, c.Floor.Bias))
	c.Beyond = lo > high || hi < low
	if c.Verdict == Worse && c.KeepsBudget() {
		c.Verdict = WithinBudget
	}
}

// small tells apart what is not a change: a small one, and not knowing.
func (c *Comparison) small(opts *Options) Verdict {
	n, i := c.Scale.neutral(), c.Interval
	lo, hi := c.sample.change(c.sample.shift(-opts.Resolution)), c.sample.change(c.sample.shift(opts.Resolution))
	if lo < i.Lo && i.Hi < hi || i.Lo == n && i.Hi == n {
		return NoChange
	}
	low, high := c.within(max(c.Budget, opts.Resolution))
	if c.Budget > 0 && c.KeepsBudget() && i.Lo > c.sample.change(low) && i.Hi < c.sample.change(high) {
		return WithinBudget // and no gain is missed by more
	}
	return Inconclusive
}

// settleExact gives the verdict for counts; significant is what the correction
// says of near-exact ones.
func (c *Comparison) settleExact(significant bool) {
	n, i := c.Scale.neutral(), c.Interval
	low, high := c.margins()
	lo, hi := c.sample.change(low), c.sample.change(high)
	c.Beyond = true // counts up to the budget are within it
	switch {
	case i.Lo <= n && n <= i.Hi:
		c.Verdict = NoChange
	case !significant:
		c.Verdict = Inconclusive
	case i.Lo > hi:
		c.Verdict = c.towards(+1)
	case i.Hi < lo:
		c.Verdict = c.towards(-1)
	case i.Lo > n && i.Hi <= hi, i.Hi < n && i.Lo >= lo:
		c.Verdict = WithinBudget
	default:
		c.Verdict = Inconclusive
	}
}

func (c *Comparison) towards(sign Direction) Verdict {
	switch c.Direction {
	case UnknownBetter:
		return Differs
	case sign:
		return Better
	}
	return Worse
}

// margins are the shifts of counts that are accepted, below and above zero.
func (c *Comparison) margins() (lo, hi float64) {
	worse, better := max(c.Budget, c.Floor.Bias), c.Floor.Bias
	switch c.Direction {
	case LowerIsBetter:
		return c.sample.shift(-better), c.sample.shift(worse)
	case HigherIsBetter:
		return c.sample.shift(-worse), c.sample.shift(better)
	default:
		return c.sample.shift(-worse), c.sample.shift(worse)
	}
}

// detectableShift returns the smallest shift beyond the margin found with a chance of Power
// at level a.
//
// Half of the width of the gate's interval estimates z(1−a/2)·SE, with SE the
// standard error of the Hodges–Lehmann estimate: E. L. Lehmann, "Nonparametric
// Confidence Intervals for a Shift Parameter" (1963). A shift δ is found when
// the estimate exceeds margin + z(1−a/2)·SE, which has the chance Power at
//
//	δ = margin + (z(1−a/2) + z(Power))·SE = margin + h·(1 + z(Power)/z(1−a/2))
//
// For normal noise of standard deviation σ per pair this is G. E. Noether's
// formula ("Sample Size Determination for Some Common Nonparametric Tests",
// 1987), δ = (z(1−a/2)+z(Power))·σ·√(π/3n), without assuming normality.
func minDetectable(halfWidth, margin, a float64) float64 {
	return margin + halfWidth*(1+normalQuantile(Power)/normalQuantile(1-a/2))
}
