package bench

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// A forecast knows what is still to do, and tells how long that takes: how often each
// step will come, times what it took so far. What may come or not, as more samples of
// what is undecided, counts by its chance, so that the time left is the one to expect.
type forecast struct {
	steps    map[step]*ahead
	finished int // processes

	stated   time.Time // when expected was
	expected time.Duration
	changed  time.Duration // on top of that if every benchmark changed
}

// A step is what takes about as long each time.
type step struct {
	what string // calibrating, sampling, linking or a kind of profile
	*target
	*benchPackage // of linking
}

const (
	calibrating = "calibrate"
	sampling    = "sample"
	linking     = "link"
)

// ahead is how often a step is still to come.
type ahead struct {
	sure int
	more float64 // that may come, on average
	cost time.Duration
	seen int // times that it was done
}

func (f *forecast) at(s step) *ahead {
	if f.steps == nil {
		f.steps = make(map[step]*ahead)
	}
	a := f.steps[s]
	if a == nil {
		a = new(ahead)
		f.steps[s] = a
	}
	return a
}

// will plans a step n more times, in place of those that might have come. guess is what
// it takes as long as nobody has done it.
func (f *forecast) will(s step, n int, guess time.Duration) {
	a := f.at(s)
	a.sure, a.more = a.sure+n, 0
	if a.seen == 0 {
		a.cost = guess
	}
}

// may says how much more often than planned a step comes, on average.
func (f *forecast) may(s step, n float64) { f.at(s).more = n }

// never takes back a step.
func (f *forecast) never(s step) { *f.at(s) = ahead{} }

// drop takes back all of a target.
func (f *forecast) drop(t *target) {
	for s := range f.steps {
		if s.target == t {
			f.never(s)
		}
	}
}

// done counts a step that took so long; 0: it was left out.
func (f *forecast) done(s step, took time.Duration) {
	a := f.at(s)
	if s.what != linking && (a.sure > 0 || took > 0) {
		f.finished++
	}
	a.sure = max(0, a.sure-1)
	if took > 0 {
		// The last ones tell more: machines get slower and faster.
		const latest = 8
		a.seen++
		a.cost += (took - a.cost) / time.Duration(min(a.seen, latest))
	}
}

// left is how long all that is planned takes.
func (f *forecast) left() time.Duration {
	var sum time.Duration
	for _, a := range f.steps {
		sum += time.Duration((float64(a.sure) + a.more) * float64(a.cost))
	}
	return sum
}

// total is how many processes there are, as far as is known.
func (f *forecast) total() int {
	n := f.finished
	for s, a := range f.steps {
		if s.what != linking {
			n += a.sure
		}
	}
	return n
}

// sampleOf is the step of a target's samples.
func sampleOf(t *target) step { return step{what: sampling, target: t} }

func linkOf(t *target) step { return step{what: linking, benchPackage: t.at[experiment.Head]} }

// cost is what a sample of a target takes, as its calibration has it.
func (t *target) cost(length Length) time.Duration {
	base, head := t.nanos[experiment.Base], t.nanos[experiment.Head]
	if length.Iterations == 0 || head == 0 || base == 0 {
		return length.cost()
	}
	return time.Duration(t.parts(length))*t.overhead + time.Duration(float64(length.Iterations)*(base+head)/2)
}

// expectSamples plans n pairs of each target, and the links that they take.
func (m *bencher) expectSamples(targets []*target, n int) {
	for _, t := range targets {
		m.forecast.will(sampleOf(t), 2*n, t.cost(t.samples))
	}
	m.expectLinks(targets, n)
}

// expectLinks plans a link for each of n pairs. All targets of a package use the same.
func (m *bencher) expectLinks(targets []*target, n int) {
	for _, t := range targets {
		if l := m.layouts[t.at[experiment.Head]]; l != nil && !l.off {
			a := m.forecast.at(linkOf(t))
			a.sure, a.more = max(a.sure, n), 0
		}
	}
}

// expectProfiles plans the profiles of targets on n sides.
func (m *bencher) expectProfiles(targets []*target, n int) {
	for _, t := range targets {
		for _, kind := range m.Profiles {
			m.forecast.will(step{what: kind, target: t}, n, t.overhead+m.profileLength(kind))
		}
	}
}

// expectMore says how many samples beyond the first look there will be on average, by
// the noise of each target where nothing changed.
func (m *bencher) expectMore(targets []*target, noise func(*target) experiment.Floor) {
	looks, opts := m.looks(), m.CompareOptions()
	settled := make(map[*benchPackage][]float64) // chance that no target needs so many looks
	for _, t := range targets {
		p, pairs := t.at[experiment.Head], 0.0
		if settled[p] == nil {
			settled[p] = slices.Repeat([]float64{1}, len(looks))
		}
		for i, next := range looks[1:] {
			open := noise(t).StaysOpen(looks[i].Pairs, opts)
			pairs += open * float64(next.Pairs-looks[i].Pairs)
			settled[p][i] *= 1 - open
		}
		m.forecast.may(sampleOf(t), 2*pairs)
	}
	for _, t := range targets {
		p, links := t.at[experiment.Head], 0.0
		if l := m.layouts[p]; l == nil || l.off {
			continue
		}
		for i, next := range looks[1:] {
			links += (1 - settled[p][i]) * float64(next.Pairs-looks[i].Pairs)
		}
		m.forecast.may(linkOf(t), links)
	}
}

// calibratedNoise is what the calibration tells of the noise: that of one process of
// each side, over all targets. Of few it tells nothing.
func calibratedNoise(targets []*target) experiment.Floor {
	var ratios []float64
	for _, t := range targets {
		if base, head := t.nanos[experiment.Base], t.nanos[experiment.Head]; base > 0 && head > 0 {
			ratios = append(ratios, math.Abs(math.Log(head/base)))
		}
	}
	const few = 5
	if len(ratios) < few {
		return experiment.Floor{}
	}
	slices.Sort(ratios)
	return experiment.Floor{Spread: experiment.MedianDeviation * ratios[len(ratios)/2]}
}

// measuredNoise is that of the pre-check, by target.
func (m *bencher) measuredNoise() (func(*target) experiment.Floor, error) {
	run, err := experiment.Open(context.Background(), m.run.Dir())
	if err != nil {
		return nil, err
	}
	floors := experiment.MeasureFloor(run.Series(experiment.PreCheck))
	return func(t *target) experiment.Floor {
		return experiment.ClockFloor(floors, t.Package, t.Benchmark)
	}, nil
}

// left is how long the rest takes, and no longer than it may.
func (m *bencher) left() time.Duration {
	left := m.forecast.left()
	if m.budget.limited() {
		left = max(0, min(left, time.Until(m.budget.end)))
	}
	return left
}

// ifChanged is how much longer it takes if all of some targets have changed: confirming
// and profiling them.
func (m *bencher) ifChanged(targets []*target) time.Duration {
	first, linked := time.Duration(m.looks()[0].Pairs), make(map[step]bool)
	var sum time.Duration
	for _, t := range targets {
		sum += 2 * first * m.forecast.at(sampleOf(t)).cost
		if link := linkOf(t); m.layouts[link.benchPackage] != nil && !m.layouts[link.benchPackage].off && !linked[link] {
			linked[link] = true
			sum += first * m.forecast.at(link).cost
		}
		if !m.ProfileAll {
			sum += m.profilesCost(t)
		}
	}
	if m.budget.limited() {
		sum = max(0, min(sum, time.Until(m.budget.end)-m.left()))
	}
	return sum
}

// announce says how long the run will take from here on, as long as none of the targets
// that are compared has changed, and if all have.
func (m *bencher) announce(compared []*target) error {
	m.forecast.stated, m.forecast.expected, m.forecast.changed = time.Now(), m.left(), m.ifChanged(compared)
	m.event(Event{Expected: m.forecast.expected, IfChanged: m.forecast.expected + m.forecast.changed})
	return m.run.Time(m.timing())
}

// timing is what was said, and what it took so far.
func (m *bencher) timing() experiment.Timing {
	seconds := func(d time.Duration) float64 { return d.Round(time.Second / 10).Seconds() }
	f := &m.forecast
	return experiment.Timing{
		Expected: seconds(f.expected), IfChanged: seconds(f.expected + f.changed),
		Took: seconds(time.Since(f.stated)), Waited: seconds(m.waiter.waited),
	}
}
