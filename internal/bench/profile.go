package bench

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/trace"
	"github.com/hone-go/hone/internal/workspace"
	"github.com/hone-go/hone/profile"
)

// profileFlags are the flags of test binaries by kind; FILE and RATE are
// replaced. Contention is recorded whole, since a benchmark's own process has
// nobody else to disturb.
var profileFlags = map[string][]string{
	"cpu":   {"-test.cpuprofile=FILE"},
	"mem":   {"-test.memprofile=FILE", "-test.memprofilerate=RATE"},
	"mutex": {"-test.mutexprofile=FILE", "-test.mutexprofilefraction=1"},
	"block": {"-test.blockprofile=FILE", "-test.blockprofilerate=1"},
	"trace": {"-test.trace=FILE"},
	// A trace tells how long what was waited for, and CPU samples beside it what
	// was done meanwhile: see package trace.
	"wall": {"-test.trace=FILE", "-test.cpuprofile=FILE.cpu"},
	// A binary of its own writes it: see leakOverlay.
	leakKind: nil,
}

// ProfileKinds are the kinds of profiles that a Bench collects.
func ProfileKinds() []string {
	return []string{"cpu", "mem", "mutex", "block", leakKind, "wall", "trace"}
}

// profileFile is where test binaries write profiles.
func (m *bencher) profileFile() string { return filepath.Join(m.Scratch.Path, "profile") }

const (
	// memSamples is how many allocations a memory profile of the usual time should
	// have sampled: ten thousand give a function with 1 % of the bytes to 10 %, and
	// take a blink. Rate 1, every allocation, where there are no more than that.
	memSamples = 10_000
	maxMemRate = 512 << 10 // the runtime's own

	// An execution trace of longer than this nobody reads, and it is large.
	traceTime = 200 * time.Millisecond
	// A benchmark that does nothing but hand values around writes 30 MB a second.
	wallTime = time.Second
)

// profiles collects the profiles of a benchmark, each kind in a process of its
// own: kinds disturb each other, and all of them the numbers.
func (m *bencher) profiles(ctx context.Context, t *target, s experiment.Side) error {
	for _, kind := range m.Profiles {
		of := step{what: kind, target: t}
		if t.failed {
			m.forecast.done(of, 0)
			continue
		}
		m.tell("profile", t)
		begin := time.Now()
		if err := m.profileOne(ctx, t, s, kind); err != nil {
			return err
		}
		m.forecast.done(of, time.Since(begin))
	}
	return nil
}

// profileLength is how long a profile of a kind is.
func (m *bencher) profileLength(kind string) time.Duration {
	switch kind {
	case "trace":
		return traceTime
	case "wall":
		return min(m.ProfileTime, wallTime)
	}
	return m.ProfileTime
}

func (m *bencher) profileOne(ctx context.Context, t *target, s experiment.Side, kind string) error {
	length := m.profileLength(kind)
	n := t.iterationsFor(s, length, m.Benchtime)
	rate := 1
	if per := t.bytes[s]; per > 0 {
		// Who asks for more time gets more samples.
		usual := t.iterationsFor(s, min(length, DefaultProfileTime), m.Benchtime)
		rate = int(min(maxMemRate, max(1, per*float64(usual)/memSamples)))
	}
	file := m.profileFile()
	defer os.Remove(file)
	flags := []string{"-test.benchtime=" + strconv.Itoa(n) + "x"}
	for _, f := range profileFlags[kind] {
		flags = append(flags, strings.NewReplacer("FILE", file, "RATE", strconv.Itoa(rate)).Replace(f))
	}
	var o *workspace.Outcome
	var err error
	if kind == leakKind {
		o, err = m.runFile(ctx, t.at[s], t.at[s].leaks, t.flags("^"+leakBenchmark+"$", flags)...)
	} else {
		o, err = m.runTarget(ctx, t, s, flags...)
	}
	if err != nil {
		return err
	}
	defer os.Remove(file + ".cpu")
	in, openErr := os.Open(file)
	if o.Err != nil || openErr != nil {
		if openErr == nil {
			in.Close()
		}
		return m.fail(Failure{t.Package, t.Benchmark, m.sideName(s), "no " + kind + " profile: " + firstComplaint(o), output(o)})
	}
	defer in.Close()
	if kind == "trace" {
		return m.run.AddProfile(t.Package, t.Benchmark, s, kind, in)
	}
	ran := n
	if _, result, _ := readResult(o.Stdout, t.Package, t.Benchmark, t.printed); result != nil {
		ran = result.Iters
	}
	var p *profile.Profile
	if kind == "wall" {
		// The test's main goroutine waits for the benchmark from its start to its end.
		p, _, err = trace.Wall(in, trace.Options{Skip: func(entry string) bool { return entry == "runtime.main" || entry == "main.main" }})
	} else {
		p, err = profile.Decode(in, profile.DefaultLimits())
	}
	if err != nil {
		return m.fail(Failure{t.Package, t.Benchmark, m.sideName(s), kind + " profile: " + err.Error(), ""})
	}
	var out bytes.Buffer
	if err := capture.WithIterations(p, ran).Encode(&out); err != nil {
		return err
	}
	return m.run.AddProfile(t.Package, t.Benchmark, s, kind, &out)
}

// iterationsFor is how many iterations take a time. A number of iterations
// that the user asked for stays: the benchmark may be written for it.
func (t *target) iterationsFor(s experiment.Side, d time.Duration, asked Length) int {
	if asked.Iterations > 0 {
		return asked.Iterations
	}
	return iterations(d, t.nanos[s])
}

func iterations(d time.Duration, nanos float64) int {
	if nanos <= 0 {
		return 1
	}
	return int(min(1e9, max(1, math.Round(float64(d)/nanos))))
}
