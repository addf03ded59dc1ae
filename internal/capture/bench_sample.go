package capture

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
)

// flag is the value of -test.benchtime.
func (t BenchTime) flag() string {
	if t.Iterations > 0 {
		return strconv.Itoa(t.Iterations) + "x"
	}
	return t.Duration.String()
}

// cost is a first guess of how long a process takes.
func (t BenchTime) cost() time.Duration {
	return t.Duration*14/10 + 50*time.Millisecond // testing approaches the time in steps
}

// sample runs one process and appends its result. A benchmark that fails is not
// measured again. With a slot, side says only which file is written; the slot
// of an A/A pair has both sides run the base.
func (m *bencher) sample(ctx context.Context, t *target, phase experiment.Phase, s experiment.Side, slot *experiment.Slot, length BenchTime) error {
	layout := 0
	if slot != nil {
		layout = t.nextLayout(phase)
	} else if err := m.waitFor(ctx); err != nil {
		return err
	}
	m.tell(stageNames[phase], t)
	out, err := m.measure(ctx, t, s, layout, length)
	if err != nil || out == nil {
		m.forecast.done(sampleOf(t), 0)
		return err
	}
	m.forecast.done(sampleOf(t), out.took)
	m.waiter.crowded = out.beside.Crowded()
	as := s
	if slot != nil {
		as, slot.Layout, slot.Beside = slot.Side, out.layout, out.beside
	}
	m.samples++
	return m.run.Append(phase, as, slot, out.records...)
}

// A measured is what a process printed, and what else is known of it.
type measured struct {
	records []benchfmt.Record
	layout  int
	beside  experiment.Beside
	took    time.Duration
}

// measure runs a benchmark in a process of its own. nil: it failed.
func (m *bencher) measure(ctx context.Context, t *target, s experiment.Side, layout int, length BenchTime) (*measured, error) {
	if t.failed {
		return nil, nil
	}
	binary, layout, err := m.binary(ctx, t, s, layout)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	o, err := m.runFile(ctx, t.at[s], binary, t.flags("", []string{"-test.benchtime=" + length.flag(), "-test.benchmem"})...)
	if err != nil {
		return nil, err
	}
	took := time.Since(begin)
	records, result, noise := readResult(o.stdout, t.Package, t.Benchmark)
	if o.err != nil || result == nil {
		t.failed = true
		m.forecast.drop(t)
		return nil, m.failed(t, s, o)
	}
	if noise && !t.noisy {
		t.noisy = true
		if err := m.warn(t.Package + ".Benchmark" + t.Benchmark + " prints to standard output: printing is part of what is measured"); err != nil {
			return nil, err
		}
	}
	t.learn(s, result, o.wall)
	if o.peak > 0 {
		result.Values = append(result.Values, benchfmt.Value{Value: float64(o.peak), Unit: experiment.PeakRSS})
	}
	if n := result.Iters - setupIterations; t.setup[s] > 0 && n > 0 && o.cpu > t.setup[s] {
		result.Values = append(result.Values, benchfmt.Value{Value: float64(o.cpu-t.setup[s]) / float64(n), Unit: experiment.CPUTime})
	}
	return &measured{records, layout, o.beside, took}, nil
}

// tell says what begins, and how long is left with it.
func (m *bencher) tell(stage string, t *target) {
	m.event(BenchEvent{Stage: stage, What: t.Benchmark, Done: m.forecast.finished, Total: m.forecast.total(), Left: m.left()})
}

// setupIterations is how many iterations the processes have that tell what there is
// besides. Package testing runs a benchmark once, and then as often as it is told, or,
// where it loops by itself, that often only. It does so likewise in a sample, so that
// what a sample takes more is of so many iterations more. With 1 it would not.
const setupIterations = 2

// measureSetup learns what time and CPU time a benchmark's process takes besides its
// iterations.
// Where peak memory is told, CPU time isn't: see startLocked.
func (m *bencher) measureSetup(ctx context.Context, t *target, s experiment.Side) error {
	if m.PeakRSS {
		return nil
	}
	var took, wall []time.Duration
	for range 3 {
		o, err := m.runTarget(ctx, t, s, fmt.Sprintf("-test.benchtime=%dx", setupIterations), "-test.benchmem")
		if err != nil || o.err != nil {
			return err // without it there is one clock only
		}
		if took, wall = append(took, o.cpu), append(wall, o.wall); o.wall > time.Second {
			break // so much hardly differs from one to the next
		}
	}
	slices.Sort(took)
	slices.Sort(wall)
	t.setup[s], t.overhead = took[len(took)/2], max(t.overhead, wall[len(wall)/2])
	return nil
}

var stageNames = map[experiment.Phase]string{experiment.Measure: "measure", experiment.PreCheck: "pre-check", experiment.Repeat: "confirm"}

func (m *bencher) failed(t *target, s experiment.Side, o *processOutcome) error {
	what := firstComplaint(o)
	if o.err != nil && o.wall >= m.Timeout {
		what = o.err.Error()
	}
	return m.fail(BenchFailure{t.Package, t.Benchmark, m.sideName(s), what, output(o)})
}

func (m *bencher) runTarget(ctx context.Context, t *target, s experiment.Side, flags ...string) (*processOutcome, error) {
	return m.runBinary(ctx, t.at[s], t.flags("", flags)...)
}

// flags are those that have a test binary run the benchmark, and what else
// matches a pattern unless that is "".
func (t *target) flags(also string, more []string) []string {
	pattern := exactPattern("Benchmark" + t.function)
	if also != "" {
		pattern += "|" + also
	}
	return append([]string{"-test.run=^$", "-test.bench=" + pattern, fmt.Sprintf("-test.cpu=%d", t.cpu)}, more...)
}

// learn remembers what an iteration costs, to choose numbers of iterations.
func (t *target) learn(s experiment.Side, r *benchfmt.Result, wall time.Duration) {
	ns, ok := valueOf(r, "ns/op")
	if !ok || ns <= 0 {
		ns = float64(wall) / float64(max(1, r.Iters)) // the benchmark reports another unit instead
	}
	t.nanos[s] = ns
	t.bytes[s], _ = valueOf(r, "B/op")
}
