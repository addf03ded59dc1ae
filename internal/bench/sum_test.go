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
			records: records, result: result, took: time.Second,
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
	if got.result.Iters != 400 || got.took != 2*time.Second || got.beside != (experiment.Beside{Others: 0.5, Idle: 1}) {
		t.Errorf("got %d iterations, %v, beside %v", got.result.Iters, got.took, got.beside)
	}
}
