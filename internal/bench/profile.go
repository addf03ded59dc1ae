package bench

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/bench/schedule"
	"github.com/hone-go/hone/internal/capture"
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

const (
	// memSamples is how many allocations a memory profile of the usual time should
	// have sampled: ten thousand give a function with 1 % of the bytes to 10 %, and
	// take a blink. Rate 1, every allocation, where there are no more than that.
	memSamples = 10_000
	maxMemRate = 512 << 10 // the runtime's own
)

// A profiler takes profiles, and puts them into the run.
type profiler struct {
	runner
	*record
}

// profile takes a profile of one kind, in a process of its own.
func (p *profiler) profile(ctx context.Context, t *target, step schedule.Profile) error {
	s, kind := step.Side, step.Kind
	n := p.iterationsFor(step.Costs.Nanos[s], step.Length)
	rate := 1
	if per := step.Costs.Bytes[s]; per > 0 {
		// Who asks for more time gets more samples.
		usual := p.iterationsFor(step.Costs.Nanos[s], min(step.Length, DefaultProfileTime))
		rate = int(min(maxMemRate, max(1, per*float64(usual)/memSamples)))
	}
	file := p.profileFile()
	defer os.Remove(file)
	flags := []string{"-test.benchtime=" + strconv.Itoa(n) + "x"}
	for _, f := range profileFlags[kind] {
		flags = append(flags, strings.NewReplacer("FILE", file, "RATE", strconv.Itoa(rate)).Replace(f))
	}
	var o *workspace.Outcome
	var err error
	if kind == leakKind {
		o, err = p.runFile(ctx, t.at[s], t.at[s].leaks, t.flags("^"+leakBenchmark+"$", flags)...)
	} else {
		o, err = p.runBinary(ctx, t.at[s], t.flags("", flags)...)
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
		return p.fail(Failure{t.Package, t.Benchmark, p.sideName(s), "no " + kind + " profile: " + firstComplaint(o), output(o)})
	}
	defer in.Close()
	if kind == "trace" {
		return p.run.AddProfile(t.Package, t.Benchmark, s, kind, in)
	}
	ran := n
	if _, result, _ := readResult(o.Stdout, t.Package, t.Benchmark, t.printed); result != nil {
		ran = result.Iters
	}
	var taken *profile.Profile
	if kind == "wall" {
		// The test's main goroutine waits for the benchmark from its start to its end.
		taken, _, err = trace.Wall(in, trace.Options{Skip: func(entry string) bool { return entry == "runtime.main" || entry == "main.main" }})
	} else {
		taken, err = profile.Decode(in, profile.DefaultLimits())
	}
	if err != nil {
		return p.fail(Failure{t.Package, t.Benchmark, p.sideName(s), kind + " profile: " + err.Error(), ""})
	}
	var out bytes.Buffer
	if err := capture.WithIterations(taken, ran).Encode(&out); err != nil {
		return err
	}
	return p.run.AddProfile(t.Package, t.Benchmark, s, kind, &out)
}

// iterationsFor is how many iterations take a time. A number of iterations
// that the user asked for stays: the benchmark may be written for it.
func (p *profiler) iterationsFor(nanos float64, d time.Duration) int {
	if p.Benchtime.Iterations > 0 {
		return p.Benchtime.Iterations
	}
	return schedule.Iterations(d, nanos)
}
