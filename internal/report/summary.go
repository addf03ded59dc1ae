package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// Summary is a first look at a profile: which of your lines cost most, how much the
// runtime took, whether the program was busy at all, and how certain that is.
type Summary struct {
	About
	// Samples is the number of events that the shares are based on: the stacks that
	// a CPU profiler took. 0 if unknown.
	Samples int64 `json:"samples,omitempty"`
	// Instances are how many instances a comparison's verdicts are based on, Base and
	// Head; nil without.
	Instances *[2]int `json:"instances,omitempty"`
	// Change says of a comparison how much changed, and which functions most: see [Diff.InShort].
	Change *Diff `json:"change,omitempty"`
	// Cores is how many processors were busy on average, for a CPU profile whose
	// duration is known. Idle is set if that is less than idleCores.
	Cores *float64 `json:"cores,omitempty"`
	Idle  bool     `json:"idle"`

	// Lines are those of your lines that cost most, at most summaryLines. The cost
	// includes callees, except for other functions of yours.
	Lines []SummaryLine `json:"lines"`
	// Shares are the runtime's shares by kind of work, whichever code caused it. They
	// overlap with Lines. Only CPU profiles have them: in others the runtime's share
	// means something else.
	Shares []SummaryShare `json:"shares"`
}

// SummaryLine is a line of source with what it costs.
type SummaryLine struct {
	Place
	Cost   Quantity `json:"cost"`
	Margin *Margin  `json:"margin,omitempty"`
	// Noise says of a comparison's line that chance explains its change.
	Noise bool `json:"noise,omitempty"`
}

// SummaryShare is the share of one kind of the runtime's work.
type SummaryShare struct {
	Name   string   `json:"name"` // "garbage collection", "allocation", "scheduler"
	Cost   Quantity `json:"cost"`
	Margin *Margin  `json:"margin,omitempty"`
	// Alone is what of it no code of yours or of a library called: the row of that name where only
	// your code is shown. Nil if there is none, or if it is all.
	Alone *Quantity `json:"alone,omitempty"`
}

// Margin is the 95 % confidence interval of a share, in percent of the total: if the
// same program were sampled again and again, 19 of 20 such intervals would contain the
// true share.
type Margin struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// SummaryFunctions is how many functions the summary of a comparison names.
const SummaryFunctions = 3

const (
	summaryLines = 3
	idleCores    = 0.05
)

// Sampling says how a profile's values came about.
type Sampling struct {
	Divided   float64 // what the values of a sum were divided by; 0 is 1
	Chance    *Chance // of a comparison; nil otherwise
	BaseScale float64 // the factor of the base's values in a comparison
}

// NewSummary computes the summary of p after the options' filters. It visits each stack
// once and builds no graph: pages request it together with the first flame graph, which
// must not wait for it.
func NewSummary(p *profile.Profile, o Options, env Env, by Sampling) (*Summary, error) {
	if o.Mine == "" {
		o.Mine = MineModule
	}
	yours := o.Mine
	o.Mine, o.Mean, o.RelativePercentages = "", false, false
	r, err := New(p, "list", "", o, env)
	if err != nil {
		return nil, err
	}
	s := &Summary{About: r.about(r.ProfileHeader()), Shares: []SummaryShare{}}
	cpu := isCPU(p, r.index)
	if cpu && by.Chance == nil {
		s.Samples = events(p, by.Divided)
		s.busy(p)
	}
	r.opt.Mine = yours
	costs, err := dearestLines(r)
	if err != nil {
		return nil, err
	}
	s.Lines = []SummaryLine{}
	for _, c := range costs {
		line := SummaryLine{Place: c.Place, Cost: r.quantity(c.head - c.base)}
		if by.Chance != nil {
			line.judge(c, by)
		} else {
			line.Margin = s.margin(line.Cost)
		}
		s.Lines = append(s.Lines, line)
	}
	if c := by.Chance; c != nil && c.spreads != nil {
		s.Instances = &[2]int{c.BaseInstances, c.Instances}
	}
	if !cpu {
		return s, nil
	}
	work := r.prof.RuntimeWork(r.index)
	for _, w := range []struct {
		name         string
		value, alone int64
	}{{"garbage collection", work.GC, work.GCAlone}, {"allocation", work.Allocation, 0}, {"scheduler", work.Scheduler, work.SchedulerAlone}} {
		q := r.quantity(w.value)
		share := SummaryShare{Name: w.name, Cost: q, Margin: s.margin(q)}
		if w.alone != 0 && w.alone != w.value {
			alone := r.quantity(w.alone)
			share.Alone = &alone
		}
		s.Shares = append(s.Shares, share)
	}
	return s, nil
}

// judge sets the margin of a comparison's line, and whether chance explains its change.
func (l *SummaryLine) judge(c lineCost, by Sampling) {
	if !by.Chance.known() {
		return
	}
	base, head := by.Chance.sides(c.Func, true, float64(c.base), float64(c.head), by.BaseScale)
	l.Noise = SureChange(base, head) == 0
	low, high := changeInterval(base, head)
	percent := l.Cost.Percent / float64(c.head-c.base) // the cost is above 0
	l.Margin = &Margin{
		Low:  l.Cost.Percent + percent*(low-(head.Value-base.Value)),
		High: l.Cost.Percent + percent*(high-(head.Value-base.Value)),
	}
}

// A lineCost is the cost of a line on both sides of a comparison; base is 0 without one.
type lineCost struct {
	Place
	base, head int64
}

// dearestLines returns those of your lines that cost most, including calls of code that
// isn't yours. A line's cost is its own value after [profile.FoldForeign].
func dearestLines(r *Report) ([]lineCost, error) {
	p := r.prof
	if r.opt.NoInlines {
		p = profile.Aggregate(p, profile.Granularity{Function: true, File: true, Line: true, Column: true, Address: true})
	}
	yours, err := r.opt.yours(p)
	if err != nil {
		return nil, err
	}
	mine := make([]bool, len(p.Functions))
	for f := range mine {
		mine[f] = yours(uint32(f))
	}
	innermost := make([]*profile.Line, len(p.Locations)) // of yours
	for l := range innermost {
		lines := p.LocationLines(uint32(l))
		if i := slices.IndexFunc(lines, func(line profile.Line) bool { return mine[line.Function] }); i >= 0 {
			innermost[l] = &lines[i]
		}
	}
	costs, any := make([]int64, len(p.Locations)), false
	based := make([]int64, len(p.Locations)) // the negative part of costs: a comparison's base
	for s := range p.Stacks {
		for _, l := range p.Stack(s) {
			if innermost[l] != nil {
				v, _ := r.weights.of(s)
				costs[l] += v
				based[l] += min(v, 0)
				any = true
				break
			}
		}
	}
	if !any && len(p.Stacks) > 0 {
		r.warn(noneYours)
	}

	type place struct {
		name, file profile.StringID
		line       int64
	}
	sums, bases := map[place]int64{}, map[place]int64{}
	for l, line := range innermost {
		if line != nil && line.Line != 0 && costs[l] != 0 {
			f := &p.Functions[line.Function]
			at := place{f.Name, f.File, line.Line}
			sums[at] += costs[l]
			bases[at] -= based[l]
		}
	}
	compare := func(a, b place) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]),
			cmp.Compare(p.Strings[a.name], p.Strings[b.name]), cmp.Compare(p.Strings[a.file], p.Strings[b.file]), cmp.Compare(a.line, b.line))
	}
	var most []place // in order, of the many there may be
	for at, cost := range sums {
		if cost <= 0 || len(most) == summaryLines && cost < sums[most[summaryLines-1]] {
			continue
		}
		i, _ := slices.BinarySearchFunc(most, at, compare)
		most = slices.Insert(most, i, at)
		most = most[:min(len(most), summaryLines)]
	}
	trim := srcfind.NewTrimmer(r.opt.TrimPath, r.opt.SourcePath).Trim
	var lines []lineCost
	for _, at := range most {
		file := p.Strings[at.file]
		if file != "" {
			file = filepath.Clean(trim(file))
		}
		n := node{nodeKey: &nodeKey{name: p.Strings[at.name], file: file, line: at.line}}
		lines = append(lines, lineCost{Place: n.place(), base: bases[at], head: sums[at] + bases[at]})
	}
	return lines, nil
}

// isCPU reports whether a sample type of p is of a CPU profile.
func isCPU(p *profile.Profile, index int) bool {
	return p.SampleTypes[index].Type == "cpu" || p.PeriodType.Type == "cpu"
}

// events returns how many stacks a CPU profiler took, 0 if p doesn't tell. Counts that
// were divided are rounded, so those come from the values.
func events(p *profile.Profile, divided float64) int64 {
	if i := slices.Index(p.SampleTypes, p.PeriodType); divided != 0 && divided != 1 && i >= 0 && p.Period > 0 {
		return int64(math.Round(float64(Magnitude(p, p.PeriodType)) * divided / float64(p.Period)))
	}
	t := p.SampleTypes[0]
	if t.Type != "samples" || t.Unit != "count" {
		return 0
	}
	var n int64
	for _, v := range p.Values[0] {
		n += max(v, 0)
	}
	return n
}

// busy sets Cores and Idle, where p has a duration and its values are times.
func (s *Summary) busy(p *profile.Profile) {
	index := slices.IndexFunc(p.SampleTypes, func(t profile.ValueType) bool { return t.Type == "cpu" })
	if index < 0 || p.DurationNanos <= 0 {
		return
	}
	each, unit := profile.Convert(1, p.SampleTypes[index].Unit, "ns")
	if unit != "ns" {
		return
	}
	var sum float64
	for _, v := range p.Values[index] {
		sum += float64(v)
	}
	cores := sum * each / float64(p.DurationNanos)
	s.Cores, s.Idle = &cores, cores < idleCores
}

// margin returns the sampling error of a share, nil if it isn't known how many samples
// there were. Stacks are taken at intervals of CPU time that don't depend on what runs,
// so each is an independent draw. Work that is periodic with the interval breaks that,
// and no formula shows it.
func (s *Summary) margin(q Quantity) *Margin {
	if s.Samples == 0 {
		return nil
	}
	m := Measured{Value: q.Percent, Event: 100 / float64(s.Samples), Whole: 100}
	low, high := m.interval()
	return &Margin{Low: low, High: high}
}

// WriteText writes the summary for people.
func (s *Summary) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, line := range s.Header {
		fmt.Fprintln(b, oneLine(line))
	}
	if s.Cores != nil {
		fmt.Fprintf(b, "Busy: %.2f cores\n", *s.Cores)
	}
	if s.Idle {
		fmt.Fprintln(b, "The program was idle: its CPU profile tells little; a wall, block or goroutine profile says what it waited for.")
	}
	row := func(name string, q Quantity, m *Margin) {
		between := ""
		if m != nil {
			between = fmt.Sprintf("%.1f%% to %.1f%%", m.Low, m.High)
		}
		fmt.Fprintf(b, "%10s %6.2f%%  %-16s  %s\n", q.Text, q.Percent, between, oneLine(name))
	}
	for i := range s.Lines {
		row(s.Lines[i].Name, s.Lines[i].Cost, s.Lines[i].Margin)
	}
	for i := range s.Shares {
		row(s.Shares[i].Name, s.Shares[i].Cost, s.Shares[i].Margin)
	}
	return b.Flush()
}
