package advice

import (
	"cmp"
	"math"
)

// defaultGain is the gain of a rule that doesn't know better: a tenth of the time is saved.
const defaultGain = 1.1

// bound limits what can be gained from a part of a subject's values: the part's own time, and its share
// of the time that garbage collection takes elsewhere. What isn't allocated needs no marking and no
// sweeping, and the scheduler has less to do: it wakes the collector's goroutines, and the one that
// sweeps gives up its processor again and again. A part has as much of all that as of the allocated bytes.
func (e *evidence) bound(v *values, subject int, gain float64) Bound {
	if gain <= 1 {
		gain = defaultGain
	}
	var b Bound
	b.Bytes = e.share(v[allocBytes], subject, allocBytes)
	total := &e.totals[subject]
	elsewhere := total[gcTime] - v[gcTime] // where the part itself has to help, its own time includes that
	if total[gcTime] > 0 {
		elsewhere += total[scheduleTime]
	}
	own := e.share(v[cpuTime], subject, cpuTime)
	b.Time = min(1, own+b.Bytes*e.share(elsewhere, subject, cpuTime))
	b.GC = b.Time - own
	b.limit(total[cpuSamples])
	b.Waiting = max(e.share(v[mutexTime], subject, mutexTime), e.share(v[blockTime], subject, blockTime))
	b.Expected = b.Time * (1 - 1/gain)
	if e.totals[subject][cpuTime] == 0 {
		// Only memory is known, not the time that allocating takes. In programs that do little else,
		// it is a third.
		b.Expected = b.Bytes / 3 * (1 - 1/gain)
	}
	return b
}

// limit sets the error and the largest gain for a number of samples. A profile is a sample of what the
// program did: within its error, more time could be saved than it shows.
func (b *Bound) limit(samples int64) {
	if samples > 0 {
		b.Error = math.Sqrt(b.Time * (1 - b.Time) / float64(samples))
	}
	if most := b.Time + b.margin(); most < 1 {
		b.Speedup = 1 / (1 - most)
	}
}

// margin is half the width of the 95 % confidence interval of Time.
func (b *Bound) margin() float64 { return 1.96 * b.Error }

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
