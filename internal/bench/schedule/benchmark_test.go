package schedule

import (
	"testing"
	"time"
)

func TestParts(t *testing.T) {
	const ms = float64(time.Millisecond)
	for _, c := range []struct {
		iterations int
		nanos      float64
		overhead   time.Duration
		whole      bool
		want       int
	}{
		{iterations: 500_000, nanos: 1000, overhead: 10 * time.Millisecond, want: 5},
		{iterations: 500_000, nanos: 1000, overhead: 10 * time.Millisecond, whole: true, want: 1},
		{iterations: 50_000, nanos: 1000, overhead: 10 * time.Millisecond, want: 1},
		{iterations: 500_000, nanos: 1000, overhead: 60 * time.Millisecond, want: 2}, // a part is of 240 ms
		{iterations: 500_000, nanos: 1000, overhead: time.Second, want: 1},
		{iterations: 3, nanos: 160 * ms, want: 3}, // no part without an iteration
		{iterations: 1, nanos: 5000 * ms, want: 1},
		{iterations: 0, nanos: 1000, want: 1},
	} {
		one := &benchmark{costs: Costs{Nanos: [2]float64{c.nanos, c.nanos}, Overhead: c.overhead}, whole: c.whole}
		if got := one.parts(Length{Iterations: c.iterations}); got != c.want {
			t.Errorf("%d iterations of %v ns besides %v: %d parts, want %d", c.iterations, c.nanos, c.overhead, got, c.want)
		}
	}
}

func TestLeaveSetup(t *testing.T) {
	const ms = float64(time.Millisecond)
	for _, c := range []struct {
		iterations int
		nanos      float64
		setup      time.Duration
		left       bool
	}{
		{iterations: 100_000, nanos: 1000, setup: 5 * time.Millisecond},
		{iterations: 20_000, nanos: 1000, setup: 25 * time.Millisecond, left: true},
		{iterations: 50_000, nanos: 1000, setup: 25 * time.Millisecond},
		{iterations: 20, nanos: 0.01 * ms, setup: 4 * time.Millisecond, left: true},
		{iterations: 3, nanos: 160 * ms, setup: 485 * time.Millisecond, left: true}, // of which three iterations are 480
		{iterations: 2, nanos: 160 * ms, setup: 485 * time.Millisecond, left: true},
		{iterations: 100_000, nanos: 1000},
	} {
		one := &benchmark{costs: Costs{Nanos: [2]float64{c.nanos, c.nanos}, Setup: [2]time.Duration{c.setup, c.setup}}, samples: Length{Iterations: c.iterations}, whole: true}
		one.leaveSetup()
		if left := one.costs.Setup != [2]time.Duration{c.setup, c.setup}; left != c.left {
			t.Errorf("%d iterations of %v ns in processes that take %v: CPU time left out %v, want %v", c.iterations, c.nanos, c.setup, left, c.left)
		}
	}
}
