package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// A Bench measures the benchmarks of Go packages into a run: files by subject
// are bench_list.go (packages and names), bench_build.go (test binaries),
// bench_process.go (one process), bench_output.go (what it prints),
// bench_sample.go (samples), bench_forecast.go (time left), bench_budget.go (time
// to spend), bench_wait.go (for others to end), bench_profile.go, bench_against.go
// (the two sides of a comparison), bench_compare.go (its course), bench_tests.go
// and bench_testdata.go (that both sides run the same benchmark), bench_code.go
// (what can't have changed), bench_tree.go (the files of a revision) and
// bench_scratch.go (how nothing is left behind).
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
	// Count is the number of samples, of each side with Against. 0 is
	// DefaultCount, and with Against the looks of experiment.DefaultLooks.
	Count int
	// For is how long Against may take once all is built; 0: as long as it takes. It
	// takes the place of Count.
	For time.Duration
	// Wait is how long it may wait, in all, while others leave no core to measure on;
	// below 0 not at all, 0 is DefaultWait. Linux only.
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
	// MeasureUnchanged has Against measure benchmarks of which it knows that
	// nothing changed, though only as they are now: bounds need numbers.
	MeasureUnchanged bool

	// PeakRSS has samples tell the peak memory of their process, too, in the unit
	// experiment.PeakRSS, where the system knows it.
	PeakRSS bool

	// Budget is experiment.Options.Budget, and Gated likewise; may be nil.
	Budget func(experiment.Key) float64
	Gated  func(unit string) bool

	Store   string   // directory of runs; the run is made below
	Command []string // for run.json
	// Events is told of progress and of warnings, from one goroutine. May be nil.
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
type Length struct {
	Duration   time.Duration
	Iterations int
}

// An Event is progress, or a warning.
type Event struct {
	Stage       string // "build", "list", "calibrate", "link", "pre-check", "measure", "wait", "confirm", "profile"
	What        string // package or benchmark being worked on, or what is waited for
	Done, Total int    // processes, as far as planned
	Left        time.Duration
	// Expected is how long all that follows will take. It comes once, as soon as that is
	// known, with nothing else.
	Expected time.Duration
	// IfChanged is the same if everything that is compared has changed, which then is
	// confirmed and profiled.
	IfChanged time.Duration
	Warning   string   // if set, the rest is empty, but for
	Failure   *Failure // what the warning is about
}

// A Failure is a package or benchmark that could not be measured. It does
// not end the measurement of others.
type Failure struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark,omitempty"` // "" if all of the package is concerned
	Side      string `json:"side,omitempty"`      // "base" or "head", with Against
	What      string `json:"what"`                // one line
	Output    string `json:"output,omitempty"`    // of the compiler or benchmark, its end
}

// A Skip is a benchmark, or sub-benchmark, that skips itself.
type Skip struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
	Side      string `json:"side,omitempty"` // "base" or "head", with Against, where not both do
	Why       string `json:"why,omitempty"`  // what it says, its first line
}

// A Report is what came out, beside the run.
type Report struct {
	ID, Dir  string // of the run; "" with some errors
	Failures []Failure
	Skipped  []Skip
	// Unchanged are packages with the same test binary on both sides, New and
	// Gone benchmarks that only one side has, all as PACKAGE or PACKAGE.NAME.
	Unchanged, New, Gone []string
	Missing              []experiment.Gap // Gone, and what only the head skips
	SameCode             []ID             // that run nothing that changed
	// Tests says of packages whose tests differ whose were run, Base against what.
	Tests []experiment.TestOrigin
	Base  *experiment.Revision
	// NotBenchmarked are changed functions that none of the benchmarks runs.
	NotBenchmarked []string
	Family         *experiment.Family // nil without Against
	Changed        []ID               // benchmarks with a change in any unit
	Timing         *experiment.Timing // nil if it ended before that was known
	Warnings       []string           // told as events, and kept in the run

	otherChanges bool // beside NotBenchmarked
}

// An ID names a benchmark as experiment.Key does.
type ID struct{ Package, Benchmark string }

// ErrNoBenchmarks: nothing matched, or nothing of it could be measured.
var ErrNoBenchmarks = errors.New("no benchmarks to measure")

// bencher is the state of a measurement.
type bencher struct {
	*Bench
	*workspace.Workspace
	notBuilt []string // what excludedBenchmarks says of the head's packages
	run      *experiment.Writer
	report   *Report
	forecast forecast
	budget   budget
	waiter   waiter
	turns    *experiment.Turns

	layouts map[*benchPackage]*layouts // by the head's package

	ref      string               // what the base is called
	held     *held                // gets failures and skips of an attempt; nil: the report does
	overlays [2]map[string]string // of the user's flags: what stands for which file
	lent     [2]map[string]string // overlays: the tests that a side borrows from the other
	toBuild  int                  // packages

	samples int  // appended to the run
	empty   bool // there was nothing to measure, and that is fine
}

// Measure measures the code as it is: every benchmark Count times, one process
// per sample, round by round so that a slow spell of the machine spreads over
// all. Profiles follow, each in a process of its own; of a single round, those of each
// benchmark right after its sample. The report is also
// returned with an error, when the run exists.
func (b *Bench) Measure(ctx context.Context) (*Report, error) {
	m, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer m.Close()
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
		for _, t := range targets {
			m.forecast.will(sampleOf(t), count, b.Benchtime.cost())
		}
		m.expectProfiles(targets, 1)
		if count == 1 && b.Benchtime.Iterations == 0 { // else what it takes is known behind the round only
			return m.measureOnce(ctx, targets)
		}
		for round := range count {
			for _, t := range targets {
				if err := m.sample(ctx, t, nil); err != nil {
					return err
				}
			}
			if round > 0 {
				continue
			}
			if err := m.announce(nil); err != nil { // now that every benchmark has told what it takes
				return err
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

// measureOnce measures each benchmark once and profiles it at once, as who asks for one
// sample is after the profiles: interrupted, there are those of all that was measured.
func (m *bencher) measureOnce(ctx context.Context, targets []*target) error {
	if err := m.announce(nil); err != nil {
		return err
	}
	for _, t := range targets {
		if err := m.sample(ctx, t, nil); err != nil {
			return err
		}
		if err := m.profiles(ctx, t, experiment.Head); err != nil {
			return err
		}
	}
	return nil
}

// begin fills in defaults, sweeps up after dead ones and looks for go.
func (b *Bench) begin(ctx context.Context) (*bencher, error) {
	if b.Benchtime == (Length{}) {
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
	if err := workspace.CheckPin(b.Pin); err != nil {
		return nil, err
	}
	w, err := workspace.Open(ctx, b.Dir)
	if err != nil {
		return nil, err
	}
	if slices.Contains(b.Profiles, leakKind) {
		if err := checkLeakProfile(w.Tool.Version, os.Getenv); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	turns := experiment.NewTurns(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())))
	return &bencher{Bench: b, Workspace: w, report: new(Report), turns: turns, waiter: newWaiter(b.Wait)}, nil
}

// create makes the run, once there is something to measure.
func (m *bencher) create(ctx context.Context, base *experiment.Revision) error {
	head := experiment.ReadRevision(ctx, m.Sides[experiment.Head].Dir)
	if head.Commit != "" && !head.Dirty {
		var err error
		if head.Dirty, err = m.buildsUntracked(ctx); err != nil {
			return err
		}
	}
	if err := HideStore(m.Store); err != nil {
		return err
	}
	env := experiment.ReadEnvironment(m.Tool.Version)
	var err error
	info := experiment.Info{Command: m.Command, Environment: env, Head: head, Base: base}
	if base != nil {
		info.Looks = m.looks()
	}
	m.report.tellCode(&info)
	for _, s := range m.report.Skipped {
		if s.Side == experiment.Head.String() {
			m.report.Missing = append(m.report.Missing, experiment.Gap{Package: s.Package, Benchmark: s.Benchmark, Why: s.what()})
		}
	}
	info.Missing = m.report.Missing
	for _, f := range m.report.Failures {
		info.Failures = append(info.Failures, f.kept())
	}
	m.run, err = experiment.Create(m.Store, info)
	if err != nil {
		return err
	}
	m.report.ID, m.report.Dir = m.run.ID(), m.run.Dir()
	for _, w := range append(env.Warnings(), workspace.PowerWarnings("/sys/class/power_supply")...) {
		if err := m.warn(w); err != nil {
			return err
		}
	}
	for _, f := range m.report.Failures {
		if err := m.run.Warn(f.line()); err != nil {
			return err
		}
	}
	for _, s := range m.report.Skipped {
		m.event(Event{Warning: s.line()})
		if err := m.run.Note(s.line()); err != nil {
			return err
		}
	}
	return nil
}

// finish runs the measurement and closes the run, or leaves it partial.
func (m *bencher) finish(ctx context.Context, measure func() error) error {
	before := workspace.ReadDisturbance()
	err := measure()
	if err == nil {
		err = m.noteWaiting()
		for _, w := range before.Warnings(workspace.ReadDisturbance()) {
			err = errors.Join(err, m.warn(w))
		}
		if !m.forecast.stated.IsZero() {
			timing := m.timing()
			m.report.Timing = &timing
			err = errors.Join(err, m.run.Time(timing))
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
	m.event(Event{Warning: text})
	m.report.Warnings = append(m.report.Warnings, text)
	return m.run.Warn(text)
}

func (m *bencher) fail(f Failure) error {
	if m.held != nil {
		m.held.failures = append(m.held.failures, f)
		return nil
	}
	m.report.Failures = append(m.report.Failures, f)
	m.event(Event{Warning: f.line(), Failure: &f})
	if m.run == nil {
		return nil // create writes it
	}
	if err := m.run.Fail(f.kept()); err != nil {
		return err
	}
	return m.run.Warn(f.line())
}

func (f *Failure) kept() experiment.Failure {
	return experiment.Failure{Gap: experiment.Gap{Package: f.Package, Benchmark: f.Benchmark, Why: f.What}, Side: f.Side}
}

// skip notes a benchmark that skips itself, once: with each CPU count it does so
// again.
func (m *bencher) skip(s Skip) {
	if m.held != nil {
		m.held.skips = append(m.held.skips, s)
		return
	}
	for i, other := range m.report.Skipped {
		if other.Package != s.Package || other.Benchmark != s.Benchmark {
			continue
		}
		if other.Side != s.Side {
			m.report.Skipped[i].Side = "" // on both
		}
		return
	}
	m.report.Skipped = append(m.report.Skipped, s)
}

func (f *Failure) line() string { return benchLine(f.Package, f.Benchmark, f.Side, f.What) }

func (s *Skip) line() string { return benchLine(s.Package, s.Benchmark, s.Side, s.what()) }

func (s *Skip) what() string {
	if s.Why == "" {
		return "is skipped"
	}
	return "is skipped: " + s.Why
}

func benchLine(pkg, benchmark, side, what string) string {
	name := pkg
	if benchmark != "" {
		name += ".Benchmark" + benchmark
	}
	if side != "" {
		name += " (" + side + ")"
	}
	return name + ": " + what
}

func (m *bencher) event(e Event) {
	if m.Events != nil {
		m.Events(e)
	}
}

// sideName is what failures call a side: "" if there is only one.
func (m *bencher) sideName(s experiment.Side) string {
	if !m.Compared() {
		return ""
	}
	return s.String()
}
