package experiment

import (
	"fmt"
	"math"
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
	// Looks is when the data are looked at: see sequential.go.
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

	apart    bool            // see CompareApart
	sameCode []BenchmarkName // of the run
	tests    []TestOrigin    // of the run
	missing  []Gap           // of the run
	// repeated is the family that a second run repeats: no correction for the family or
	// the look, and the same clocks judge. See Confirm.
	repeated *Family
}

// DefaultTimeBudget is the accepted worsening of a time for which nobody has named
// one: less comes of code that did not change, as where it lies in memory.
const DefaultTimeBudget = 0.02

// DefaultBudget is DefaultTimeBudget for times, and nothing for anything else.
func DefaultBudget(k Key) float64 {
	if dimensionOf(k.Unit) == Time {
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

func (o *Options) budget(k Key) float64 {
	if o.Budget == nil {
		return DefaultBudget(k)
	}
	return o.Budget(k)
}

func (o *Options) gated(unit string) bool {
	if o.Gated == nil {
		return gatedByDefault(unit)
	}
	return o.Gated(unit)
}

func gatedByDefault(unit string) bool { return !slices.Contains(ungated, unit) }

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

// A Verdict is what a comparison says about a series.
type Verdict uint8

const (
	// Inconclusive: the measurement could not tell. See MinDetectable.
	Inconclusive Verdict = iota
	// NoChange: the interval lies within the resolution (or counts are equal).
	NoChange
	// Better and Worse: the gate's interval lies beyond no change, and what the
	// machine was seen to change by itself. See Beyond.
	Better
	Worse
	// Differs is Better or Worse of a unit of unknown direction.
	Differs
	// WithinBudget: the interval rules out a change beyond the budget, but is too
	// wide to rule out any, or shows a small worsening.
	WithinBudget
	// OneSided: the benchmark or unit is missing on a side.
	OneSided
	// SameCode: the benchmark can run nothing that changed, whatever was measured.
	SameCode
	// OtherClock: JudgedBy decides.
	OtherClock
)

var verdictNames = [...]string{"inconclusive", "no change", "better", "worse", "differs", "within budget", "one side only", "same code", "other clock"}

func (v Verdict) String() string { return verdictNames[v] }

// Changed reports whether the verdict states a change, which a second run has
// to confirm.
func (v Verdict) Changed() bool { return v == Better || v == Worse || v == Differs }

// Words returns the verdict in words that fit the unit.
func (c *Comparison) Words() string {
	text := c.Verdict.String()
	isTime := hasUnitSuffix(c.Unit, "ns/op") || c.Unit == "ns/op" || c.Unit == "sec/op"
	switch {
	case c.Verdict == SameCode:
		return sameCode
	case c.Confirmation == Disagreed, c.Confirmation == NotRepeated:
		return text + ", " + c.Confirmation.String()
	case c.JudgedBy != "":
		return "judged by " + c.JudgedBy
	case c.Busy:
		return text + ": the machine was busy"
	case c.OtherBenchmark && c.Verdict == Inconclusive:
		return text + ": the benchmark itself changed"
	case c.Verdict == Inconclusive && math.IsInf(c.MinDetectable, 1):
		return text + " (too few samples)"
	case c.Verdict == Inconclusive && c.Scale == Ratio:
		digits := 1
		if c.MinDetectable >= 0.1 {
			digits = 0
		}
		return fmt.Sprintf("%s (min detectable %.*f %%)", text, digits, 100*c.MinDetectable)
	case c.Verdict == Inconclusive:
		return fmt.Sprintf("%s (min detectable %.3g %s)", text, c.MinDetectable, c.Unit)
	case c.Verdict == Better && isTime:
		return "faster"
	case c.Verdict == Worse:
		if isTime {
			text = "slower"
		}
		if !c.Beyond {
			text += fmt.Sprintf(" (perhaps within the budget of %.3g %%)", 100*c.Budget)
		}
	}
	return text
}

// A Family is all series of one comparison: they share the chance of a false
// alarm.
type Family struct {
	Alpha  float64 `json:"alpha"`
	Tested int     `json:"tested"` // series that could give a false alarm by chance
	// Apart says that the sides were not measured interleaved, but each at its
	// time: see CompareApart. What else differed then, the machine's state for
	// one, counts as change, and there is no second run that could confirm one.
	Apart       bool         `json:"apart,omitempty"`
	Comparisons []Comparison `json:"comparisons"`
	// SameCode is Info.SameCode of the run. What is not measured of it has no Comparison.
	SameCode []BenchmarkName `json:"sameCode,omitempty"`
	Layout   *LayoutNoise    `json:"layout,omitempty"` // nil where it can't be told
	// Missing is what the base has and the head does not. What is not measured is not met.
	Missing []Gap `json:"missing,omitempty"`
}

// correct applies Holm's correction and gives verdicts.
func (f *Family) correct(opts *Options) {
	type tested struct {
		c        *Comparison
		p        float64
		estimate shiftEstimate
	}
	var all []tested
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		switch {
		case c.Verdict == SameCode:
		case !c.tested && !c.Exact:
			if c.sample.comparable() {
				c.settle(c.sample.estimate(), opts.Alpha*c.share(), opts)
			}
		case c.tested && c.Exact:
			all = append(all, tested{c, c.P, shiftEstimate{}})
		case c.tested:
			e := c.sample.estimate()
			all = append(all, tested{c, c.gateP(e) / c.look.Share, e})
		default:
			c.settleExact(true)
		}
	}
	slices.SortStableFunc(all, func(a, b tested) int {
		switch {
		case a.p < b.p:
			return -1
		case a.p > b.p:
			return 1
		}
		return 0
	})
	f.Tested = len(all)
	adjusted, stopped, level := 0.0, false, opts.Alpha
	for k, t := range all {
		left := float64(len(all) - k)
		if opts.repeated != nil {
			left, stopped = 1, false
		}
		if !stopped {
			level = opts.Alpha / left
			stopped = t.p > level
		}
		adjusted = min(1, max(adjusted, t.p*left))
		t.c.AdjustedP = adjusted
		if t.c.Exact {
			t.c.settleExact(!stopped)
		} else {
			t.c.settle(t.estimate, level*t.c.look.Share, opts)
		}
	}
	for i := range f.Comparisons {
		switch c := &f.Comparisons[i]; {
		case c.JudgedBy != "":
			c.Verdict, c.Beyond, c.Busy = OtherClock, false, false
		case c.OtherBenchmark && c.Verdict != OneSided:
			c.Verdict, c.Beyond, c.Busy = Inconclusive, false, false
		}
	}
}

func (c *Comparison) share() float64 {
	if c.look.Share == 0 {
		return 1
	}
	return c.look.Share
}

func (f *Family) find(k Key) *Comparison {
	i := slices.IndexFunc(f.Comparisons, func(c Comparison) bool { return c.Key == k })
	if i < 0 {
		return nil
	}
	return &f.Comparisons[i]
}

// Undecided returns the series that another look could decide, of those that can fail
// a run, and by how many pairs to extend each. Nothing is left to do when it is empty.
func (f *Family) Undecided(looks []Look) map[Key]int {
	more := make(map[Key]int)
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		if !c.Gated || c.Verdict != Inconclusive || c.Pairs == 0 {
			continue
		}
		for _, l := range looks {
			if l.Pairs > c.Pairs {
				more[c.Key] = l.Pairs - c.Pairs
				break
			}
		}
	}
	return more
}

// Unconfirmed returns the changes that a second run has to repeat. Series that
// cannot fail the run are not among them.
func (f *Family) Unconfirmed() []Key {
	var keys []Key
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; c.Gated && c.Verdict.Changed() && c.Confirmation == Pending {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// Regressions returns what fails a gate: worse beyond the budget, and confirmed.
func (f *Family) Regressions() []Comparison {
	var failed []Comparison
	for _, c := range f.Comparisons {
		if c.Gated && c.Verdict == Worse && c.Beyond && c.Confirmation == Agreed {
			failed = append(failed, c)
		}
	}
	return failed
}
