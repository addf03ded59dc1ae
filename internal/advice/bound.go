package advice

import (
	"cmp"
	"math"
)

// defaultGain is a rule's where it doesn't know better: a tenth of the time is gone.
const defaultGain = 1.1

// bound limits what a part of a subject's values can gain. Of the garbage
// collection, which runs beside, the part counts that its bytes are of all allocated:
// what isn't allocated needs no marking and no sweeping.
func (e *evidence) bound(v *values, subject int, gain float64) Bound {
	if gain <= 1 {
		gain = defaultGain
	}
	var b Bound
	b.Bytes = e.share(v[allocBytes], subject, allocBytes)
	gc := e.share(e.gc[subject], subject, cpuTime)
	b.Time = min(1, e.share(v[cpuTime], subject, cpuTime)+gc*b.Bytes)
	if n := e.totals[subject][cpuSamples]; n > 0 {
		b.Error = math.Sqrt(b.Time * (1 - b.Time) / float64(n))
	}
	if b.Time < 1 {
		b.Speedup = 1 / (1 - b.Time)
	}
	b.Waiting = max(e.share(v[mutexTime], subject, mutexTime), e.share(v[blockTime], subject, blockTime))
	b.Expected = b.Time * (1 - 1/gain)
	if e.totals[subject][cpuTime] == 0 {
		// Only memory is known. What allocating takes of the time is not: a third is
		// what programs have that do little else.
		b.Expected = b.Bytes / 3 * (1 - 1/gain)
	}
	return b
}

// better reports whether a bound promises more than another.
func (b *Bound) better(than *Bound) bool {
	if b.Expected != than.Expected {
		return b.Expected > than.Expected
	}
	return b.Waiting+b.Bytes > than.Waiting+than.Bytes
}

// order is below 0 if a bound is worth more than another, and above if less.
func (b *Bound) order(than *Bound) int {
	return cmp.Or(cmp.Compare(than.Worth, b.Worth), cmp.Compare(than.Waiting+than.Bytes, b.Waiting+b.Bytes))
}
