package pgo

import (
	"context"

	"github.com/hone-go/hone/internal/bench"
)

// An Overall is the geometric mean, over all benchmarks, of the time with the profile
// divided by the time without.
type Overall struct {
	Ratio      float64 `json:"ratio"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Benchmarks int     `json:"benchmarks"`
}

// Verify compares benchmarks built without a profile for the compiler with those built for
// the profile in file. It takes CPU profiles of the benchmarks that change. Overall is nil if
// nothing was compared.
func Verify(ctx context.Context, b bench.Bench, file string) (*bench.Report, *Overall, error) {
	b.Profiles, b.ProfileAll = []string{"cpu"}, false
	report, err := b.AgainstPGO(ctx, file)
	if err != nil || report.Family == nil {
		return report, nil, err
	}
	ratio, interval, n := report.Family.Overall("ns/op")
	return report, &Overall{ratio, interval.Lo, interval.Hi, n}, nil
}
