package bench

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hone-go/hone/internal/experiment"
)

func (m *bencher) looks() []experiment.Look {
	return m.CompareOptions().Looks
}

// CompareOptions are the options that a comparison of this Bench uses.
func (b *Bench) CompareOptions() experiment.Options {
	o := experiment.DefaultOptions()
	switch {
	case b.Count > 0:
		o.Looks = experiment.OneLook(b.Count)
	case b.For > 0:
		o.Looks = slices.Clone(experiment.BudgetLooks)
	}
	o.Budget, o.Gated = b.Budget, b.Gated
	return o
}

// compare is all that takes time.
func (m *bencher) compare(ctx context.Context, p *pairing) error {
	first, pre := m.looks()[0].Pairs, m.PreCheck
	if pre == 0 {
		pre = DefaultPreCheck
	}
	pre = max(0, pre)
	m.beginBudget(p, 2*(pre+first))
	for _, t := range p.both {
		m.forecast.will(step{what: calibrating, target: t}, 1, 2*m.Benchtime.cost())
		m.forecast.will(sampleOf(t), 2*(pre+first), m.Benchtime.cost())
	}
	for _, t := range p.head {
		m.forecast.will(sampleOf(t), first, m.Benchtime.cost())
	}
	var err error
	if p.both, err = m.calibrateAll(ctx, p.both); err != nil {
		return err
	}
	if err := m.planLayouts(ctx, p.both, first); err != nil {
		return err
	}
	if p.both, err = m.fit(p.both, pre, first); err != nil {
		return err
	}
	for _, t := range p.both {
		t.leaveSetup()
	}
	m.expectMore(p.both, func(*target) experiment.Floor { return calibratedNoise(p.both) })
	if m.ProfileAll {
		m.expectProfiles(p.both, 2)
		m.expectProfiles(p.head, 1)
	}
	if err := m.announce(p.both); err != nil {
		return err
	}
	if pre > 0 {
		if err := m.pairs(ctx, p.both, experiment.PreCheck, pre); err != nil {
			return err
		}
		noise, err := m.measuredNoise()
		if err != nil {
			return err
		}
		m.expectMore(p.both, noise)
	}
	family, err := m.inLooks(ctx, experiment.Measure, p.both, func(f *experiment.Family) ([]*target, error) {
		return targetsOf(p.both, slices.Collect(maps.Keys(f.Undecided(m.looks())))), nil
	})
	if err != nil {
		return err
	}
	changed := changedOf(p.both, family)
	again, err := m.confirmable(targetsOf(p.both, family.Unconfirmed()), family)
	if err != nil {
		return err
	}
	if !m.ProfileAll {
		m.expectProfiles(changed, 2)
	}
	if len(again) > 0 {
		family, err = m.inLooks(ctx, experiment.Repeat, again, func(*experiment.Family) ([]*target, error) { return m.doubtful(again) })
		if err != nil {
			return err
		}
	}
	explained := changedOf(changed, family)
	if len(p.head) > 0 {
		m.budget.keep = m.profilesCost(explained...)
		if err := m.headOnly(ctx, p.head, first); err != nil {
			return err
		}
		if family, err = m.judge(); err != nil {
			return err
		}
	}
	if m.samples == 0 && len(m.report.Failures) == 0 {
		return fmt.Errorf("%w: -for %v is too short for any sample; measure longer, or narrow -bench down", ErrNoBenchmarks, m.For)
	}
	if m.ProfileAll {
		explained = p.both
		if err := m.profileAll(ctx, p.head, experiment.Head); err != nil {
			return err
		}
	}
	if err := m.profileAll(ctx, explained, experiment.Base, experiment.Head); err != nil {
		return err
	}
	m.report.Family = family
	for _, t := range changedOf(p.both, family) {
		m.report.Changed = append(m.report.Changed, t.ID)
	}
	return nil
}

// inLooks measures targets up to the first look, and those that are still open then up
// to the next one. It returns what the last look says.
func (m *bencher) inLooks(ctx context.Context, phase experiment.Phase, targets []*target, open func(*experiment.Family) ([]*target, error)) (*experiment.Family, error) {
	var family *experiment.Family
	pairs, all := 0, targets
	for _, look := range m.looks() {
		if pairs > 0 {
			m.expectMore(targets, func(*target) experiment.Floor { return experiment.Floor{} })
			var err error
			if targets, err = open(family); err != nil {
				return family, err
			}
			// For want of time a look came early. It was a look.
			targets = slices.DeleteFunc(targets, func(t *target) bool { return t.late || t.failed })
			if len(targets) == 0 {
				return family, nil
			}
			m.keepFor(phase, changedOf(all, family), targets, look.Pairs)
		}
		if pairs > 0 || phase != experiment.Measure { // else they are expected from the start
			m.expectSamples(targets, look.Pairs-pairs)
		}
		err := m.pairs(ctx, targets, phase, look.Pairs-pairs)
		if err != nil {
			return nil, err
		}
		if family, err = m.judge(); err != nil {
			return nil, err
		}
		pairs = look.Pairs
		if phase == experiment.Measure {
			for _, t := range targetsOf(targets, family.Unconfirmed()) {
				t.seen = cmp.Or(t.seen, pairs)
			}
		}
	}
	return family, nil
}

// judge reads the run so far, as anyone would.
func (m *bencher) judge() (*experiment.Family, error) {
	run, err := experiment.Open(context.Background(), m.run.Dir())
	if err != nil {
		return nil, err
	}
	return run.Compare(m.CompareOptions())
}

// doubtful returns the benchmarks whose second measurement has to go on.
func (m *bencher) doubtful(targets []*target) ([]*target, error) {
	run, err := experiment.Open(context.Background(), m.run.Dir())
	if err != nil {
		return nil, err
	}
	more, err := run.Doubtful(m.CompareOptions())
	return targetsOf(targets, slices.Collect(maps.Keys(more))), err
}

// calibrate chooses the number of iterations for both sides. Where one is much
// slower, the geometric mean of the costs shares the difference: neither
// takes forever, nor gets too few iterations to time.
func (m *bencher) calibrate(ctx context.Context, t *target) error {
	// A number of iterations that was asked for is of one process, and so is a peak.
	t.oneProcess = m.Benchtime.Iterations > 0 || m.PeakRSS
	half := Length{cmp.Or(m.budget.calibrating, m.Benchtime.Duration/2), m.Benchtime.Iterations}
	for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
		if _, err := m.measure(ctx, t, s, 0, half); err != nil {
			return err
		}
		if t.failed {
			break
		}
		if err := m.measureSetup(ctx, t, s); err != nil {
			return err
		}
	}
	if m.Benchtime.Iterations > 0 {
		t.samples = m.Benchtime
		return nil
	}
	mean := math.Sqrt(t.nanos[experiment.Base] * t.nanos[experiment.Head])
	t.samples = Length{Iterations: iterations(m.Benchtime.Duration, mean)}
	return nil
}

// pairs measures n pairs of each benchmark, block by block.
func (m *bencher) pairs(ctx context.Context, targets []*target, phase experiment.Phase, n int) error {
	return experiment.Pairs(m.turns, targets, phase, n, func(t *target, slots []experiment.Slot) error {
		if !t.failed {
			if err := m.waitFor(ctx); err != nil {
				return err
			}
		}
		if t.failed || !m.mayGoOn(t, phase, len(slots)) {
			m.leaveOut(t, len(slots))
			return nil
		}
		return m.block(ctx, t, phase, slots)
	})
}

// headOnly measures what there is nothing to compare with, each n times as long as there
// is time.
func (m *bencher) headOnly(ctx context.Context, targets []*target, n int) error {
	var late []*target
	for round := range n {
		for _, t := range targets {
			if !m.budget.allows(m.forecast.at(sampleOf(t)).cost) {
				m.leaveOut(t, 1)
				if round == 0 {
					late = append(late, t)
				}
				continue
			}
			slot := m.turns.Alone(experiment.Measure, experiment.Head)
			if err := m.sample(ctx, t, &slot); err != nil {
				return err
			}
		}
	}
	return m.noTime("the measurement", late)
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
