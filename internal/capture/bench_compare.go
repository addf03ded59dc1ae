package capture

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/hone-go/hone/internal/experiment"
)

func (m *bencher) looks() []experiment.Look {
	if m.Count > 0 {
		return experiment.OneLook(m.Count)
	}
	return experiment.DefaultLooks
}

// CompareOptions are the options that a comparison of this Bench uses.
func (b *Bench) CompareOptions() experiment.Options {
	o := experiment.DefaultOptions()
	if b.Count > 0 {
		o.Looks = experiment.OneLook(b.Count)
	}
	o.Budget, o.Gated = b.Budget, b.Gated
	return o
}

// compare is all that takes time.
func (m *bencher) compare(ctx context.Context, p *pairing) error {
	looks, pre := m.looks(), m.PreCheck
	if pre == 0 {
		pre = DefaultPreCheck
	}
	pre = max(0, pre)
	cost := m.Benchtime.cost()
	m.planLayouts(p.both)
	m.plan.add(2, p.both, cost)
	m.plan.add(2*(pre+looks[0].Pairs), p.both, cost)
	m.plan.add(looks[0].Pairs, p.head, cost)
	counts := make(map[*target]string)
	for _, t := range p.both {
		n, err := m.calibrate(ctx, t)
		if err != nil {
			return err
		}
		counts[t] = n
	}
	if err := m.pairs(ctx, p.both, experiment.PreCheck, pre, counts); err != nil {
		return err
	}
	if err := m.pairs(ctx, p.both, experiment.Measure, looks[0].Pairs, counts); err != nil {
		return err
	}
	if err := m.headOnly(ctx, p.head, looks[0].Pairs); err != nil {
		return err
	}
	family, err := m.judge()
	if err != nil {
		return err
	}
	for _, next := range looks[1:] {
		more := undecided(family, looks, p.both)
		m.plan.add(2*(next.Pairs-looks[0].Pairs), more, cost)
		if err := m.pairs(ctx, more, experiment.Measure, next.Pairs-looks[0].Pairs, counts); err != nil {
			return err
		}
		if family, err = m.judge(); err != nil {
			return err
		}
	}
	again := targetsOf(p.both, family.Unconfirmed())
	m.plan.add(2*looks[0].Pairs, again, cost)
	changed := changedOf(p.both, family)
	explained := changed
	if m.ProfileAll {
		explained = p.both
	}
	m.plan.add(2*len(m.Profiles), explained, m.ProfileTime)
	if err := m.pairs(ctx, again, experiment.Repeat, looks[0].Pairs, counts); err != nil {
		return err
	}
	for _, next := range looks[1:] {
		doubtful, err := m.doubtful(p.both)
		if err != nil {
			return err
		}
		m.plan.add(2*(next.Pairs-looks[0].Pairs), doubtful, cost)
		if err := m.pairs(ctx, doubtful, experiment.Repeat, next.Pairs-looks[0].Pairs, counts); err != nil {
			return err
		}
	}
	if family, err = m.judge(); err != nil {
		return err
	}
	if !m.ProfileAll {
		explained = changedOf(changed, family)
	} else {
		m.plan.add(len(m.Profiles), p.head, m.ProfileTime)
		for _, t := range p.head {
			if err := m.profiles(ctx, t, experiment.Head); err != nil {
				return err
			}
		}
	}
	for _, t := range explained {
		for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
			if err := m.profiles(ctx, t, s); err != nil {
				return err
			}
		}
	}
	m.report.Family = family
	for _, t := range changedOf(p.both, family) {
		m.report.Changed = append(m.report.Changed, t.BenchID)
	}
	return nil
}

// judge reads the run so far, as anyone would.
func (m *bencher) judge() (*experiment.Family, error) {
	run, err := experiment.Open(m.run.Dir())
	if err != nil {
		return nil, err
	}
	return run.Compare(m.CompareOptions())
}

// doubtful returns the benchmarks whose second measurement has to go on.
func (m *bencher) doubtful(targets []*target) ([]*target, error) {
	run, err := experiment.Open(m.run.Dir())
	if err != nil {
		return nil, err
	}
	more, err := run.Doubtful(m.CompareOptions())
	return targetsOf(targets, slices.Collect(maps.Keys(more))), err
}

// calibrate returns the number of iterations for both sides. Where one is much
// slower, the geometric mean of the costs shares the difference: neither
// takes forever, nor gets too few iterations to time.
func (m *bencher) calibrate(ctx context.Context, t *target) (string, error) {
	half := BenchTime{m.Benchtime.Duration / 2, m.Benchtime.Iterations}
	for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
		if _, err := m.measure(ctx, t, experiment.PreCheck, s, 0, half.flag()); err != nil {
			return "", err
		}
		if t.failed {
			break
		}
		if err := m.measureSetup(ctx, t, s); err != nil {
			return "", err
		}
	}
	if m.Benchtime.Iterations > 0 {
		return m.Benchtime.flag(), nil
	}
	mean := math.Sqrt(t.nanos[experiment.Base] * t.nanos[experiment.Head])
	return BenchTime{Iterations: iterations(m.Benchtime.Duration, mean)}.flag(), nil
}

// pairs measures n pairs of each benchmark, block by block.
func (m *bencher) pairs(ctx context.Context, targets []*target, phase experiment.Phase, n int, counts map[*target]string) error {
	return experiment.Pairs(m.turns, targets, phase, n, func(t *target, runs experiment.Side, slot experiment.Slot) error {
		return m.sample(ctx, t, phase, runs, &slot, counts[t])
	})
}

// headOnly measures what there is nothing to compare with.
func (m *bencher) headOnly(ctx context.Context, targets []*target, n int) error {
	for range n {
		for _, t := range targets {
			slot := m.turns.Alone(experiment.Measure, experiment.Head)
			if err := m.sample(ctx, t, experiment.Measure, experiment.Head, &slot, m.Benchtime.flag()); err != nil {
				return err
			}
		}
	}
	return nil
}

// undecided returns the benchmarks that more samples may decide.
func undecided(f *experiment.Family, looks []experiment.Look, targets []*target) []*target {
	more := f.Undecided(looks)
	var keys []experiment.Key
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; more[c.Key] > 0 {
			keys = append(keys, c.Key)
		}
	}
	return targetsOf(targets, keys)
}

func targetsOf(targets []*target, keys []experiment.Key) []*target {
	var found []*target
	for _, t := range targets {
		if slices.ContainsFunc(keys, func(k experiment.Key) bool { return k.Package == t.Package && k.Benchmark == t.Benchmark }) {
			found = append(found, t)
		}
	}
	return found
}

func changedOf(targets []*target, f *experiment.Family) []*target {
	var keys []experiment.Key
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; c.Verdict.Changed() {
			keys = append(keys, c.Key)
		}
	}
	return targetsOf(targets, keys)
}
