package bench

import (
	"math"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
)

func TestSum(t *testing.T) {
	var parts []*measured
	for _, out := range []string{
		"BenchmarkX\t100\t10 ns/op\t100.00 MB/s\t64 B/op\t2 allocs/op\t7 things\n",
		"BenchmarkX\t300\t20 ns/op\t50.00 MB/s\t67 B/op\t3 allocs/op\n",
	} {
		records, result, _ := readResult([]byte(out), "p", "X", "X")
		if result == nil {
			t.Fatalf("no result in %q", out)
		}
		parts = append(parts, &measured{
			records: records, result: result, layout: 7, took: time.Second,
			beside: experiment.Beside{Others: float64(len(parts)), Idle: 1},
		})
	}
	got := sum(parts)
	for unit, want := range map[string]float64{
		"ns/op":     17.5,       // (100·10 + 300·20) / 400
		"MB/s":      400. / 7,   // as much in the time of all: 400 / (100/100 + 300/50)
		"B/op":      66,         // 66.25, and package testing cuts off
		"allocs/op": 2,          // 2.75
		"things":    math.NaN(), // one part doesn't say
	} {
		if v, ok := valueOf(got.result, unit); ok == math.IsNaN(want) || ok && math.Abs(v-want) > 1e-9 {
			t.Errorf("%s: %v, %v; want %v", unit, v, ok, want)
		}
	}
	if len(got.records) != 1 || got.records[0] != benchfmt.Record(got.result) {
		t.Errorf("records %v are not the result", got.records)
	}
	if got.result.Iters != 400 || got.layout != 7 || got.took != 2*time.Second || got.beside != (experiment.Beside{Others: 0.5, Idle: 1}) {
		t.Errorf("got %d iterations in layout %d, %v, beside %v", got.result.Iters, got.layout, got.took, got.beside)
	}
}

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
		one := &target{nanos: [2]float64{c.nanos, c.nanos}, overhead: c.overhead, oneProcess: c.whole}
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
		{iterations: 20, nanos: 0.01 * ms, setup: 4 * time.Millisecond, left: true},
		{iterations: 3, nanos: 160 * ms, setup: 485 * time.Millisecond}, // of which three iterations are 480
		{iterations: 2, nanos: 160 * ms, setup: 485 * time.Millisecond, left: true},
		{iterations: 100_000, nanos: 1000},
	} {
		one := &target{nanos: [2]float64{c.nanos, c.nanos}, setup: [2]time.Duration{c.setup, c.setup}, samples: Length{Iterations: c.iterations}, oneProcess: true}
		one.leaveSetup()
		if left := one.setup != [2]time.Duration{c.setup, c.setup}; left != c.left {
			t.Errorf("%d iterations of %v ns in processes that take %v: CPU time left out %v, want %v", c.iterations, c.nanos, c.setup, left, c.left)
		}
	}
}
