// Package measure puts a service under load and keeps what comes of it as a run:
// response times of several periods, and, over periods of the same load that
// follow, the service's profiles, one kind at a time, from which a request's cost
// is told.
package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/profile"
)

// A Plan is what to do.
type Plan struct {
	Protocol string // "http": the run's package is "load/http"
	Name     string // of the benchmark that the run has, without "Benchmark"
	Load     Load
	Warmup   time.Duration // before the first period
	Duration time.Duration // of a period
	Count    int           // periods, each a sample
	Options  load.Options  // Warmup and Window are set by Plan
	Goals    []load.Goal   // the run keeps whether they were met

	Profiles    []string // kinds, of Kinds
	ProfileTime time.Duration
	// Fetch takes a profile of the service that covers a time: "cpu", "allocs", ….
	// It is asked again while the error is [capture.ErrInUse].
	Fetch func(ctx context.Context, kind string, seconds int) (*profile.Profile, error)

	// Memory reads what the service has allocated so far; nil if it can't be had.
	Memory func(ctx context.Context) (Memory, error)

	// Deliveries are what became of the messages of periods, by their results; nil where
	// none are read.
	Deliveries func(periods []*load.Result) []experiment.LoadDelivery

	Run    *experiment.Writer // what is measured is written to; nil: nothing is kept
	Events func(Event)        // may be nil
}

// A Load sends for a time. It is called once for the warm-up, each period and each
// profile.
type Load func(ctx context.Context, stage Stage, d time.Duration, opts load.Options) (*load.Result, error)

// A Stage is what a load is for.
type Stage uint8

const (
	WarmUp  Stage = iota
	Period        // it is measured
	Profile       // it goes on for as long as a profile takes
)

func (s Stage) String() string { return [...]string{"warm up", "measure", "profile"}[s] }

// Memory is what a process has allocated since its start, as runtime.MemStats tells.
type Memory struct {
	Bytes, Objects uint64
	GCs            uint64
}

// Kinds are the profiles that can be taken of a service under load.
func Kinds() []string { return []string{"cpu", "allocs", "mutex", "block"} }

// An Event tells how far a measurement is.
type Event struct {
	Stage       Stage
	Done, Total int // periods, or kinds
	What        string
	Left        time.Duration // of all stages
	Window      *load.Window  // of what ended just now; nil at the start of a stage
	Warning     string        // instead of all others
}

// A Report is what was measured.
type Report struct {
	*load.Result                // of all periods
	Periods      []*load.Result `json:"periods"`
	Costs        []Cost         `json:"costs,omitempty"`
	GCShare      *float64       `json:"gc_share,omitempty"` // of CPU time
	Hottest      []Hot          `json:"hottest,omitempty"`  // by CPU time of their own
	Run          string         `json:"run,omitempty"`
	Warnings     []string       `json:"warnings,omitempty"`
}

// A Cost is what a request took of something: by a profile over the same load, or
// by counters of the service over the periods themselves.
type Cost struct {
	Kind     string  `json:"kind"`     // of the profile, or "memory"
	Unit     string  `json:"unit"`     // "cpu-ns/op", "B/op"
	Value    float64 `json:"value"`    // for a request that succeeded
	Requests float64 `json:"requests"` // over the profile
}

// A Hot function has much of the CPU time.
type Hot struct {
	Function string  `json:"function"`
	Share    float64 `json:"share"`
}

// ErrNothing is returned when no request succeeded.
var ErrNothing = errors.New("no request succeeded")

// Measure does what the plan says. When ctx ends it returns what it has, with ctx's error.
func (p *Plan) Measure(ctx context.Context) (*Report, error) {
	m := &measurement{Plan: p, report: &Report{}, counted: p.Memory != nil}
	err := m.periods(ctx)
	if len(m.report.Periods) == 0 {
		return nil, err
	}
	m.report.Result = load.Sum(m.report.Periods...)
	m.report.Costs = total(m.allocated).costs(m.report.Result)
	if err == nil && m.report.Succeeded == 0 {
		err = ErrNothing
	}
	if err == nil && m.report.Stopped == "" {
		err = m.profiles(ctx)
	}
	return m.report, errors.Join(err, m.keep())
}

type measurement struct {
	*Plan
	report    *Report
	allocated []*Memory // over each period; nil if unknown

	counted  bool // the service's memory is to be read
	unread   int  // readings in a row that failed
	patience int  // how many may
}

// since returns what was allocated after an earlier reading: nil if that is unknown,
// or the service was started anew in between.
func (now *Memory) since(before *Memory) *Memory {
	if now == nil || before == nil || now.Bytes < before.Bytes || now.Objects < before.Objects || now.GCs < before.GCs {
		return nil
	}
	return &Memory{now.Bytes - before.Bytes, now.Objects - before.Objects, now.GCs - before.GCs}
}

// less subtracts what a reading takes, of which one is in each period.
func (m *Memory) less(reading *Memory) *Memory {
	if m == nil || reading == nil {
		return nil
	}
	return &Memory{m.Bytes - min(m.Bytes, reading.Bytes), m.Objects - min(m.Objects, reading.Objects), m.GCs}
}

// total adds up what was allocated over periods: nil if that of one is unknown.
func total(periods []*Memory) *Memory {
	var sum Memory
	for _, m := range periods {
		if m == nil {
			return nil
		}
		sum = Memory{sum.Bytes + m.Bytes, sum.Objects + m.Objects, sum.GCs + m.GCs}
	}
	return &sum
}

// costs are those of the requests that allocated m.
func (m *Memory) costs(r *load.Result) []Cost {
	if m == nil || r.Succeeded == 0 {
		return nil
	}
	n := float64(r.Succeeded)
	return []Cost{
		{"memory", "B/op", float64(m.Bytes) / n, n},
		{"memory", "allocs/op", float64(m.Objects) / n, n},
		{"memory", "gcs/op", float64(m.GCs) / n, n},
	}
}

// memory asks the service, if it can be asked.
func (m *measurement) memory(ctx context.Context) *Memory {
	if m.Memory == nil || ctx.Err() != nil {
		return nil
	}
	now, err := m.Memory(ctx)
	if err != nil {
		if m.unread++; m.unread > m.patience {
			m.Memory = nil
			m.warn("what the service allocates is unknown: %v", err)
		}
		return nil
	}
	m.unread = 0
	return &now
}

func (m *measurement) tell(e Event) {
	if m.Events != nil {
		m.Events(e)
	}
}

func (m *measurement) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	m.report.Warnings = append(m.report.Warnings, text)
	m.tell(Event{Warning: text})
}

// left is the time that is left when some periods and profiles are over.
func (m *measurement) left(periods, profiles int) time.Duration {
	return time.Duration(m.Count-periods)*m.Duration + time.Duration(len(m.Profiles)-profiles)*m.ProfileTime
}

func (m *measurement) periods(ctx context.Context) error {
	if m.Warmup > 0 {
		m.tell(Event{Stage: WarmUp, Total: 1, Left: m.Warmup + m.left(0, 0)})
		if _, err := m.Load(ctx, WarmUp, m.Warmup, m.Options); err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
	}
	first := m.memory(ctx)
	before := m.memory(ctx)
	reading := before.since(first)
	for i := range m.Count {
		opts := m.Options
		event := Event{Stage: Period, Done: i, Total: m.Count, Left: m.left(i, 0)}
		m.tell(event)
		opts.Window = func(w load.Window) string {
			now := event
			now.Window, now.Left = &w, max(0, event.Left-w.End)
			m.tell(now)
			return ""
		}
		r, err := m.Load(ctx, Period, m.Duration, opts)
		if err != nil {
			return err
		}
		m.report.Periods = append(m.report.Periods, r)
		after := m.memory(ctx)
		m.allocated = append(m.allocated, after.since(before).less(reading))
		before = after
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case r.Stopped != "":
			return nil
		}
	}
	return nil
}

const (
	// slack is how much longer than a profile the load goes on, on either side.
	slack = time.Second

	// inUse is how long a CPU profile waits for one that somebody else takes: an
	// agent in the service, say, whose profiles are shorter.
	inUse = 20 * time.Second
)

// profiles takes the profiles, each over a load of its own: kinds disturb each
// other, and all of them the times.
func (m *measurement) profiles(ctx context.Context) error {
	for i, kind := range m.Profiles {
		m.tell(Event{Stage: Profile, Done: i, Total: len(m.Profiles), What: kind, Left: m.left(m.Count, i)})
		p, requests, err := m.profileUnderLoad(ctx, kind)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m.warn("no %s profile: %v", kind, err)
			continue
		}
		told := m.costs(kind, p, requests)
		m.report.Costs = append(m.report.Costs, told.costs...)
		if told.gcShare != nil {
			m.report.GCShare, m.report.Hottest = told.gcShare, told.hottest
		}
		if err := m.addProfile(experiment.Head, kind, p, requests); err != nil {
			return err
		}
	}
	return nil
}

// profileUnderLoad returns a profile and how many requests were answered over it.
func (m *measurement) profileUnderLoad(ctx context.Context, kind string) (p *profile.Profile, requests float64, err error) {
	for start := time.Now(); ; {
		p, requests, err = m.tryProfile(ctx, kind)
		if !errors.Is(err, capture.ErrInUse) || ctx.Err() != nil {
			return p, requests, err
		}
		if time.Since(start) > inUse {
			return nil, 0, fmt.Errorf("%w for %v: does an agent in the service always take one?", err, inUse)
		}
	}
}

// tryProfile fails with ErrInUse if the profile can't begin while the load is on.
func (m *measurement) tryProfile(ctx context.Context, kind string) (*profile.Profile, float64, error) {
	loading, stop := context.WithCancel(ctx)
	defer stop()
	type loaded struct {
		*load.Result
		err error
	}
	done := make(chan loaded, 1)
	opts := m.Options
	opts.Warmup = slack
	go func() {
		r, err := m.Load(loading, Profile, m.ProfileTime+3*slack, opts)
		done <- loaded{r, err}
	}()
	_ = Pause(ctx, slack) // fetching ends with ctx, too
	p, err := m.fetch(ctx, kind)
	stop() // the load is still on, or the profile took longer than it said
	l := <-done
	if err = errors.Join(err, l.err); err != nil {
		return nil, 0, err
	}
	if l.Succeeded == l.Overdue || l.Period <= 0 {
		return nil, 0, ErrNothing
	}
	length := m.ProfileTime
	if p.DurationNanos > 0 {
		length = time.Duration(p.DurationNanos)
	}
	return p, float64(l.Succeeded-l.Overdue) * (float64(length) / float64(l.Period)), nil
}

// fetch takes a profile. It waits for the profiler as long as the load outlasts the profile.
func (m *measurement) fetch(ctx context.Context, kind string) (*profile.Profile, error) {
	for latest := time.Now().Add(slack); ; _ = Pause(ctx, slack/50) {
		p, err := m.Fetch(ctx, kind, int((m.ProfileTime+time.Second-1)/time.Second))
		if !errors.Is(err, capture.ErrInUse) || ctx.Err() != nil || time.Now().After(latest) {
			return p, err
		}
	}
}

// Pause waits. It ends sooner, with ctx's error, if ctx does.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// units are what profiles tell of requests, by kind and sample type. Of allocations
// they have a sample, so these count where the service's own count is unknown.
var units = map[string]map[string]string{
	"cpu":    {"cpu": "cpu-ns/op"},
	"allocs": {"alloc_space": "B/op", "alloc_objects": "allocs/op"},
	"mutex":  {"delay": "mutex-ns/op"},
	"block":  {"delay": "block-ns/op"},
}

// A told is what a profile tells of requests.
type told struct {
	costs   []Cost
	gcShare *float64 // of CPU time
	hottest []Hot
}

// costs returns what a profile tells of a request.
func (m *measurement) costs(kind string, p *profile.Profile, requests float64) (all told) {
	for i, t := range p.SampleTypes {
		unit, ok := units[kind][t.Type]
		if !ok || requests <= 0 || kind == "allocs" && m.counted {
			continue
		}
		var total int64
		for _, v := range p.Values[i] {
			total += v
		}
		if total == 0 {
			m.warn("the %s profile has no sample: take a longer one, -profiletime, or send more", kind)
			continue
		}
		all.costs = append(all.costs, Cost{kind, unit, float64(total) / requests, requests})
		if kind == "cpu" {
			share := gcShare(p, i, total)
			all.gcShare, all.hottest = &share, hottest(p, i, total)
		}
	}
	return all
}

// addProfile keeps a profile, which says of how many requests it is.
func (p *Plan) addProfile(side experiment.Side, kind string, of *profile.Profile, requests float64) error {
	if p.Run == nil {
		return nil
	}
	var text bytes.Buffer
	if err := capture.WithIterations(of, int(math.Round(requests))).Encode(&text); err != nil {
		return err
	}
	return p.Run.AddProfile(p.pkg(), p.name(), side, kind, &text)
}

// pkg and name are those of the benchmark that the run has.
func (p *Plan) pkg() string  { return "load/" + p.Protocol }
func (p *Plan) name() string { return strings.ReplaceAll(p.Name, " ", "_") }

// keep writes the run: a line of the Go benchmark format for each period, so that
// each is a sample.
func (m *measurement) keep() error {
	if m.Run == nil {
		return nil
	}
	var records []benchfmt.Record
	for i, r := range m.report.Periods {
		line := m.line(r, m.allocated[i])
		if line == nil {
			continue
		}
		// Costs by profiles, which are apart, are of all periods and stand in each.
		for _, c := range m.report.Costs {
			if c.Kind != "memory" {
				line.Values = append(line.Values, benchfmt.Value{Value: c.Value, Unit: c.Unit})
			}
		}
		records = append(records, line)
	}
	err := m.Run.Append(experiment.Measure, experiment.Head, nil, records...)
	head := m.side(experiment.Head, m.report.Periods, m.report.Costs, told{gcShare: m.report.GCShare, hottest: m.report.Hottest})
	err = errors.Join(err, m.setLoad(head))
	for _, w := range m.report.Warnings {
		err = errors.Join(err, m.Run.Warn(w))
	}
	m.report.Run = m.Run.ID()
	return err
}

// line is a period as a result of a benchmark, nil if nothing was sent. A period in
// which no request succeeded has no times, but a rate: without it, what is left would
// look like a service that is well.
func (p *Plan) line(r *load.Result, allocated *Memory) *benchfmt.Result {
	if r.Requests() == 0 {
		return nil
	}
	line := &benchfmt.Result{
		Name: benchfmt.Name(p.name()), Iters: int(r.Requests()),
		Config: []benchfmt.Config{{Key: "pkg", Value: []byte(p.pkg()), File: true}}, // or it would not be written
	}
	add := func(unit string, v float64) {
		line.Values = append(line.Values, benchfmt.Value{Value: v, Unit: unit})
	}
	addTime := func(unit string, d *time.Duration) {
		if d != nil {
			add(unit, float64(*d))
		}
	}
	addTime("ns/op", r.Response.Mean)
	if r.Rate != nil {
		add("req/s", *r.Rate)
	}
	addTime("p50-ns", r.Response.P50)
	addTime("p90-ns", r.Response.P90)
	addTime("p99-ns", r.Response.P99)
	addTime("p99.9-ns", r.Response.P999)
	addTime("max-ns", r.Response.Max)
	add("failed/op", float64(r.Failed)/float64(r.Requests()))
	for _, c := range allocated.costs(r) {
		add(c.Unit, c.Value)
	}
	return line
}
