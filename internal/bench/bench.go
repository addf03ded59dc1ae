package bench

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/bench/schedule"
	"github.com/hone-go/hone/internal/experiment"
)

// A Bench measures the benchmarks of Go packages into a run. Its stages are files:
//
//	planner     what to measure: pairing (of both sides), tests and testdata (that both
//	            run the same benchmark), list, build, benchmarks, code (what can't
//	            have changed)
//	schedule    a package: what comes next
//	lab         carries that out: layout, profile, runner; record keeps it
//	judge       what the samples say
//
// Fields are set before use; a Bench measures once.
type Bench struct {
	Dir      string   // where the go command runs; "" is the current folder
	Packages []string // patterns; none: the package in Dir

	// As in go test.
	Pattern    string        // -bench; "" is all
	Tests      string        // -run: tests that have to pass first; "" is none
	CPU        []int         // -cpu; none: GOMAXPROCS
	Timeout    time.Duration // of one process; 0 is DefaultTimeout
	BuildFlags []string      // "-tags=x", "-race": for go list and go test -c
	Args       []string      // for the test binaries, after hone's own flags

	Benchtime Length // of a sample; zero: DefaultBenchtime
	// Count is the number of samples, per side with Against. 0 is DefaultCount, or the looks of
	// experiment.DefaultLooks with Against.
	Count int
	// For limits how long Against measures, not counting the build, and replaces Count. 0 is no
	// limit.
	For time.Duration
	// Wait limits the total time spent waiting for a free core. 0 is DefaultWait, and less than 0
	// never waits. Linux only.
	Wait time.Duration
	// PreCheck is the number of A/A pairs before a comparison; below 0 none,
	// 0 is DefaultPreCheck.
	PreCheck int
	// Layouts says whether a comparison links the binaries anew for each pair.
	Layouts Layouts
	// Pin is the CPUs that benchmarks may use; none: all. Linux only.
	Pin []int

	// Profiles are the kinds to collect, of ProfileKinds.
	// Against collects them of changed benchmarks, or, with ProfileAll, of all.
	Profiles    []string
	ProfileAll  bool
	ProfileTime time.Duration // of one profile; 0 is DefaultProfileTime

	// TestFiles says whose benchmarks Against runs.
	TestFiles TestFiles
	// MeasureUnchanged makes Against also measure the head's side of benchmarks that don't
	// execute changed code, because absolute bounds need numbers.
	MeasureUnchanged bool

	// PeakRSS adds the peak memory of the process to each sample, in the unit
	// experiment.PeakRSS, on systems that report it.
	PeakRSS bool

	// Comparisons is how many comparisons share the chance of a false alarm, this one among
	// them: those of several candidates for one change. 0 is one.
	Comparisons int

	// Budget and Gated are those of experiment.Options. They may be nil.
	Budget func(experiment.Key) float64
	Gated  func(unit string) bool

	Store   string   // directory of runs; the run is made below
	Command []string // for run.json
	// Events receives progress and warnings, from one goroutine. It may be nil.
	Events func(Event)
}

const (
	DefaultCount = 10
	// DefaultBenchtime is half of go test's: what differs between processes needs
	// more of them rather than longer ones. See partLength.
	DefaultBenchtime = 500 * time.Millisecond
	// DefaultPreCheck is the fewest pairs that can show anything: the two-sided
	// signed-rank p of six is 2/2⁶ = 0.03, of five 0.06.
	DefaultPreCheck    = 6
	DefaultProfileTime = 2 * time.Second // 200 samples of a busy core
	DefaultTimeout     = 10 * time.Minute
)

// A Length is the value of -benchtime: a time, or a number of iterations.
type Length = schedule.Length

// An ID names a benchmark as experiment.Key does.
type ID = schedule.ID

// DefaultWait limits the total time that a measurement waits for a free core. A fifth of its
// expected duration limits it as well.
const DefaultWait = schedule.DefaultWait

// Layouts says whether a comparison links binaries in several orders.
type Layouts = schedule.Layouts

const (
	AutoLayouts = schedule.AutoLayouts // if linking takes no longer than measuring, else to confirm a change
	AllLayouts  = schedule.AllLayouts  // however long it takes
	NoLayouts   = schedule.NoLayouts   // one binary a side, as linked
)

// TestFiles says whose benchmarks a comparison with a revision runs.
type TestFiles uint8

const (
	HeadTests TestFiles = iota // the head's on both sides, or the base's if that fails
	BaseTests                  // the base's on both sides, or the head's if that fails
	EachTests                  // each side's own; the results are compared anyway
)

// lenders returns whose tests to try on the other side, in order.
func (t TestFiles) lenders() []experiment.Side {
	return [][]experiment.Side{
		HeadTests: {experiment.Head, experiment.Base},
		BaseTests: {experiment.Base, experiment.Head},
		EachTests: nil,
	}[t]
}

// CompareOptions are the options that a comparison of this Bench uses.
func (b *Bench) CompareOptions() experiment.Options {
	o := experiment.DefaultOptions().Among(b.Comparisons)
	switch {
	case b.Count > 0:
		o.Looks = experiment.OneLook(b.Count)
	case b.For > 0:
		o.Looks = slices.Clone(experiment.BudgetLooks)
	}
	o.Budget, o.Gated = b.Budget, b.Gated
	return o
}

// scheduleOptions are those of the schedule, where the environment gives the go command
// some flags. Flags for the linker would be overridden, so with them there is one layout.
func (b *Bench) scheduleOptions(environment string) schedule.Options {
	o := schedule.Options{
		Options: b.CompareOptions(), Benchtime: b.Benchtime, Count: cmp.Or(b.Count, DefaultCount), For: b.For, Wait: b.Wait,
		PreCheck: max(0, cmp.Or(b.PreCheck, DefaultPreCheck)), Layouts: b.Layouts, Whole: b.PeakRSS,
		Profiles: b.Profiles, ProfileAll: b.ProfileAll, ProfileTime: b.ProfileTime,
	}
	if strings.Contains(environment, "ldflags") {
		o.Layouts = NoLayouts
	}
	return o
}
