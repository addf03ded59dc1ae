package bench

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/bench/schedule"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// A lab carries out the steps of a schedule: it runs processes, and puts what they say into
// the run.
type lab struct {
	runner
	*record
	schedule *schedule.Schedule
	targets  []*target // by their places in the plan

	linker linker
	noisy  map[*target]bool   // told that they print
	judged *experiment.Family // the latest
}

// follow carries out steps.
func (l *lab) follow(ctx context.Context, steps iter.Seq[schedule.Step]) error {
	for step := range steps {
		out, err := l.carryOut(ctx, step)
		if err != nil {
			return err
		}
		l.schedule.Record(out)
	}
	return nil
}

func (l *lab) carryOut(ctx context.Context, step schedule.Step) (out schedule.Outcome, err error) {
	switch s := step.(type) {
	case schedule.Calibrate:
		l.tell("calibrate", l.targets[s.N].Benchmark)
		return l.calibrate(ctx, l.targets[s.N], s.Length)
	case schedule.Link:
		l.events(Event{Stage: "link", What: l.targets[s.N].Package})
		return l.linker.link(ctx, l.targets[s.N], s.Layout, s.Keep)
	case schedule.Samples:
		return l.sample(ctx, l.targets[s.N], s)
	case schedule.Judge:
		var family *experiment.Family
		if family, out.Judgement, err = judge(l.run.Dir(), s.Phase, l.CompareOptions()); family != nil {
			l.judged = family
		}
	case schedule.Profile:
		l.tell("profile", l.targets[s.N].Benchmark)
		of := profiler{l.runner, l.record}
		err = of.profile(ctx, l.targets[s.N], s)
	case schedule.CheckMachine:
		out.Used, out.Cores, err = workspace.CoresInUse(ctx)
	case schedule.Waiting:
		l.tell("wait", s.Text)
	case schedule.Announce:
		l.events(Event{Expected: s.Expected, IfChanged: s.IfChanged})
		err = l.run.Time(*l.schedule.Timing())
	case schedule.Note:
		err = l.run.Note(s.Text)
	case schedule.Warn:
		err = l.warn(s.Text)
	}
	return out, err
}

// tell says what begins, and how long is left with it.
func (l *lab) tell(stage, what string) {
	p := l.schedule.Progress()
	l.events(Event{Stage: stage, What: what, Done: p.Done, Total: p.Total, Left: p.Left})
}

// tellTime says in the run how long it waited, and what it took.
func (l *lab) tellTime() error {
	if waited := l.schedule.Waited(); waited >= time.Second {
		if err := l.run.Note(fmt.Sprintf("waited %v in total for a free core", waited.Round(time.Second))); err != nil {
			return err
		}
	}
	l.timing = l.schedule.Timing()
	if l.timing == nil {
		return nil
	}
	return l.run.Time(*l.timing)
}

// calibrate runs both sides for a short time, for what an iteration costs, and what else a
// process takes.
func (l *lab) calibrate(ctx context.Context, t *target, length Length) (out schedule.Outcome, err error) {
	for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
		m, err := l.runOnce(ctx, t, s, 0, length, 0, &out.Costs)
		if err != nil {
			return out, err
		}
		if m == nil {
			out.Failed = true
			break
		}
		if err := l.measureSetup(ctx, t, s, &out.Costs); err != nil {
			return out, err
		}
	}
	return out, nil
}

var stageNames = map[experiment.Phase]string{experiment.Measure: "measure", experiment.PreCheck: "pre-check", experiment.Repeat: "confirm"}

// sample takes the samples of a step, part by part, and appends them.
func (l *lab) sample(ctx context.Context, t *target, step schedule.Samples) (schedule.Outcome, error) {
	out := schedule.Outcome{Costs: step.Costs}
	runs := []experiment.Side{experiment.Head}
	if step.Slots != nil {
		runs = nil
		for _, slot := range step.Slots {
			runs = append(runs, slot.Runs(step.Phase))
		}
	}
	setups := make([]workspace.Outcome, len(runs))
	for i, side := range runs {
		if step.Slots == nil || step.Costs.Setup[side] == 0 {
			continue // CPU time isn't told
		}
		o, err := l.runSetup(ctx, t, side, l.linker.binary(t, side, step.Layouts[i]))
		if err != nil {
			return out, err
		}
		if o.Err == nil {
			setups[i] = *o
		}
	}
	samples := make([][]*measured, len(runs))
	for _, length := range step.Lengths {
		for i, side := range runs {
			l.tell(stageNames[step.Phase], t.Benchmark)
			m, err := l.runOnce(ctx, t, side, step.Layouts[i], length, setups[i].CPU, &out.Costs)
			if err != nil {
				return out, err
			}
			if m == nil {
				return schedule.Outcome{Failed: true}, nil
			}
			samples[i] = append(samples[i], m)
		}
	}
	for i := range runs {
		as, whole := experiment.Head, sum(samples[i])
		var slot *experiment.Slot
		if step.Slots != nil {
			at := step.Slots[i]
			at.Layout, at.Beside = step.Layouts[i], whole.beside
			as, slot = at.Side, &at
		}
		if err := l.run.Append(step.Phase, as, slot, whole.records...); err != nil {
			return out, err
		}
		l.samples++
		out.Took, out.Crowded = append(out.Took, setups[i].Wall+whole.took), whole.beside.Crowded()
	}
	return out, nil
}

// runOnce runs a benchmark in a process of its own, and learns what it costs. nil: it failed.
// setup is the CPU time of such a process without most of its iterations, 0 if that isn't known.
func (l *lab) runOnce(ctx context.Context, t *target, s experiment.Side, layout int, length Length, setup time.Duration, costs *schedule.Costs) (*measured, error) {
	begin := time.Now()
	o, err := l.runFile(ctx, t.at[s], l.linker.binary(t, s, layout), t.flags("", []string{"-test.benchtime=" + benchtime(length), "-test.benchmem"})...)
	if err != nil {
		return nil, err
	}
	took := time.Since(begin)
	records, result, noise := readResult(o.Stdout, t.Package, t.Benchmark, t.printed)
	if o.Err != nil || result == nil {
		what := firstComplaint(o)
		if o.Err != nil && o.Wall >= l.Timeout {
			what = o.Err.Error()
		}
		return nil, l.fail(Failure{t.Package, t.Benchmark, l.sideName(s), what, output(o)})
	}
	if noise && !l.noisy[t] {
		l.noisy[t] = true
		if err := l.warn(t.Package + ".Benchmark" + t.Benchmark + " prints to standard output: printing is part of what is measured"); err != nil {
			return nil, err
		}
	}
	costs.Nanos[s], costs.Bytes[s] = costOf(result, o.Wall)
	if o.Peak > 0 {
		result.Values = append(result.Values, benchfmt.Value{Value: float64(o.Peak), Unit: experiment.PeakRSS})
	}
	if n := result.Iters - schedule.SetupIterations; setup > 0 && n > 0 && o.CPU > setup {
		result.Values = append(result.Values, benchfmt.Value{Value: float64(o.CPU-setup) / float64(n), Unit: experiment.CPUTime})
	}
	return &measured{records, result, o.Beside, took}, nil
}

// costOf is what an iteration costs, to choose numbers of iterations.
func costOf(r *benchfmt.Result, wall time.Duration) (nanos, bytes float64) {
	nanos, ok := valueOf(r, "ns/op")
	if !ok || nanos <= 0 {
		nanos = float64(wall) / float64(max(1, r.Iters)) // the benchmark reports another unit instead
	}
	bytes, _ = valueOf(r, "B/op")
	return nanos, bytes
}

// runSetup runs a benchmark with so few iterations that what its process takes is what it
// takes besides them.
//
// Each sample has such a process of its own, next in time. What it takes varies by a tenth and
// more, which is a percent of a sample's CPU time. A value measured once for each side would
// shift all samples of that side alike, also those of the confirming run: identical code
// would be faster, and confirmed.
func (l *lab) runSetup(ctx context.Context, t *target, s experiment.Side, binary string) (*workspace.Outcome, error) {
	return l.runFile(ctx, t.at[s], binary, t.flags("", []string{fmt.Sprintf("-test.benchtime=%dx", schedule.SetupIterations), "-test.benchmem"})...)
}

// measureSetup learns what time and CPU time a benchmark's process takes besides its
// iterations.
// Where peak memory is told, CPU time isn't: package spawn starts the process then.
func (l *lab) measureSetup(ctx context.Context, t *target, s experiment.Side, costs *schedule.Costs) error {
	if l.PeakRSS {
		return nil
	}
	var took, wall []time.Duration
	for range 3 {
		o, err := l.runSetup(ctx, t, s, t.at[s].binary)
		if err != nil || o.Err != nil {
			return err // without it there is one clock only
		}
		if took, wall = append(took, o.CPU), append(wall, o.Wall); o.Wall > time.Second {
			break // so much hardly differs from one to the next
		}
	}
	slices.Sort(took)
	slices.Sort(wall)
	costs.Setup[s], costs.Overhead = took[len(took)/2], max(costs.Overhead, wall[len(wall)/2])
	return nil
}

// changedOf are the benchmarks with a change in any unit.
func changedOf(targets []*target, f *experiment.Family) []ID {
	changed := having(f, func(c *experiment.Comparison) bool { return c.Verdict.Changed() })
	var ids []ID
	for _, t := range targets {
		if changed[t.ID] {
			ids = append(ids, t.ID)
		}
	}
	return ids
}
