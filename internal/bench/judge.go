package bench

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/hone-go/hone/internal/bench/schedule"
	"github.com/hone-go/hone/internal/experiment"
)

// judge reads the run so far, as anyone would, and says what its samples mean. There is no
// family while the noise is measured.
func judge(dir string, phase experiment.Phase, opts experiment.Options) (*experiment.Family, schedule.Judgement, error) {
	run, err := experiment.Open(context.Background(), dir)
	if err != nil {
		return nil, schedule.Judgement{}, err
	}
	if phase == experiment.PreCheck {
		return nil, schedule.Judgement{Noise: noise(experiment.MeasureFloor(run.Series(phase)))}, nil
	}
	family, err := run.Compare(opts)
	if err != nil {
		return nil, schedule.Judgement{}, err
	}
	open := family.Undecided(opts.Looks)
	if phase == experiment.Repeat {
		if open, err = run.Doubtful(opts); err != nil {
			return nil, schedule.Judgement{}, err
		}
	}
	return family, schedule.Judgement{
		Changed:     having(family, func(c *experiment.Comparison) bool { return c.Verdict.Changed() }),
		Worse:       having(family, func(c *experiment.Comparison) bool { return c.Verdict == experiment.Worse }),
		Unconfirmed: benchmarksOf(slices.Values(family.Unconfirmed())),
		Open:        benchmarksOf(maps.Keys(open)),
	}, nil
}

// noise is that of each benchmark's clock.
func noise(floors map[experiment.Key]experiment.Floor) map[ID]experiment.Floor {
	all := make(map[ID]experiment.Floor)
	for k := range floors {
		all[ID{Package: k.Package, Benchmark: k.Benchmark}] = experiment.ClockFloor(floors, k.Package, k.Benchmark)
	}
	return all
}

// benchmarksOf are the benchmarks that series are of.
func benchmarksOf(keys iter.Seq[experiment.Key]) map[ID]bool {
	all := make(map[ID]bool)
	for k := range keys {
		all[ID{Package: k.Package, Benchmark: k.Benchmark}] = true
	}
	return all
}

// having are the benchmarks with a metric of which something is true.
func having(f *experiment.Family, is func(*experiment.Comparison) bool) map[ID]bool {
	return benchmarksOf(func(yield func(experiment.Key) bool) {
		for i := range f.Comparisons {
			if is(&f.Comparisons[i]) && !yield(f.Comparisons[i].Key) {
				return
			}
		}
	})
}
