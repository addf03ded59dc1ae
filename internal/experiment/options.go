package experiment

import (
	"fmt"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// Options of Compare; DefaultOptions gives the values that hone uses.
type Options struct {
	// Alpha bounds the chance that a family without any change shows one.
	Alpha float64
	// Resolution is the change, as a fraction, that "no change" rules out.
	Resolution float64
	// Budget returns the accepted worsening of a series as a fraction; nil:
	// DefaultBudget.
	Budget func(Key) float64
	// Floors are from the A/A pre-check; missing ones are zero.
	Floors map[Key]Floor
	// Looks is when the data are looked at: see look.go.
	Looks []Look
	// Units is what the files say of their units; may be nil.
	Units benchfmt.UnitMetadataMap
	// Gated says which units can fail a run; nil: all but what would test a
	// change twice, as throughput derived from the time does, MB/s, or what a few
	// requests of a load decide, as its worst time, and the memory of a process,
	// which is measured where it is traded for time. Of CPU time see clock.go.
	Gated func(unit string) bool
	// ExactUnits are compared by the rule of exact.go.
	ExactUnits []string
}

// DefaultTimeBudget is the accepted worsening of a time for which nobody has named
// one: less comes of code that did not change, as where it lies in memory.
const DefaultTimeBudget = 0.02

// DefaultBudget is DefaultTimeBudget for times, and nothing for anything else.
func DefaultBudget(k Key) float64 {
	if isTime(k.Unit) {
		return DefaultTimeBudget
	}
	return 0
}

// DefaultOptions returns a level of 5 %, a resolution of 3 % and two looks, at
// 10 and 20 samples a side.
func DefaultOptions() Options {
	return Options{
		Alpha:      0.05,
		Resolution: 0.03,
		Looks:      slices.Clone(DefaultLooks),
		ExactUnits: []string{"B/op", "allocs/op"},
	}
}

// Among returns the options for each of n comparisons that share the level, by Bonferroni's
// correction: whatever depends on what, the chance that any of them shows a change where none
// is stays at most Alpha.
func (o Options) Among(n int) Options {
	o.Alpha /= float64(max(1, n))
	return o
}

func (o *Options) budget(k Key) float64 {
	if o.Budget == nil {
		return DefaultBudget(k)
	}
	return o.Budget(k)
}

func (o *Options) gated(unit string) bool {
	if o.Gated == nil {
		return GatedByDefault(unit)
	}
	return o.Gated(unit)
}

// GatedByDefault is Options.Gated of whoever names no units.
func GatedByDefault(unit string) bool { return !slices.Contains(ungated, unit) }

var ungated = []string{CPUTime, "MB/s", "B/s", "p90-ns", "p99.9-ns", "max-ns", "gcs/op", PeakRSS}

func (o *Options) exact(unit string) bool { return slices.Contains(o.ExactUnits, unit) }

func (o *Options) check() error {
	switch {
	case !(o.Alpha > 0 && o.Alpha < 0.5):
		return fmt.Errorf("level %v is not between 0 and 0.5", o.Alpha)
	case !(o.Resolution >= 0 && o.Resolution < 1):
		return fmt.Errorf("resolution %v is not between 0 and 1", o.Resolution)
	}
	return checkLooks(o.Looks)
}
