package capture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// A Bench measures the benchmarks of Go packages into a run: files by subject
// are bench_list.go (packages, test binaries, names), bench_process.go (one
// process), bench_output.go (what it prints), bench_sample.go (samples and
// time left), bench_profile.go, bench_against.go (the comparison with a
// revision), bench_tree.go (that revision's files) and bench_scratch.go (how
// nothing is left behind).
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

	Benchtime BenchTime // of a sample; zero: DefaultBenchtime
	// Count is the number of samples, of each side with Against. 0 is
	// DefaultCount, and with Against the looks of experiment.DefaultLooks.
	Count int
	// PreCheck is the number of A/A pairs before a comparison; below 0 none,
	// 0 is DefaultPreCheck.
	PreCheck int
	// Pin is the CPUs that benchmarks may use; none: all. Linux only.
	Pin []int

	// Profiles are the kinds to collect, of ProfileKinds.
	// Against collects them of changed benchmarks, or, with ProfileAll, of all.
	Profiles    []string
	ProfileAll  bool
	ProfileTime time.Duration // of one profile; 0 is DefaultProfileTime

	// MeasureUnchanged has Against measure benchmarks of which it knows that
	// nothing changed, though only as they are now: bounds need numbers.
	MeasureUnchanged bool

	// Budget is experiment.Options.Budget, and Gated likewise; may be nil.
	Budget func(experiment.Key) float64
	Gated  func(unit string) bool

	Store   string   // directory of runs; the run is made below
	Command []string // for run.json
	// Events is told of progress and of warnings, from one goroutine. May be nil.
	Events func(BenchEvent)
}

const (
	DefaultCount = 10
	// DefaultBenchtime is half of go test's: a benchmark takes 10 to 40
	// processes, and what differs between processes (layout of memory, the
	// schedule of threads) needs more of them rather than longer ones.
	DefaultBenchtime = 500 * time.Millisecond
	// DefaultPreCheck is the fewest pairs that can show anything: the two-sided
	// signed-rank p of six is 2/2⁶ = 0.03, of five 0.06.
	DefaultPreCheck    = 6
	DefaultProfileTime = 2 * time.Second // 200 samples of a busy core
	DefaultTimeout     = 10 * time.Minute
)

// A BenchTime is the value of -benchtime: a time, or a number of iterations.
type BenchTime struct {
	Duration   time.Duration
	Iterations int
}

// A BenchEvent is progress, or a warning.
type BenchEvent struct {
	Stage       string // "build", "list", "calibrate", "pre-check", "measure", "confirm", "profile"
	What        string // package or benchmark being worked on
	Done, Total int    // processes, as far as planned
	Left        time.Duration
	Warning     string        // if set, the rest is empty, but for
	Failure     *BenchFailure // what the warning is about
}

// A BenchFailure is a package or benchmark that could not be measured. It does
// not end the measurement of others.
type BenchFailure struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark,omitempty"` // "" if all of the package is concerned
	Side      string `json:"side,omitempty"`      // "base" or "head", with Against
	What      string `json:"what"`                // one line
	Output    string `json:"output,omitempty"`    // of the compiler or benchmark, its end
}

// A BenchReport is what came out, beside the run.
type BenchReport struct {
	ID, Dir  string // of the run; "" with some errors
	Failures []BenchFailure
	// Unchanged are packages with the same test binary on both sides, New and
	// Gone benchmarks that only one side has, all as PACKAGE or PACKAGE.NAME.
	Unchanged, New, Gone []string
	Family               *experiment.Family // nil without Against
	Changed              []BenchID          // benchmarks with a change in any unit
}

// A BenchID names a benchmark as experiment.Key does.
type BenchID struct{ Package, Benchmark string }

// ErrNoBenchmarks: nothing matched, or nothing of it could be measured.
var ErrNoBenchmarks = errors.New("no benchmarks to measure")

// bencher is the state of a measurement.
type bencher struct {
	*Bench
	scratch *scratch
	tool    goTool
	sides   [2]side // by experiment.Side; plain runs have the head only
	run     *experiment.Writer
	report  *BenchReport
	plan    plan
	rng     *rand.Rand

	block, order map[experiment.Phase]int // next of the schedule
	samples      int                      // appended to the run
	empty        bool                     // there was nothing to measure, and that is fine
}

// A side is one of the two states of the code.
type side struct {
	dir string   // where the go command runs
	env []string // for the go command, besides the environment of hone
}

// Measure measures the code as it is: every benchmark Count times, one process
// per sample, round by round so that a slow spell of the machine spreads over
// all. Profiles follow, each in a process of its own. The report is also
// returned with an error, when the run exists.
func (b *Bench) Measure(ctx context.Context) (*BenchReport, error) {
	m, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer m.scratch.close()
	targets, err := m.targets(ctx, experiment.Head)
	if err != nil {
		return m.report, err
	}
	if err := m.create(ctx, nil); err != nil {
		return m.report, err
	}
	count := b.Count
	if count == 0 {
		count = DefaultCount
	}
	return m.report, m.finish(ctx, func() error {
		m.plan.add(count, targets, b.Benchtime.cost())
		if len(b.Profiles) > 0 {
			m.plan.add(len(b.Profiles), targets, b.ProfileTime)
		}
		for range count {
			for _, t := range targets {
				if err := m.sample(ctx, t, experiment.Measure, experiment.Head, nil, m.Benchtime.flag()); err != nil {
					return err
				}
			}
		}
		for _, t := range targets {
			if err := m.profiles(ctx, t, experiment.Head); err != nil {
				return err
			}
		}
		return nil
	})
}

// begin fills in defaults, sweeps up after dead ones and looks for go.
func (b *Bench) begin(ctx context.Context) (*bencher, error) {
	if b.Benchtime == (BenchTime{}) {
		b.Benchtime.Duration = DefaultBenchtime
	}
	if b.Timeout == 0 {
		b.Timeout = DefaultTimeout
	}
	if b.ProfileTime == 0 {
		b.ProfileTime = DefaultProfileTime
	}
	if b.Pattern == "" {
		b.Pattern = "."
	}
	if err := checkPatterns(b.Pattern, b.Tests); err != nil {
		return nil, err
	}
	for _, kind := range b.Profiles {
		if _, ok := profileFlags[kind]; !ok {
			return nil, fmt.Errorf("profile kind %q: want one of %s", kind, strings.Join(ProfileKinds(), ", "))
		}
	}
	if err := checkPin(b.Pin); err != nil {
		return nil, err
	}
	dir := b.Dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	m := &bencher{Bench: b, report: new(BenchReport), rng: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
		block: make(map[experiment.Phase]int), order: make(map[experiment.Phase]int)}
	var err error
	if m.tool, err = findGo(ctx, dir); err != nil {
		return nil, err
	}
	if m.scratch, err = newScratch(os.TempDir()); err != nil {
		return nil, err
	}
	m.sides[experiment.Head] = side{dir: dir, env: m.tool.env}
	return m, nil
}

// create makes the run, once there is something to measure.
func (m *bencher) create(ctx context.Context, base *experiment.Revision) error {
	head := experiment.ReadRevision(ctx, m.sides[experiment.Head].dir)
	sweepStore(m.Store)
	if err := hideStore(m.Store); err != nil {
		return err
	}
	env := experiment.ReadEnvironment(m.tool.version)
	var err error
	m.run, err = experiment.Create(m.Store, experiment.Info{Command: m.Command, Environment: env, Head: head, Base: base})
	if err != nil {
		return err
	}
	m.report.ID, m.report.Dir = m.run.ID(), m.run.Dir()
	for _, w := range append(env.Warnings(), powerWarnings("/sys/class/power_supply")...) {
		if err := m.warn(w); err != nil {
			return err
		}
	}
	for _, f := range m.report.Failures {
		if err := m.run.Warn(f.line()); err != nil {
			return err
		}
	}
	return nil
}

// finish runs the measurement and closes the run, or leaves it partial.
func (m *bencher) finish(ctx context.Context, measure func() error) error {
	before := readDisturbance()
	err := measure()
	if err == nil {
		for _, w := range before.warnings() {
			err = errors.Join(err, m.warn(w))
		}
	}
	if err == nil && m.samples == 0 && !m.empty {
		err = fmt.Errorf("%w: %s", ErrNoBenchmarks, m.report.Failures[0].line())
	}
	if err == nil {
		err = m.run.Close()
	}
	if err == nil {
		return nil
	}
	why := "not finished: " + err.Error()
	if ctx.Err() != nil {
		why = "interrupted while measuring"
	}
	if m.run.Abandon(why) != nil {
		// A full disk: the run stays partial without the note.
		return fmt.Errorf("%w (run %s is incomplete)", err, m.report.ID)
	}
	return err
}

func (m *bencher) warn(text string) error {
	m.event(BenchEvent{Warning: text})
	return m.run.Warn(text)
}

func (m *bencher) fail(f BenchFailure) error {
	m.report.Failures = append(m.report.Failures, f)
	m.event(BenchEvent{Warning: f.line(), Failure: &f})
	if m.run == nil {
		return nil // create writes it
	}
	return m.run.Warn(f.line())
}

func (f *BenchFailure) line() string {
	name := f.Package
	if f.Benchmark != "" {
		name += ".Benchmark" + f.Benchmark
	}
	if f.Side != "" {
		name += " (" + f.Side + ")"
	}
	return name + ": " + f.What
}

func (m *bencher) event(e BenchEvent) {
	if m.Events != nil {
		m.Events(e)
	}
}

// sideName is what failures call a side: "" if there is only one.
func (m *bencher) sideName(s experiment.Side) string {
	if m.sides[experiment.Base].dir == "" {
		return ""
	}
	return s.String()
}
