package main

import (
	"context"

	"github.com/hone-go/hone/internal/bench"
)

// measureBenchmarks runs the measurement that flags ask for.
func measureBenchmarks(ctx context.Context, a *app, f *benchFlags) (*bench.Report, error) {
	sweep()
	if err := hideRuns(a, f.Store); err != nil {
		return nil, err
	}
	progress := newProgress(a)
	f.Events = progress.event
	measure := f.Measure
	if f.against != "" {
		measure = func(ctx context.Context) (*bench.Report, error) { return f.Against(ctx, f.against) }
	}
	report, err := measure(ctx)
	progress.end()
	if err != nil && report != nil && report.Dir != "" {
		a.warn(keptPartial + report.Dir)
	}
	return report, err
}
