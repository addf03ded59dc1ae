package compare

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/profile"
	"golang.org/x/perf/benchunit"
)

// An explanation says which functions moved a benchmark's metric.
//
// A profile is a sample and from a run of its own, while the metric has many runs,
// so values are turned into the metric by shares, and the changes of all functions
// add up to the change of the metric:
//
//	own(f) per operation = own(f) in the profile / total of the profile × median of the metric
//
// A profile also notes the number of iterations, or requests, that it is of. Where
// the CPU time per operation is far from the time per operation, since the benchmark waits
// or runs on several cores, shares of the one say nothing of the other. There
//
//	own(f) per operation = own(f) in the profile / iterations
//
// and a caveat says so.
type explanation struct {
	key        experiment.Key
	what       string // "CPU profiles"
	sampleType string
	base, head float64 // medians in the tidied unit
	unit       string  // tidied
	ratio      float64 // of the profiles' totals per operation, base to head; 0 if unknown
	rows       []movedRow
	caveat     string // instead of rows, or beside them

	baseProfile, headProfile *profile.Profile // reduced to what counts
}

// A movedRow is a function. Values are of the metric, per operation.
type movedRow struct {
	name, file string
	own, cum   [2]float64 // of base and head; cum with callees
	isNew      bool
	isGone     bool
}

func (r *movedRow) ownDelta() float64 { return r.own[1] - r.own[0] }
func (r *movedRow) cumDelta() float64 { return r.cum[1] - r.cum[0] }

// explained lists the metrics that profiles explain. A benchmark's allocations are
// in a profile of kind mem, a service's in one of kind allocs.
var explained = map[string]struct {
	kinds            []string
	sampleType, what string
}{
	"sec/op":     {[]string{"cpu"}, "cpu", "CPU profiles"},
	"cpu-sec/op": {[]string{"cpu"}, "cpu", "CPU profiles"},
	"B/op":       {[]string{"mem", "allocs"}, "alloc_space", "allocation profiles"},
	"allocs/op":  {[]string{"mem", "allocs"}, "alloc_objects", "allocation profiles"},
}

// explainOne explains a comparison, if it shows a change and there are profiles.
func (s *Sides) explainOne(c *experiment.Comparison, keep bool) *explanation {
	if !c.Verdict.Changed() {
		return nil
	}
	e := &explanation{key: c.Key}
	e.base, e.unit = benchunit.Tidy(c.Base.Center, c.Unit)
	e.head, _ = benchunit.Tidy(c.Head.Center, c.Unit)
	by, ok := explained[e.unit]
	if !ok {
		return nil
	}
	e.what, e.sampleType = by.what, by.sampleType
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

// inBenchmark matches what a benchmark's allocations are made below: a profile
// has those of the test's start and of the profiler as well.
var inBenchmark = regexp.MustCompile(`^testing\.\(\*B\)\.(runN|run1|launch|Loop|RunParallel)`)

// readRunProfile reads one of a run's profiles; warn is told what of it is passed
// over.
func readRunProfile(file string, warn func(string)) (*profile.Profile, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p, err := profile.Decode(bytes.NewReader(data), profile.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if q, err := p.RemoveUninteresting(); err != nil {
		warn(fmt.Sprintf("%s: %v; no frames are dropped", filepath.Base(file), err))
	} else {
		p = q
	}
	if slices.ContainsFunc(p.SampleTypes, func(t profile.ValueType) bool { return t.Type == "alloc_space" }) {
		if of, matches := p.FilterNames(profile.NameFilter{Focus: inBenchmark}); matches.Focus {
			p = of
		}
	}
	return p, nil
}

func (e *explanation) read(baseFile, headFile string) error {
	var err error
	if e.baseProfile, err = readRunProfile(baseFile, e.warn); err != nil {
		return err
	}
	if e.headProfile, err = readRunProfile(headFile, e.warn); err != nil {
		return err
	}
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
	// The total of each side, per operation.
	metric := [2]float64{e.base, e.head}
	if e.unit == "sec/op" {
		metric = e.perOperation(metric, [2]int64{int64(sides[0].total.value), int64(sides[1].total.value)})
	}
	if metric[1] > 0 {
		e.ratio = metric[0] / metric[1]
	}
	var all []movedRow
	for f := range uint32(table.Len()) {
		frame := table.Frame(f)
		r := movedRow{name: frame.Name, file: frame.File}
		for i, v := range sides {
			if v.total.value == 0 && metric[i] != 0 {
				e.caveat = "a profile is empty: the benchmark was profiled too shortly"
				return nil
			}
			if v.total.value != 0 && int(f) < len(v.own) {
				r.own[i], r.cum[i] = v.own[f].value/v.total.value*metric[i], v.cum[f].value/v.total.value*metric[i]
			}
		}
		r.isNew, r.isGone = r.cum[0] == 0, r.cum[1] == 0
		all = append(all, r)
	}
	e.rows = mostMoved(all, math.Abs(metric[1]-metric[0]))
	const fewSamples = 50
	if e.sampleType == "cpu" {
		for _, p := range []*profile.Profile{e.baseProfile, e.headProfile} {
			if n := cpuSamples(p); n < fewSamples {
				e.warn(fmt.Sprintf("only %d samples in a profile: what moved is roughly known", n))
				break
			}
		}
	}
	return nil
}

// aboutTheTime is how far CPU time and time of an operation may be apart before
// the benchmark is taken for one that waits, or is parallel. A profile of fifty
// samples is off by 15 %, and the collector runs beside a busy core.
const aboutTheTime = 1.6

// perOperation returns the CPU time of an operation, in seconds, where the
// profiles tell how many they are of and it is far from the metric; else the
// metric.
func (e *explanation) perOperation(metric [2]float64, totals [2]int64) [2]float64 {
	var cpu [2]float64
	for i, p := range []*profile.Profile{e.baseProfile, e.headProfile} {
		n := capture.ProfileIterations(p)
		if n == 0 || totals[i] == 0 || metric[i] <= 0 {
			return metric
		}
		cpu[i] = float64(totals[i]) / 1e9 / float64(n)
	}
	base, head := cpu[0]/metric[0], cpu[1]/metric[1]
	switch {
	case min(base, head) < 1/aboutTheTime:
		next := ": hone bench -profile wall"
		if strings.HasPrefix(e.key.Package, "load/") {
			next = "" // a service's trace is taken from its pages
		}
		e.warn(fmt.Sprintf("on a CPU for %.0f %% of the time (base) and %.0f %% (head); the rest it waits, if only for other programs%s", 100*base, 100*head, next))
	case max(base, head) > aboutTheTime:
		e.warn(fmt.Sprintf("on several cores: %.1f times the time (base) and %.1f times (head) in CPU time", base, head))
	default:
		return metric
	}
	return cpu
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

// cpuSamples is the number of times that a CPU profiler looked.
func cpuSamples(p *profile.Profile) int64 {
	i, err := p.SampleIndex("samples")
	if err != nil || i < 0 {
		return math.MaxInt64
	}
	var n int64
	for _, v := range p.Values[i] {
		n += v
	}
	return n
}

// Functions above the code that a benchmark is about: with what they call, they
// always change by about as much as the benchmark.
var harness = regexp.MustCompile(`^(testing\.\(\*[BM]\)\.|testing\.|runtime\.goexit|runtime\.main$|main\.main$)|(^|[./])Benchmark([^a-z]|$)`)

const movedRows = 5 // by either order

// mostMoved returns the functions that changed most, by themselves or with what
// they call, the latter first. What is below a hundredth of the change is not
// shown: a profile has only so many samples.
func mostMoved(all []movedRow, change float64) []movedRow {
	chosen := make(map[string]bool)
	var some []movedRow
	take := func(less func(a, b movedRow) int, fits func(r *movedRow) bool) {
		slices.SortStableFunc(all, less)
		n := 0
		for i := range all {
			if n == movedRows {
				return
			}
			if r := &all[i]; fits(r) {
				n++
				if !chosen[r.name] {
					chosen[r.name] = true
					some = append(some, *r)
				}
			}
		}
	}
	byCum := func(a, b movedRow) int {
		return cmp.Or(-cmp.Compare(math.Abs(a.cumDelta()), math.Abs(b.cumDelta())), cmp.Compare(a.name, b.name))
	}
	byOwn := func(a, b movedRow) int {
		return cmp.Or(-cmp.Compare(math.Abs(a.ownDelta()), math.Abs(b.ownDelta())), cmp.Compare(a.name, b.name))
	}
	take(byCum, func(r *movedRow) bool { return !harness.MatchString(r.name) && math.Abs(r.cumDelta()) > change/100 })
	take(byOwn, func(r *movedRow) bool { return math.Abs(r.ownDelta()) > change/100 })
	slices.SortStableFunc(some, byCum)
	return some
}

// title is "Parse-2 sec/op, 501.2n → 340.1n: what moved it, by CPU profiles".
func (e *explanation) title() string {
	class := benchunit.ClassOf(e.unit)
	return fmt.Sprintf("%s %s, %s → %s: what moved it, by %s", printable(e.key.Benchmark), e.unit,
		benchunit.Scale(e.base, class), benchunit.Scale(e.head, class), e.what)
}

// table returns the cells of the rows: change of the own value, the change with
// callees from and to, and the function.
func (e *explanation) table() (header []string, rows [][]string) {
	var values []float64
	for i := range e.rows {
		values = append(values, math.Abs(e.rows[i].cumDelta()))
	}
	if len(values) > 0 {
		values = []float64{slices.Max(values)} // the smallest value decides a common scale
	}
	s := benchunit.CommonScale(values, benchunit.ClassOf(e.unit))
	signed := func(v float64) string {
		text := s.Format(math.Abs(v))
		switch {
		case v == 0:
			return "0"
		case v < 0:
			return "-" + text
		}
		return "+" + text
	}
	plain := func(v float64) string {
		if v == 0 {
			return "0"
		}
		return s.Format(v)
	}
	header = []string{"own", "with callees", "from", "to", "function"}
	for i := range e.rows {
		r := &e.rows[i]
		name := printable(r.name)
		switch {
		case r.isNew:
			name += " (new)"
		case r.isGone:
			name += " (gone)"
		}
		rows = append(rows, []string{signed(r.ownDelta()), signed(r.cumDelta()), plain(r.cum[0]), plain(r.cum[1]), name})
	}
	return header, rows
}
