package trace

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/profile"
)

// where is what intervals are added up by.
type where struct {
	stack uint32
	state string
}

// spent is what was spent there.
type spent struct {
	intervals, nanos int64
	samples          map[uint32]int64 // CPU samples by stack, of running time
}

// makeProfile makes the profile of times that were added up. It lasts from begin, in ns since
// 1970, for a duration.
func makeProfile(times map[where]*spent, stacks *stacks, begin int64, duration time.Duration) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "intervals", Unit: "count"}, profile.ValueType{Type: "wall", Unit: "nanoseconds"})
	keys := make([]where, 0, len(times))
	for k := range times {
		keys = append(keys, k)
	}
	// In an order, so that the same trace gives the same bytes.
	slices.SortFunc(keys, func(a, b where) int {
		if a.stack != b.stack {
			return int(a.stack) - int(b.stack)
		}
		return strings.Compare(a.state, b.state)
	})
	key := b.String(StateLabel)
	locations := make(map[uint32]uint32)
	var stack []uint32
	sample := func(s uint32, state string, values ...int64) {
		stack = stack[:0]
		for _, f := range slices.Backward(stacks.frames[s]) {
			l, ok := locations[f]
			if !ok {
				at := stacks.places[f]
				l = b.Location(0, 0, profile.Line{Function: b.Function(at.function, at.function, at.file, 0), Line: at.line})
				locations[f] = l
			}
			stack = append(stack, l)
		}
		b.Sample(stack, []profile.Label{{Key: key, Str: b.String(state)}}, values...)
	}
	for _, k := range keys {
		s := times[k]
		if len(s.samples) == 0 {
			sample(k.stack, k.state, s.intervals, s.nanos)
			continue
		}
		ids := make([]uint32, 0, len(s.samples))
		var total int64
		for id, n := range s.samples {
			ids = append(ids, id)
			total += n
		}
		slices.Sort(ids)
		var sum int64
		for _, id := range ids {
			n := s.samples[id]
			sample(id, k.state, part(s.intervals, sum, n, total), part(s.nanos, sum, n, total))
			sum += n
		}
	}
	p := b.Profile()
	p.DefaultSampleType = "wall"
	p.PeriodType, p.Period = profile.ValueType{Type: "wall", Unit: "nanoseconds"}, 1
	p.TimeNanos, p.DurationNanos = begin, int64(duration)
	return p
}

// part returns the share of n in total of v, so that the shares of all add up to
// v; before is how much of total came before.
func part(v, before, n, total int64) int64 {
	upTo := func(n int64) int64 {
		hi, lo := bits.Mul64(uint64(v), uint64(n))
		q, _ := bits.Div64(hi, lo, uint64(total))
		return int64(q)
	}
	return upTo(before+n) - upTo(before)
}
