package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
	"golang.org/x/perf/benchunit"
)

// explainOne explains a comparison, if it shows a change and there are profiles.
func (s *Sides) explainOne(c *experiment.Comparison, keep bool) *explanation {
	if !c.Verdict.Changed() {
		return nil
	}
	e := &explanation{key: c.Key, relative: changeText(c), paired: !s.Apart}
	e.base, e.unit = benchunit.Tidy(c.Base.Center, c.Unit)
	e.head, _ = benchunit.Tidy(c.Head.Center, c.Unit)
	by, ok := explained[e.unit]
	if !ok {
		return nil
	}
	e.what, e.sampleType = by.what, by.sampleType
	e.change = e.changeOf(c)
	var files [2]string
	for i, in := range []*input{s.base, s.head} {
		for _, f := range in.run.Profiles() {
			if f.Package == c.Package && f.Benchmark == c.Benchmark && slices.Contains(by.kinds, f.Kind) && f.Side == in.side {
				files[i] = f.Path
			}
		}
	}
	if files[0] == "" || files[1] == "" {
		if files[0] != files[1] {
			e.caveat = fmt.Sprintf("only one side has a profile of kind %s", strings.Join(by.kinds, " or "))
			return e
		}
		return nil
	}
	if err := e.read(files[0], files[1]); err != nil {
		e.caveat = OneLine(err)
		return e
	}
	if !keep {
		e.baseProfile, e.headProfile = nil, nil
	}
	return e
}

// changeOf returns the change that a comparison found, in the tidied unit.
func (e *explanation) changeOf(c *experiment.Comparison) bounded {
	one, _ := benchunit.Tidy(1, c.Unit)
	change := bounded{c.Change * one, c.Interval.Lo * one, c.Interval.Hi * one}
	if c.Scale == experiment.Ratio {
		change = bounded{e.base * (c.Change - 1), e.base * (c.Interval.Lo - 1), e.base * (c.Interval.Hi - 1)}
	}
	if math.IsNaN(change.value) || math.IsInf(change.value, 0) {
		return bounded{e.head - e.base, e.head - e.base, e.head - e.base}
	}
	return change
}

// inBenchmark matches what a benchmark's allocations are made below: a profile
// has those of the test's start and of the profiler as well.
var inBenchmark = lazyregexp.New(`^testing\.\(\*B\)\.(runN|run1|launch|Loop|RunParallel)`)

// readRunProfile reads one of a run's profiles, of a package; warn is told what of it is passed
// over.
func readRunProfile(file, pkg string, warn func(string)) (*profile.Profile, error) {
	f, err := infile.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Decode(f, profile.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if q, err := profile.RemoveUninteresting(p); err != nil {
		warn(fmt.Sprintf("%s: %v; no frames are dropped", filepath.Base(file), err))
	} else {
		p = q
	}
	isMemory := slices.ContainsFunc(p.SampleTypes, func(t profile.ValueType) bool { return t.Type == "alloc_space" })
	if isMemory && !strings.HasPrefix(pkg, "load/") { // a service's are all its own
		p, _, _ = profile.FilterNames(context.Background(), p, profile.NameFilter{Focus: inBenchmark.Get()})
	}
	return p, nil
}

func (e *explanation) read(baseFile, headFile string) error {
	var err error
	if e.baseProfile, err = readRunProfile(baseFile, e.key.Package, e.warn); err != nil {
		return err
	}
	if e.headProfile, err = readRunProfile(headFile, e.key.Package, e.warn); err != nil {
		return err
	}
	bases, heads := profile.AlignLiterals([]*profile.Profile{e.baseProfile}, []*profile.Profile{e.headProfile})
	e.baseProfile, e.headProfile = bases[0], heads[0]
	table, err := profile.NewFrameTable("functions", false)
	if err != nil {
		return err
	}
	var sides [2]functionValues
	for i, p := range []*profile.Profile{e.baseProfile, e.headProfile} {
		if sides[i], err = valuesByFunction(p, e.sampleType, table); err != nil {
			return err
		}
	}
	z := deviations(confidence)
	a := attribution{total: [2]weighed{sides[0].total, sides[1].total}}
	a.costs[0].value = e.base
	a.costs[1] = cost{e.base + e.change.value, (e.change.value - e.change.lo) / z, (e.change.hi - e.change.value) / z}
	if e.unit == "sec/op" {
		e.perOperation(&a)
	}
	if a.costs[1].value > 0 {
		e.ratio = a.costs[0].value / a.costs[1].value
	}
	if a.unseen(0) || a.unseen(1) {
		e.attributeOne(&a, sides, table)
		return nil
	}
	if e.attribute(&a, sides, table); len(e.rows) == 0 {
		e.tooFew = &tooFew{samples: [2]int64{e.samplesOf(e.baseProfile), e.samplesOf(e.headProfile)}}
		if d := min(e.baseProfile.DurationNanos, e.headProfile.DurationNanos); d > 0 {
			e.tooFew.long = longEnough(time.Duration(d), a.times(ownParts(sides, table), e.change.value))
		}
	}
	return nil
}

// attributeOne finds the functions that changed where one profile is empty.
func (e *explanation) attributeOne(a *attribution, sides [2]functionValues, table *profile.FrameTable) {
	// A picture would have all of the other side as new, or gone.
	e.baseProfile, e.headProfile = nil, nil
	empty, rest := "the base's profile is empty", remainder{-a.costs[0].value, "the whole cost of the base, whose profile is empty"}
	if a.unseen(1) {
		empty, rest = "the head's profile is empty", remainder{a.costs[1].value, "the whole cost of the head, whose profile is empty"}
	}
	switch {
	case a.total[0].value == 0 && a.total[1].value == 0:
		e.warn("neither profile has samples: profile for longer with -profiletime")
		return
	case e.unit == "sec/op":
		// How much of the other side's time is waiting would not be known.
		e.warn(empty + ": the benchmark waits, or needs a longer profile (-profiletime)")
		return
	}
	e.warn(empty + ": profile for longer with -profiletime")
	e.attribute(a, sides, table)
	if len(e.rows) == 0 {
		e.warn("no function changed by more than the whole cost of this side, so the cause is unknown")
		return
	}
	e.remainder = rest
}

// mostCallers bounds what is a hint: all that is above what moved has moved.
const mostCallers = 20

// ownParts are what functions of both sides do themselves, by frame of the table.
func ownParts(sides [2]functionValues, table *profile.FrameTable) [][2]weighed {
	own := make([][2]weighed, table.Len())
	for f := range own {
		own[f] = [2]weighed{valueAt(sides[0].own, f), valueAt(sides[1].own, f)}
	}
	return own
}

// valueAt returns a frame's value: one that a side has not got is past the end.
func valueAt(values []weighed, f int) weighed {
	if f < len(values) {
		return values[f]
	}
	return weighed{}
}

// attribute finds the functions that changed.
func (e *explanation) attribute(a *attribution, sides [2]functionValues, table *profile.FrameTable) {
	own := ownParts(sides, table)
	origins := table.Origins()
	var cum [][2]weighed
	var callers []int // frames of cum
	for f := range table.Len() {
		if !harness.MatchString(table.Frame(uint32(f)).Name) {
			cum = append(cum, [2]weighed{valueAt(sides[0].cum, f), valueAt(sides[1].cum, f)})
			callers = append(callers, f)
		}
	}
	row := func(f int, zOwn, zCum float64) movedRow {
		frame := table.Frame(uint32(f))
		r := movedRow{name: frame.Name, file: frame.File, yours: origins.Of(&frame) == profile.OriginOwn}
		with := [2]weighed{valueAt(sides[0].cum, f), valueAt(sides[1].cum, f)}
		r.ownChange, r.cumChange = a.change(own[f], zOwn), a.change(with, zCum)
		for i := range with {
			r.own[i], r.cum[i] = a.cost(i, own[f][i]), a.cost(i, with[i])
		}
		r.isNew, r.isGone = with[0].value == 0 && !a.unseen(0), with[1].value == 0 && !a.unseen(1)
		return r
	}
	moved, zOwn := a.shown(own)
	movedCallers, zCum := a.shown(cum)

	rest := a.total
	isRow := make(map[int]bool)
	for _, f := range moved {
		isRow[f] = true
		e.rows = append(e.rows, row(f, zOwn, zCum))
		for i := range rest {
			rest[i].value -= own[f][i].value
			rest[i].variance = max(0, rest[i].variance-own[f][i].variance)
		}
	}
	for f, values := range own {
		if !isRow[f] && (values[0].value != 0 || values[1].value != 0) {
			e.others++
		}
	}
	e.othersOwn = a.change(rest, zOwn)
	for _, i := range movedCallers {
		if f := callers[i]; !isRow[f] {
			e.callers = append(e.callers, row(f, zOwn, zCum))
		}
	}
	largest := func(change func(r *movedRow) float64) func(x, y movedRow) int {
		return func(x, y movedRow) int {
			return cmp.Or(-cmp.Compare(math.Abs(change(&x)), math.Abs(change(&y))), cmp.Compare(x.name, y.name))
		}
	}
	slices.SortStableFunc(e.rows, largest(func(r *movedRow) float64 { return r.ownChange.value }))
	slices.SortStableFunc(e.callers, largest(func(r *movedRow) float64 { return r.cumChange.value }))
	e.callers = e.callers[:min(mostCallers, len(e.callers))]
}

// aboutTheTime is how far CPU time and time of an operation may be apart before
// the benchmark is taken for one that waits, or is parallel. A profile of fifty
// samples is off by 15 %, and the collector runs beside a busy core.
const aboutTheTime = 1.6

// perOperation makes the costs those in CPU time, where the profiles tell how many
// operations they are of and it is far from the metric.
func (e *explanation) perOperation(a *attribution) {
	var cpu, share [2]float64
	for i, p := range []*profile.Profile{e.baseProfile, e.headProfile} {
		n := capture.ProfileIterations(p)
		if n == 0 || a.total[i].value == 0 || a.costs[i].value <= 0 {
			return
		}
		cpu[i] = a.total[i].value / 1e9 / float64(n)
		share[i] = cpu[i] / a.costs[i].value
	}
	why := "waiting, which CPU profiles don't show"
	switch {
	case min(share[0], share[1]) < 1/aboutTheTime:
		next := ": try hone bench -profile wall"
		if strings.HasPrefix(e.key.Package, "load/") {
			next = "" // a service's trace is taken from its pages
		}
		e.warn(fmt.Sprintf("on a CPU for %.0f %% of the time (base) and %.0f %% (head); the rest is waiting, perhaps for other programs%s", 100*share[0], 100*share[1], next))
	case max(share[0], share[1]) > aboutTheTime:
		e.warn(fmt.Sprintf("on several cores: CPU time is %.1f times the time (base) and %.1f times (head)", share[0], share[1]))
		why = "work on several cores in parallel"
	default:
		return
	}
	e.remainder = remainder{e.change.value - (cpu[1] - cpu[0]), why}
	for i := range cpu {
		// The total is no longer measured by other runs, but counted.
		c := &a.costs[i]
		counted := cpu[i] * math.Sqrt(a.total[i].variance) / a.total[i].value
		*c = cost{cpu[i], math.Hypot(counted, c.below*share[i]), math.Hypot(counted, c.above*share[i])}
	}
}

// warn adds to the caveat.
func (e *explanation) warn(text string) {
	if e.caveat != "" {
		e.caveat += "; "
	}
	e.caveat += text
}

// functionValues are the values of a profile by frame of a table.
type functionValues struct {
	total    weighed
	own, cum []weighed // cum counts a sample once, however often a function is in it
}

func valuesByFunction(p *profile.Profile, sampleType string, table *profile.FrameTable) (v functionValues, err error) {
	index, err := p.SampleIndex(sampleType)
	if err != nil {
		return v, err
	}
	if index < 0 {
		return v, fmt.Errorf("the profile has no samples")
	}
	frames := table.Add(p)
	v.own, v.cum = make([]weighed, table.Len()), make([]weighed, table.Len())
	seen := make([]int, table.Len())
	for s, value := range weights(p, index) {
		v.total.add(value)
		for depth, location := range p.Stack(s) {
			for inner, frame := range frames.At(location) {
				f := frame.Index()
				if depth == 0 && inner == 0 {
					v.own[f].add(value)
				}
				if seen[f] != s+1 {
					seen[f] = s + 1
					v.cum[f].add(value)
				}
			}
		}
	}
	return v, nil
}

// samplesOf is how many samples are in a profile: how often a CPU profiler looked,
// or how many allocations were taken.
func (e *explanation) samplesOf(p *profile.Profile) int64 {
	index, err := p.SampleIndex(e.sampleType)
	if err != nil || index < 0 {
		return 0
	}
	n := 0.0
	for s, w := range weights(p, index) {
		switch objects := columnOf(p, "alloc_objects"); {
		case objects != nil && w.variance > 0:
			// n (1−q)/q of what n objects were taken for, where q is the chance.
			scaled := float64(objects[s])
			n += scaled / (1 + w.variance*scaled/(w.value*w.value))
		case objects != nil:
			n += float64(objects[s])
		case w.value > 0:
			n += w.value * w.value / w.variance
		}
	}
	return int64(math.Round(n))
}

// Functions above the code that a benchmark is about: with what they call, they
// always change by about as much as the benchmark.
var harness = lazyregexp.New(`^(testing\.\(\*[BM]\)\.|testing\.|runtime\.goexit|runtime\.main$|main\.main$)|(^|[./])Benchmark([^a-z]|$)`)
