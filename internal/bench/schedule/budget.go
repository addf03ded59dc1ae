package schedule

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/rank"
)

// An outlook knows what is still to do, what it costs, and how much time there is for it:
// Options.For, from when all is built on.
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
type outlook struct {
	*Options
	forecast
	links map[string]*links // by binary: those that are linked in several layouts

	end   time.Time     // zero: there is none
	keep  time.Duration // for what comes after the present phase
	alone time.Duration // of that, for what there is nothing to compare with
}

// links are the layouts of one binary.
type links struct {
	off       bool         // not linked: it failed, or takes too long
	slow      bool         // linked to confirm a change, but not to find one
	linked    map[int]bool // layouts that are there
	measuring time.Duration
}

const (
	// One part of so many of what is left is kept for confirming and for profiles, as
	// long as nobody knows what changed.
	keptPart = 4
	// What there is nothing to compare with has one part of so many of all at most, while
	// something else can use it.
	alonePart = 8
)

const (
	// An execution trace of longer than this nobody reads, and it is large.
	traceTime = 200 * time.Millisecond
	// A benchmark that does nothing but hand values around writes 30 MB a second.
	wallTime = time.Second
)

// profileLength is how long a profile of a kind is.
func (o *Options) profileLength(kind string) time.Duration {
	switch kind {
	case "trace":
		return traceTime
	case "wall":
		return min(o.ProfileTime, wallTime)
	}
	return o.ProfileTime
}

func (o *outlook) limited() bool { return !o.end.IsZero() }

// begin has the time run. It returns how long one process of a calibration is: where there
// is little time, already calibrating has to be short. samples is how many of each of the
// compared benchmarks the first look takes.
func (o *outlook) begin(now time.Time, compared, alone, samples int) time.Duration {
	if o.For == 0 {
		return o.Benchtime.Duration / 2
	}
	o.end = now.Add(o.For)
	o.alone = min(time.Duration(alone*o.Looks[0].Pairs)*o.Benchtime.guess(), o.For/alonePart)
	each := o.For / time.Duration(max(1, compared*samples))
	return max(shortestSample, min(o.Benchtime.Duration, each)) / 2
}

// left is the time for the present phase.
func (o *outlook) left(now time.Time) time.Duration { return o.end.Sub(now) - o.keep }

// allows reports whether there is time for something that takes so long.
func (o *outlook) allows(now time.Time, cost time.Duration) bool {
	return !o.limited() || o.left(now) >= cost
}

// allowsBlock reports whether there is time for a block of n samples.
func (o *outlook) allowsBlock(now time.Time, b *benchmark, phase experiment.Phase, n int) bool {
	return o.allows(now, time.Duration(n)*o.pairCost(b, phase)/2)
}

// rest is how long the rest takes, and no longer than it may.
func (o *outlook) rest(now time.Time) time.Duration {
	rest := o.forecast.rest()
	if o.limited() {
		rest = max(0, min(rest, o.end.Sub(now)))
	}
	return rest
}

// isLinked reports whether a benchmark is measured in several layouts.
func (o *outlook) isLinked(b *benchmark) bool {
	l := o.links[b.binary]
	return l != nil && !l.off
}

// pairCost is what a pair takes, and its link.
func (o *outlook) pairCost(b *benchmark, phase experiment.Phase) time.Duration {
	cost := 2 * o.at(samplesOf(b)).cost
	if phase != experiment.PreCheck && o.isLinked(b) {
		cost += o.at(linksOf(b.binary)).cost
	}
	return cost
}

// profilesCost is what the profiles of both sides take.
func (o *outlook) profilesCost(some ...*benchmark) time.Duration {
	var sum time.Duration
	for _, b := range some {
		for _, kind := range o.Profiles {
			sum += 2 * (b.costs.Overhead + o.profileLength(kind))
		}
	}
	return sum
}

// expectSamples plans n pairs of each, and the links that they take.
func (o *outlook) expectSamples(some []*benchmark, n int) {
	for _, b := range some {
		o.will(samplesOf(b), 2*n, b.takes(b.samples))
	}
	o.expectLinks(some, n)
}

// expectLinks plans a link for each of n pairs. All benchmarks of a binary use the same.
func (o *outlook) expectLinks(some []*benchmark, n int) {
	for _, b := range some {
		if o.isLinked(b) {
			a := o.at(linksOf(b.binary))
			a.sure, a.more = max(a.sure, n), 0
		}
	}
}

// expectProfiles plans the profiles of n sides.
func (o *outlook) expectProfiles(some []*benchmark, n int) {
	for _, b := range some {
		for _, kind := range o.Profiles {
			o.will(work{what: kind, by: b}, n, b.costs.Overhead+o.profileLength(kind))
		}
	}
}

// expectMore says how many samples beyond the first look there will be on average, by
// the noise of each benchmark where nothing changed.
func (o *outlook) expectMore(some []*benchmark, noise func(*benchmark) experiment.Floor) {
	settled := make(map[string][]float64) // chance that no benchmark of a binary needs so many looks
	for _, b := range some {
		pairs := 0.0
		if settled[b.binary] == nil {
			settled[b.binary] = slices.Repeat([]float64{1}, len(o.Looks))
		}
		for i, next := range o.Looks[1:] {
			open := noise(b).StaysOpen(o.Looks[i].Pairs, o.Options.Options)
			pairs += open * float64(next.Pairs-o.Looks[i].Pairs)
			settled[b.binary][i] *= 1 - open
		}
		o.may(samplesOf(b), 2*pairs)
	}
	for _, b := range some {
		if !o.isLinked(b) {
			continue
		}
		links := 0.0
		for i, next := range o.Looks[1:] {
			links += (1 - settled[b.binary][i]) * float64(next.Pairs-o.Looks[i].Pairs)
		}
		o.may(linksOf(b.binary), links)
	}
}

// ifChanged is how much longer it takes if all of some benchmarks have changed: confirming
// and profiling them.
func (o *outlook) ifChanged(now time.Time, some []*benchmark) time.Duration {
	first, linked := time.Duration(o.Looks[0].Pairs), make(map[string]bool)
	var sum time.Duration
	for _, b := range some {
		sum += 2 * first * o.at(samplesOf(b)).cost
		if l := o.links[b.binary]; l != nil && !linked[b.binary] && (!l.off || l.slow && !o.limited()) {
			linked[b.binary] = true
			sum += first * o.at(linksOf(b.binary)).cost
		}
		if !o.ProfileAll {
			sum += o.profilesCost(b)
		}
	}
	if o.limited() {
		sum = max(0, min(sum, o.end.Sub(now)-o.rest(now)))
	}
	return sum
}

// confirmingLink is how long the link of a pair may take that confirms a change. All ten pairs
// of the first look then take less than two minutes longer.
const confirmingLink = 10 * time.Second

// linksToConfirm links those binaries again for which that takes longer than measuring. In one
// layout, the same code differs by a percent or two, in the confirming run as in the first. So
// a change that was found in one layout is confirmed in others.
func (o *outlook) linksToConfirm(some []*benchmark) {
	for _, b := range some {
		if l := o.links[b.binary]; l != nil && l.slow && !o.limited() {
			l.off = false
		}
	}
}

// oneLayout ends linking.
func (o *outlook) oneLayout(binary string) {
	o.links[binary].off = true
	o.never(linksOf(binary))
}

// fit has the first look of benchmarks, which are calibrated, fit the time. It returns
// those that do, and what is to be told of the others.
func (o *outlook) fit(now time.Time, some []*benchmark, pre, first int) (fitting []*benchmark, told []Step) {
	if !o.limited() {
		return some, nil
	}
	left := max(0, o.end.Sub(now))
	o.keep = left / keptPart
	if o.ProfileAll {
		o.keep = max(o.keep, min(o.profilesCost(some...), left/2))
	}
	o.keep += o.alone
	left -= o.keep
	linking := time.Duration(0)
	for binary, l := range o.links {
		if !l.off {
			linking += time.Duration(first) * o.at(linksOf(binary)).cost
		}
	}
	if linking > left/2 && o.Layouts == AutoLayouts {
		for binary := range o.links {
			o.oneLayout(binary)
		}
		linking = 0
		told = append(told, Note{fmt.Sprintf("measured in one layout only: -for %v is too short to link others%s", o.For, fewPercent)})
	}
	left -= linking

	samples := time.Duration(2 * (pre + first))
	shortest := func(b *benchmark) time.Duration { return samples * b.takes(b.shortened(o.Benchtime, 0)) }
	longest, all := slices.Clone(some), time.Duration(0)
	slices.SortStableFunc(longest, func(a, b *benchmark) int { return cmp.Compare(shortest(b), shortest(a)) })
	for _, b := range some {
		all += shortest(b)
	}
	n := 0
	for ; n < len(longest)-1 && all > left; n++ {
		all -= shortest(longest[n])
		o.drop(longest[n])
	}
	out := longest[:n]
	fitting = slices.DeleteFunc(slices.Clone(some), func(b *benchmark) bool { return slices.Contains(out, b) })
	told = append(told, o.noTime("measure", out)...)

	share := o.shareOf(fitting, left/samples)
	if share >= 1 || o.Benchtime.Iterations > 0 {
		return fitting, told
	}
	for _, b := range fitting {
		b.samples = b.shortened(o.Benchtime, share)
		o.will(samplesOf(b), 0, b.takes(b.samples))
	}
	share = max(share, float64(shortestSample)/float64(o.Benchtime.Duration))
	return fitting, append(told, Note{fmt.Sprintf("each sample takes %v, to fit in -for %v",
		time.Duration(share*float64(o.Benchtime.Duration)).Round(time.Millisecond), o.For)})
}

// shareOf returns what share of a usual sample of each benchmark takes so long in all.
func (o *outlook) shareOf(some []*benchmark, all time.Duration) float64 {
	share := 1.0
	for range 3 { // shorter samples have fewer processes, which leaves more time
		var besides, iterating time.Duration
		for _, b := range some {
			besides += time.Duration(b.parts(b.shortened(o.Benchtime, share))) * b.costs.Overhead
			iterating += b.takes(b.samples) - time.Duration(b.parts(b.samples))*b.costs.Overhead
		}
		share = min(1, max(0, float64(all-besides)/float64(iterating)))
	}
	return share
}

// noTime tells which benchmarks are left out for want of time; what says of which work.
func (o *Options) noTime(what string, some []*benchmark) []Step {
	var names []string
	for _, b := range some {
		names = append(names, b.Package+"."+b.Benchmark)
	}
	number := fmt.Sprintf("%d benchmarks", len(names))
	switch len(names) {
	case 0:
		return nil
	case 1:
		number = "1 benchmark"
	}
	return []Step{Warn{fmt.Sprintf("-for %v is too short to %s %s: %s", o.For, what, number, strings.Join(names, ", "))}}
}

// keepFor keeps time for what comes after a phase: profiles of what changed, and confirming
// it, which takes as many pairs as it took to see it. What is open goes on to so many pairs,
// and counts a quarter, as if so much of it turned out to have changed, but the longest of it
// in full. No more than half of what is left is kept.
func (o *outlook) keepFor(now time.Time, phase experiment.Phase, changed, open []*benchmark, pairs int) {
	if !o.limited() {
		return
	}
	confirming := func(b *benchmark, pairs int) time.Duration {
		if phase != experiment.Measure {
			return 0
		}
		return time.Duration(pairs) * o.pairCost(b, experiment.Repeat)
	}
	var sure, perhaps, longest time.Duration
	for _, b := range changed {
		sure += o.profilesCost(b) + confirming(b, b.seen)
	}
	for _, b := range open {
		cost := confirming(b, pairs-b.seen) // one metric may have changed and another be open
		if !slices.Contains(changed, b) {
			cost += o.profilesCost(b)
		}
		perhaps, longest = perhaps+cost, max(longest, cost)
	}
	left := max(0, o.end.Sub(now))
	o.keep = min(sure+max(perhaps/4, longest)+o.alone, left/2)
}

// confirmable returns the changes for whose confirmation there is time, regressions
// first. There has to be time for the first look of each: many a change that took more
// pairs to be seen is confirmed by that, and what isn't goes on as long as there is time.
func (o *outlook) confirmable(now time.Time, some []*benchmark, worse map[ID]bool) (confirmed []*benchmark, told []Step) {
	if !o.limited() {
		return some, nil
	}
	some = slices.Clone(some)
	slices.SortStableFunc(some, func(a, b *benchmark) int {
		switch {
		case worse[a.ID] && !worse[b.ID]:
			return -1
		case worse[b.ID] && !worse[a.ID]:
			return 1
		}
		return 0
	})
	o.keepFor(now, experiment.Repeat, some, nil, 0)
	left := o.left(now)
	for i, b := range some {
		if left -= time.Duration(o.Looks[0].Pairs) * o.pairCost(b, experiment.Repeat); left < 0 {
			return some[:i], o.noTime("confirm the changes of", some[i:])
		}
	}
	return some, nil
}

// calibratedNoise is what the calibration tells of the noise: that of one process of
// each side, over all benchmarks. Of few it tells nothing.
func calibratedNoise(some []*benchmark) experiment.Floor {
	var ratios []float64
	for _, b := range some {
		if base, head := b.costs.Nanos[experiment.Base], b.costs.Nanos[experiment.Head]; base > 0 && head > 0 {
			ratios = append(ratios, math.Abs(math.Log(head/base)))
		}
	}
	const few = 5
	if len(ratios) < few {
		return experiment.Floor{}
	}
	slices.Sort(ratios)
	return experiment.Floor{Spread: rank.MedianDeviation * ratios[len(ratios)/2]}
}

// linksTooLong tells why a package is measured in one layout.
func linksTooLong(pkg string, took time.Duration, confirmed bool) Note {
	if confirmed {
		return Note{fmt.Sprintf("%s: measured in one layout only, except to confirm changes: linking takes %.1f s, longer than measuring", pkg, took.Seconds())}
	}
	return Note{fmt.Sprintf("%s: measured in one layout only: linking takes %.1f s, longer than measuring%s", pkg, took.Seconds(), fewPercent)}
}

// fewPercent says what one layout means.
const fewPercent = ", so a change of a few percent may come from the layout; -layouts all links others anyway"
