package prove

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/tune"
)

// A Measurement compares a candidate with the base, or with another candidate.
type Measurement struct {
	Speed Speed  `json:"speed"`
	How   string `json:"how"` // a sentence: by how much, or why that isn't known
	// Allocations is "fewer" or "more" if a number of bytes or objects per operation changed,
	// "same" if all of them were measured to be the same, else "".
	Allocations string `json:"allocations"`
	Regression  bool   `json:"regression"` // something got worse beyond its budget
	// Changes are what was measured, per benchmark and unit.
	Changes []tune.Change `json:"changes"`
	// Moved are the functions that caused the changes of times, the largest first.
	Moved []Moved `json:"moved"`
	// NotBenchmarked are functions that changed, and that none of the benchmarks executes.
	NotBenchmarked []string `json:"notBenchmarked"`
	// Noise is how much one pair of samples of the same code differs, as a fraction: the standard
	// deviation for the noisiest benchmark. It is 0 if it wasn't measured.
	Noise    float64         `json:"noise"`
	Seconds  float64         `json:"seconds"`
	Run      string          `json:"run,omitempty"`
	Failures []bench.Failure `json:"failures"` // what could not be measured
	Warnings []string        `json:"warnings"` // of the machine

	took time.Duration // without building
}

// Moved is what a function costs in an operation of a benchmark, itself.
type Moved struct {
	Benchmark string  `json:"benchmark"`
	Function  string  `json:"function"`
	Change    float64 `json:"change"` // head − base
	Unit      string  `json:"unit"`   // of Change: "sec/op"
}

// mostMoved is how many functions a benchmark is told with.
const mostMoved = 3

// measure compares what is checked out with a commit of the copy.
func (c *checker) measure(ctx context.Context, b bench.Bench, ref string, benchmarks selection) (*Measurement, error) {
	begin := time.Now()
	b.Dir, b.BuildFlags = c.module, c.buildFlags
	b.Packages = slices.Sorted(maps.Keys(benchmarks))
	if b.Pattern == "" {
		b.Pattern = benchmarks.pattern()
	}
	report, err := b.Against(ctx, ref)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, bench.ErrNoBenchmarks) {
		m := notMeasured(err.Error())
		if report != nil {
			m.Failures = append(m.Failures, report.Failures...)
		}
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	m := judge(report)
	m.Seconds = rounded(time.Since(begin))
	if len(m.Changes) > 0 {
		m.Moved, err = moved(ctx, b.Store, report)
	}
	return m, err
}

// notMeasured is a measurement that there is none of.
func notMeasured(why string) *Measurement {
	return &Measurement{Speed: NotMeasured, How: why, Changes: []tune.Change{}, Moved: []Moved{}, NotBenchmarked: []string{}, Failures: []bench.Failure{}, Warnings: []string{}}
}

// rounded is a time in seconds for people.
func rounded(d time.Duration) float64 { return math.Round(10*d.Seconds()) / 10 }

// moved finds out from the profiles of a run which functions caused its changes.
func moved(ctx context.Context, store string, report *bench.Report) ([]Moved, error) {
	all := []Moved{}
	inputs, err := compare.Read(ctx, store, nil, []string{report.Dir})
	if err != nil {
		return nil, err
	}
	c, err := inputs.Compare(nil)
	if err != nil {
		return nil, err
	}
	if err := c.Explain(ctx, false); err != nil {
		return nil, err
	}
	for _, s := range c.Document().Comparisons {
		for _, e := range s.Explanations {
			for i, f := range e.Functions {
				if i == mostMoved {
					break
				}
				if f.OwnChange != nil {
					all = append(all, Moved{e.Benchmark, f.Name, f.OwnChange.Value, e.Unit})
				}
			}
		}
	}
	return all, nil
}
