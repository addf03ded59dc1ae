package advice

import (
	"cmp"
	"math"
)

// defaultGain is the gain of a rule that doesn't know better: a tenth of the time is saved.
const defaultGain = 1.1

// bound limits what can be gained from a part of a subject's values. Garbage collection runs
// concurrently; its time counts by the part's share of the allocated bytes, because what isn't
// allocated needs no marking and no sweeping.
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
		// Only memory is known, not the time that allocating takes. In programs that do little else,
		// it is a third.
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

// order is negative if a bound is worth more than another, and positive if it is worth less.
func (b *Bound) order(than *Bound) int {
	return cmp.Or(cmp.Compare(than.Worth, b.Worth), cmp.Compare(than.Waiting+than.Bytes, b.Waiting+b.Bytes))
}
