package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// A budget is the time that a comparison has, from when all is built on: Bench.For.
//
//   - All benchmarks get the first look. Where there is no time for that, samples are
//     shorter, down to shortestSample; where there is not even for those, the benchmarks
//     that take longest are left out.
//   - What is undecided goes on, look by look: experiment.BudgetLooks.
//   - A share is kept for confirming what changed, for profiles, and for the benchmarks
//     that there is nothing to compare with, which come last.
//
// No block of samples and no profile begins for which, by what they took so far, there
// is no time left. Whether a benchmark goes on depends on the clock, and on how many
// others do, but not on what its own samples say of a change.
type budget struct {
	end   time.Time     // zero: there is none
	keep  time.Duration // for what comes after the present phase
	alone time.Duration // of that, for what there is nothing to compare with

	calibrating time.Duration // of one process; 0: half a sample
}

const (
	// shortestSample is what a sample is not shortened beyond: the clock ticks, threads
	// start and caches fill for some milliseconds.
	shortestSample = 50 * time.Millisecond
	// One part of so many of what is left is kept for confirming and for profiles, as
	// long as nobody knows what changed.
	keptPart = 4
	// What there is nothing to compare with has one part of so many of all at most, while
	// something else can use it.
	alonePart = 8
)

func (b *budget) limited() bool { return !b.end.IsZero() }

// left is the time for the present phase.
func (b *budget) left() time.Duration { return time.Until(b.end) - b.keep }

// allows reports whether there is time for something that takes so long.
func (b *budget) allows(cost time.Duration) bool { return !b.limited() || b.left() >= cost }

// mayGoOn reports whether there is time for a block of n samples.
func (m *bencher) mayGoOn(t *target, phase experiment.Phase, n int) bool {
	t.late = !m.budget.allows(time.Duration(n) * m.pairCost(t, phase) / 2)
	return !t.late
}

// pairCost is what a pair of a target takes, and its link.
func (m *bencher) pairCost(t *target, phase experiment.Phase) time.Duration {
	cost := 2 * m.forecast.at(sampleOf(t)).cost
	if l := m.layouts[t.at[experiment.Head]]; phase != experiment.PreCheck && l != nil && !l.off {
		cost += m.forecast.at(linkOf(t)).cost
	}
	return cost
}

// profilesCost is what the profiles of both sides of targets take.
func (m *bencher) profilesCost(targets ...*target) time.Duration {
	var sum time.Duration
	for _, t := range targets {
		for _, kind := range m.Profiles {
			sum += 2 * (t.overhead + m.profileLength(kind))
		}
	}
	return sum
}

// beginBudget has the time run. Where there is little of it, already calibrating has to
// be short. samples is how many of each benchmark of both sides the first look takes.
func (m *bencher) beginBudget(p *pairing, samples int) {
	if m.For == 0 {
		return
	}
	m.budget.end = time.Now().Add(m.For)
	alone := time.Duration(len(p.head)*m.looks()[0].Pairs) * m.Benchtime.cost()
	m.budget.alone = min(alone, m.For/alonePart)
	each := m.For / time.Duration(max(1, len(p.both)*samples))
	m.budget.calibrating = max(shortestSample, min(m.Benchtime.Duration, each)) / 2
}

// calibrateAll calibrates targets, and returns those for which there was time.
func (m *bencher) calibrateAll(ctx context.Context, targets []*target) ([]*target, error) {
	for i, t := range targets {
		if i > 0 && !m.budget.allows(m.For/2) {
			for _, t := range targets[i:] {
				m.forecast.drop(t)
			}
			return targets[:i], m.noTime("the measurement", targets[i:])
		}
		m.tell("calibrate", t)
		begin := time.Now()
		if err := m.calibrate(ctx, t); err != nil {
			return nil, err
		}
		m.forecast.done(step{what: calibrating, target: t}, time.Since(begin))
		m.forecast.will(sampleOf(t), 0, t.cost(t.samples))
	}
	return targets, nil
}

// fit has the first look of targets, which are calibrated, fit the budget, and returns
// those that do.
func (m *bencher) fit(targets []*target, pre, first int) ([]*target, error) {
	if !m.budget.limited() {
		return targets, nil
	}
	left := max(0, time.Until(m.budget.end))
	m.budget.keep = left / keptPart
	if m.ProfileAll {
		m.budget.keep = max(m.budget.keep, min(m.profilesCost(targets...), left/2))
	}
	m.budget.keep += m.budget.alone
	left -= m.budget.keep
	links := time.Duration(0)
	for p, l := range m.layouts {
		if !l.off {
			links += time.Duration(first) * m.forecast.at(step{what: linking, benchPackage: p}).cost
		}
	}
	if links > left/2 && m.Layouts == AutoLayouts {
		for p, l := range m.layouts {
			m.oneLayout(p, l)
		}
		links = 0
		if err := m.run.Note(fmt.Sprintf("measured in one layout only: there is no time to link others (-for %v); -layouts all does it nevertheless", m.For)); err != nil {
			return nil, err
		}
	}
	left -= links

	samples := time.Duration(2 * (pre + first))
	shortest := func(t *target) time.Duration { return samples * t.cost(t.shortened(m.Benchtime, 0)) }
	longest, all := slices.Clone(targets), time.Duration(0)
	slices.SortStableFunc(longest, func(a, b *target) int { return cmp.Compare(shortest(b), shortest(a)) })
	for _, t := range targets {
		all += shortest(t)
	}
	n := 0
	for ; n < len(longest)-1 && all > left; n++ {
		all -= shortest(longest[n])
		m.forecast.drop(longest[n])
	}
	out := longest[:n]
	targets = slices.DeleteFunc(slices.Clone(targets), func(t *target) bool { return slices.Contains(out, t) })
	if err := m.noTime("the measurement", out); err != nil {
		return nil, err
	}

	share := m.shareOf(targets, left/samples)
	if share >= 1 || m.Benchtime.Iterations > 0 {
		return targets, nil
	}
	for _, t := range targets {
		t.samples = t.shortened(m.Benchtime, share)
		m.forecast.will(sampleOf(t), 0, t.cost(t.samples))
	}
	share = max(share, float64(shortestSample)/float64(m.Benchtime.Duration))
	return targets, m.run.Note(fmt.Sprintf("samples are of %v: there is no time for longer ones (-for %v)",
		time.Duration(share*float64(m.Benchtime.Duration)).Round(time.Millisecond), m.For))
}

// shareOf returns what share of a usual sample of each target takes so long in all.
func (m *bencher) shareOf(targets []*target, all time.Duration) float64 {
	share := 1.0
	for range 3 { // shorter samples have fewer processes, which leaves more time
		var besides, iterating time.Duration
		for _, t := range targets {
			processes := time.Duration(t.parts(t.shortened(m.Benchtime, share))) * t.overhead
			besides += processes
			iterating += t.cost(t.samples) - time.Duration(t.parts(t.samples))*t.overhead
		}
		share = min(1, max(0, float64(all-besides)/float64(iterating)))
	}
	return share
}

// shortened returns samples of a target of a share of the usual ones, and no shorter than
// may be. A number of iterations that was asked for stays.
func (t *target) shortened(usual Length, share float64) Length {
	if usual.Iterations > 0 {
		return t.samples
	}
	share = max(share, min(1, float64(shortestSample)/float64(usual.Duration)))
	return Length{Iterations: max(1, int(share*float64(t.samples.Iterations)))}
}

// noTime notes what is missing for want of time.
func (m *bencher) noTime(what string, targets []*target) error {
	if len(targets) == 0 {
		return nil
	}
	var names []string
	for _, t := range targets {
		names = append(names, t.Package+"."+t.Benchmark)
	}
	return m.warn(fmt.Sprintf("there is no time (-for %v) for %s of %d benchmarks: %s", m.For, what, len(names), strings.Join(names, ", ")))
}

// keepFor keeps time for what comes after a phase: profiles of what changed, and confirming
// it, which takes as many pairs as it took to see it. What is open goes on to so many pairs,
// and counts a quarter, as if so much of it turned out to have changed, but the longest of it
// in full. No more than half of what is left is kept.
func (m *bencher) keepFor(phase experiment.Phase, changed, open []*target, pairs int) {
	if !m.budget.limited() {
		return
	}
	confirming := func(t *target, pairs int) time.Duration {
		if phase != experiment.Measure {
			return 0
		}
		return time.Duration(pairs) * m.pairCost(t, experiment.Repeat)
	}
	var sure, perhaps, longest time.Duration
	for _, t := range changed {
		sure += m.profilesCost(t) + confirming(t, t.seen)
	}
	for _, t := range open {
		cost := confirming(t, pairs-t.seen) // one metric may have changed and another be open
		if !slices.Contains(changed, t) {
			cost += m.profilesCost(t)
		}
		perhaps, longest = perhaps+cost, max(longest, cost)
	}
	left := max(0, time.Until(m.budget.end))
	m.budget.keep = min(sure+max(perhaps/4, longest)+m.budget.alone, left/2)
}

// confirmable returns the changes for whose confirmation there is time, regressions
// first. There has to be time for the first look of each: many a change that took more
// pairs to be seen is confirmed by that, and what isn't goes on as long as there is time.
func (m *bencher) confirmable(targets []*target, f *experiment.Family) ([]*target, error) {
	if !m.budget.limited() {
		return targets, nil
	}
	worse := func(t *target) bool {
		return slices.ContainsFunc(f.Comparisons, func(c experiment.Comparison) bool {
			return c.Package == t.Package && c.Benchmark == t.Benchmark && c.Verdict == experiment.Worse
		})
	}
	slices.SortStableFunc(targets, func(a, b *target) int {
		switch {
		case worse(a) && !worse(b):
			return -1
		case worse(b) && !worse(a):
			return 1
		}
		return 0
	})
	m.keepFor(experiment.Repeat, targets, nil, 0)
	left := m.budget.left()
	for i, t := range targets {
		if left -= time.Duration(m.looks()[0].Pairs) * m.pairCost(t, experiment.Repeat); left < 0 {
			return targets[:i], m.noTime("the confirmation", targets[i:])
		}
	}
	return targets, nil
}

// profileAll takes the profiles of targets, of both sides, as long as there is time.
func (m *bencher) profileAll(ctx context.Context, targets []*target, sides ...experiment.Side) error {
	m.budget.keep = 0
	var late []*target
	for _, t := range targets {
		if !m.budget.allows(m.profilesCost(t) * time.Duration(len(sides)) / 2) {
			late = append(late, t)
			m.forecast.drop(t)
			continue
		}
		for _, s := range sides {
			if err := m.profiles(ctx, t, s); err != nil {
				return err
			}
		}
	}
	return m.noTime("profiles", late)
}
