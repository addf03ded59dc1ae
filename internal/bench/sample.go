package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// flag is the value of -test.benchtime.
func (t Length) flag() string {
	if t.Iterations > 0 {
		return strconv.Itoa(t.Iterations) + "x"
	}
	return t.Duration.String()
}

// cost is a first guess of how long a process takes.
func (t Length) cost() time.Duration {
	return t.Duration*14/10 + 50*time.Millisecond // testing approaches the time in steps
}

// What a process takes for an iteration differs from one process to the next by far more
// than within one: where its memory lies, who else is on the core and its caches while it
// runs. So a sample of a comparison is the sum of several short processes, in turns with
// those of the other samples of its block. On a machine with neighbours, five processes
// of 100 ms in the place of one of 500 ms halve the standard error, for which one would
// else need four times the time; shorter ones gain nothing more, since threads start and
// caches fill for some milliseconds. bench/truth -lengths measures it.
const (
	partLength = 100 * time.Millisecond
	// A process takes at least so many times as long as what it takes besides its
	// iterations.
	partOverhead = 4
)

// parts is the number of processes that a sample of a length is taken in.
func (t *target) parts(length Length) int {
	if length.Iterations == 0 || t.oneProcess {
		return 1
	}
	mean := math.Sqrt(t.nanos[experiment.Base] * t.nanos[experiment.Head])
	whole := time.Duration(float64(length.Iterations) * mean)
	return max(1, min(int((whole+partLength/2)/max(partLength, partOverhead*t.overhead)), length.Iterations))
}

// block measures the samples of a block, part by part, and appends them.
func (m *bencher) block(ctx context.Context, t *target, phase experiment.Phase, slots []experiment.Slot) error {
	layouts, samples := make([]int, len(slots)), make([][]*measured, len(slots))
	for i := range slots {
		layouts[i] = t.nextLayout(phase)
	}
	parts := t.parts(t.samples)
	for part := range parts {
		length := t.samples
		length.Iterations = length.Iterations*(part+1)/parts - length.Iterations*part/parts
		for i := range slots {
			m.tell(stageNames[phase], t)
			out, err := m.measure(ctx, t, slots[i].Runs(phase), layouts[i], length)
			if err != nil {
				return err
			}
			if out == nil {
				m.leaveOut(t, len(slots))
				return nil
			}
			samples[i] = append(samples[i], out)
		}
	}
	for i := range slots {
		if err := m.keep(t, phase, slots[i].Side, &slots[i], sum(samples[i])); err != nil {
			return err
		}
	}
	return nil
}

// sample measures, in one process, something of one side that there is nothing to compare
// with, and appends it. A benchmark that fails is not measured again.
func (m *bencher) sample(ctx context.Context, t *target, slot *experiment.Slot) error {
	layout := 0
	if slot != nil {
		layout = t.nextLayout(experiment.Measure)
	} else if err := m.waitFor(ctx); err != nil {
		return err
	}
	m.tell(stageNames[experiment.Measure], t)
	out, err := m.measure(ctx, t, experiment.Head, layout, m.Benchtime)
	if err != nil || out == nil {
		m.leaveOut(t, 1)
		return err
	}
	return m.keep(t, experiment.Measure, experiment.Head, slot, out)
}

// keep appends a sample.
func (m *bencher) keep(t *target, phase experiment.Phase, as experiment.Side, slot *experiment.Slot, out *measured) error {
	m.forecast.done(sampleOf(t), out.took)
	m.waiter.crowded = out.beside.Crowded()
	if slot != nil {
		slot.Layout, slot.Beside = out.layout, out.beside
	}
	m.samples++
	return m.run.Append(phase, as, slot, out.records...)
}

// leaveOut tells the forecast of samples that don't come.
func (m *bencher) leaveOut(t *target, n int) {
	for range n {
		m.forecast.done(sampleOf(t), 0)
	}
}

// A measured is what a process printed, and what else is known of it.
type measured struct {
	records []benchfmt.Record
	result  *benchfmt.Result // among records
	layout  int
	beside  experiment.Beside
	took    time.Duration
}

// measure runs a benchmark in a process of its own. nil: it failed.
func (m *bencher) measure(ctx context.Context, t *target, s experiment.Side, layout int, length Length) (*measured, error) {
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
	records, result, noise := readResult(o.Stdout, t.Package, t.Benchmark, t.printed)
	if o.Err != nil || result == nil {
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
	t.learn(s, result, o.Wall)
	if o.Peak > 0 {
		result.Values = append(result.Values, benchfmt.Value{Value: float64(o.Peak), Unit: experiment.PeakRSS})
	}
	if n := result.Iters - setupIterations; t.setup[s] > 0 && n > 0 && o.CPU > t.setup[s] {
		result.Values = append(result.Values, benchfmt.Value{Value: float64(o.CPU-t.setup[s]) / float64(n), Unit: experiment.CPUTime})
	}
	return &measured{records, result, layout, o.Beside, took}, nil
}

// tell says what begins, and how long is left with it.
func (m *bencher) tell(stage string, t *target) {
	m.event(Event{Stage: stage, What: t.Benchmark, Done: m.forecast.finished, Total: m.forecast.total(), Left: m.left()})
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
		if err != nil || o.Err != nil {
			return err // without it there is one clock only
		}
		if took, wall = append(took, o.CPU), append(wall, o.Wall); o.Wall > time.Second {
			break // so much hardly differs from one to the next
		}
	}
	slices.Sort(took)
	slices.Sort(wall)
	t.setup[s], t.overhead = took[len(took)/2], max(t.overhead, wall[len(wall)/2])
	return nil
}

// leaveSetup leaves CPU time out where a process does less for its iterations than besides
// them: what it takes besides differs from one process to the next, by as much as those take.
func (t *target) leaveSetup() {
	n := t.samples.Iterations/t.parts(t.samples) - setupIterations
	for s, setup := range t.setup {
		besides := float64(setup) - (setupIterations+1)*t.nanos[s]
		if float64(n)*t.nanos[s] < besides {
			t.setup = [2]time.Duration{}
			return
		}
	}
}

var stageNames = map[experiment.Phase]string{experiment.Measure: "measure", experiment.PreCheck: "pre-check", experiment.Repeat: "confirm"}

func (m *bencher) failed(t *target, s experiment.Side, o *workspace.Outcome) error {
	what := firstComplaint(o)
	if o.Err != nil && o.Wall >= m.Timeout {
		what = o.Err.Error()
	}
	return m.fail(Failure{t.Package, t.Benchmark, m.sideName(s), what, output(o)})
}

func (m *bencher) runTarget(ctx context.Context, t *target, s experiment.Side, flags ...string) (*workspace.Outcome, error) {
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
