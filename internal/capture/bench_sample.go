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
	}
	out, err := m.measure(ctx, t, phase, s, layout, length)
	if err != nil || out == nil {
		return err
	}
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
}

// measure runs a benchmark in a process of its own. nil: it failed.
func (m *bencher) measure(ctx context.Context, t *target, phase experiment.Phase, s experiment.Side, layout int, length BenchTime) (*measured, error) {
	m.plan.start(m, stageNames[phase], t)
	if t.failed {
		m.plan.done(t, 0)
		return nil, nil
	}
	begin := time.Now()
	binary, layout, err := m.binary(ctx, t, s, layout)
	if err != nil {
		return nil, err
	}
	o, err := m.runFile(ctx, t.at[s], binary, t.flags("", []string{"-test.benchtime=" + length.flag(), "-test.benchmem"})...)
	if err != nil {
		return nil, err
	}
	m.plan.done(t, time.Since(begin))
	records, result, noise := readResult(o.stdout, t.Package, t.Benchmark)
	if o.err != nil || result == nil {
		t.failed = true
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
	return &measured{records, layout, o.beside}, nil
}

// setupIterations is how many iterations the processes have that tell what there is
// besides. Package testing runs a benchmark once, and then as often as it is told, or,
// where it loops by itself, that often only. It does so likewise in a sample, so that
// what a sample takes more is of so many iterations more. With 1 it would not.
const setupIterations = 2

// measureSetup learns what CPU time a benchmark's process takes besides its iterations.
// Where peak memory is told, CPU time isn't: see startLocked.
func (m *bencher) measureSetup(ctx context.Context, t *target, s experiment.Side) error {
	if m.PeakRSS {
		return nil
	}
	var took []time.Duration
	for range 3 {
		o, err := m.runTarget(ctx, t, s, fmt.Sprintf("-test.benchtime=%dx", setupIterations), "-test.benchmem")
		if err != nil || o.err != nil {
			return err // without it there is one clock only
		}
		if took = append(took, o.cpu); o.wall > time.Second {
			break // so much hardly differs from one to the next
		}
	}
	slices.Sort(took)
	t.setup[s] = took[len(took)/2]
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

// A plan knows what is still to do and how long it takes.
type plan struct {
	finished, total int
	left            time.Duration
	costs           map[*target]time.Duration // of the step planned last, corrected by what it took
	steps           map[*target]int
}

// add plans n processes of each target.
func (p *plan) add(n int, targets []*target, cost time.Duration) {
	if p.costs == nil {
		p.costs, p.steps = make(map[*target]time.Duration), make(map[*target]int)
	}
	for _, t := range targets {
		p.total += n
		p.left += time.Duration(n) * cost
		p.costs[t] = (p.costs[t]*time.Duration(p.steps[t]) + cost*time.Duration(n)) / time.Duration(max(1, p.steps[t]+n))
		p.steps[t] += n
	}
}

// start tells of a step that begins.
func (p *plan) start(m *bencher, stage string, t *target) {
	m.event(BenchEvent{Stage: stage, What: t.Benchmark, Done: p.finished, Total: p.total, Left: max(0, p.left)})
}

// done corrects what is left by how long a step really took.
func (p *plan) done(t *target, took time.Duration) {
	p.finished++
	n := p.steps[t]
	if n == 0 {
		return
	}
	cost := p.costs[t]
	p.left -= cost
	p.steps[t] = n - 1
	if took > 0 && n > 1 {
		// Half of the way to the truth each time: steps of a target differ.
		better := (cost + took) / 2
		p.left += time.Duration(n-1) * (better - cost)
		p.costs[t] = better
	}
	if p.finished == p.total {
		p.left = 0
	}
}
