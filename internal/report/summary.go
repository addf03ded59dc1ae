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
}

// SummaryShare is the share of one kind of the runtime's work.
type SummaryShare struct {
	Name   string   `json:"name"` // "garbage collection", "allocation", "scheduler"
	Cost   Quantity `json:"cost"`
	Margin *Margin  `json:"margin,omitempty"`
}

// Margin is the 95 % confidence interval of a share, in percent of the total: if the
// same program were sampled again and again, 19 of 20 such intervals would contain the
// true share.
type Margin struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	summaryLines = 3
	idleCores    = 0.05
)

// NewSummary computes the summary of p after the options' filters. It visits each stack
// once and builds no graph: pages request it together with the first flame graph, which
// must not wait for it.
func NewSummary(p *profile.Profile, o Options, env Env) (*Summary, error) {
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
	if cpu {
		s.Samples = events(p)
		s.busy(p)
	}
	r.opt.Mine = yours
	if s.Lines, err = dearestLines(r); err != nil {
		return nil, err
	}
	for i := range s.Lines {
		s.Lines[i].Margin = s.margin(s.Lines[i].Cost)
	}
	if !cpu {
		return s, nil
	}
	work := r.prof.RuntimeWork(r.index)
	for _, w := range []struct {
		name  string
		value int64
	}{{"garbage collection", work.GC}, {"allocation", work.Allocation}, {"scheduler", work.Scheduler}} {
		q := r.quantity(w.value)
		s.Shares = append(s.Shares, SummaryShare{w.name, q, s.margin(q)})
	}
	return s, nil
}

// dearestLines returns those of your lines that cost most, including calls of code that
// isn't yours. A line's cost is its own value after [profile.FoldForeign].
func dearestLines(r *Report) ([]SummaryLine, error) {
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
	for s := range p.Stacks {
		for _, l := range p.Stack(s) {
			if innermost[l] != nil {
				v, _ := r.weights.of(s)
				costs[l] += v
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
	sums := map[place]int64{}
	for l, line := range innermost {
		if line != nil && line.Line != 0 && costs[l] != 0 {
			f := &p.Functions[line.Function]
			sums[place{f.Name, f.File, line.Line}] += costs[l]
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
	lines := []SummaryLine{}
	for _, at := range most {
		file := p.Strings[at.file]
		if file != "" {
			file = filepath.Clean(trim(file))
		}
		n := node{nodeKey: &nodeKey{name: p.Strings[at.name], file: file, line: at.line}}
		lines = append(lines, SummaryLine{Place: n.place(), Cost: r.quantity(sums[at])})
	}
	return lines, nil
}

// isCPU reports whether a sample type of p is of a CPU profile.
func isCPU(p *profile.Profile, index int) bool {
	return p.SampleTypes[index].Type == "cpu" || p.PeriodType.Type == "cpu"
}

// events returns how many stacks a CPU profiler took, 0 if p doesn't tell.
func events(p *profile.Profile) int64 {
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
// there were.
func (s *Summary) margin(q Quantity) *Margin {
	if s.Samples == 0 {
		return nil
	}
	m := MarginOf(q.Percent, s.Samples)
	return &m
}

// MarginOf returns the sampling error of a share in percent: Wilson's score interval
// at 95 %,
//
//	(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n),  z = 1.96
//
// of a binomial proportion p of n samples (E. B. Wilson, "Probable inference", 1927),
// which stays within 0 and 1 and holds for the few samples of a rare line. Stacks are
// taken at intervals of CPU time that don't depend on what runs, so that each is a
// draw; what is periodic with the interval breaks that, and no formula tells.
func MarginOf(percent float64, samples int64) Margin {
	const z = 1.96
	p, n := min(max(percent/100, 0), 1), float64(samples)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
	return Margin{Low: 100 * max(middle-half, 0), High: 100 * min(middle+half, 1)}
}

// SureChange returns how much of a change between two shares in percent, of so many
// samples each, is beyond their sampling error: the end nearer to 0 of the interval
//
//	d ± √((p₁−l₁)² + (u₂−p₂)²)
//
// of the difference d, made of the margins of both (R. G. Newcombe, "Interval estimation
// for the difference between independent proportions", method 10, 1998); 0 if that holds
// 0. Where numbers of samples aren't known, 0, the values are taken as exact.
func SureChange(before, after float64, samplesBefore, samplesAfter int64) float64 {
	if samplesBefore <= 0 || samplesAfter <= 0 {
		return after - before
	}
	a, b := MarginOf(before, samplesBefore), MarginOf(after, samplesAfter)
	if after < before {
		return min(0, after-before+math.Hypot(a.Low-before, b.High-after))
	}
	return max(0, after-before-math.Hypot(a.High-before, b.Low-after))
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
