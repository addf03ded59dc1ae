// Package measure puts a service under load and keeps the result as a run. It
// measures response times over several periods. Then it takes profiles of the
// service, each over a further period of the same load, and computes from them
// what a request costs.
package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/profile"
)

// Measure carries out the plan and keeps the run. When ctx ends, it returns what was
// measured so far, and ctx's error. Without a single period the Report is nil.
func (p *Plan) Measure(ctx context.Context) (*Report, error) {
	m := &measurement{Plan: p, report: &Report{}, counted: p.Memory != nil}
	err := m.periods(ctx)
	if len(m.report.Periods) == 0 {
		return nil, err
	}
	m.report.Result = load.Sum(m.report.Periods...)
	m.report.Costs = sumMemory(m.allocated).costs(m.report.Result)
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

// memory asks the service, if it can be asked.
func (m *measurement) memory(ctx context.Context) *Memory {
	if m.Memory == nil || ctx.Err() != nil {
		return nil
	}
	now, err := m.Memory(ctx)
	if err != nil {
		if m.unread++; m.unread > m.patience {
			m.Memory = nil
			m.warn("can't read what the service allocates: %v", err)
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
		told := m.costs(ctx, kind, p, requests)
		m.report.Costs = append(m.report.Costs, told.costs...)
		if told.gcShare != nil {
			m.report.GCShare, m.report.Hottest, m.report.OwnCode = told.gcShare, told.hottest, told.ownCode
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
			return nil, 0, fmt.Errorf("%w for %v: is an agent in the service always taking profiles?", err, inUse)
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

// Pause waits for d. If ctx ends first, it returns ctx's error.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// units are the costs of a request that profiles tell, by kind and sample type. Profiles
// contain only a sample of the allocations, so these are used only if the service's own
// count is unknown.
var units = map[string]map[string]string{
	"cpu":    {"cpu": "cpu-ns/op"},
	"allocs": {"alloc_space": "B/op", "alloc_objects": "allocs/op"},
	"mutex":  {"delay": "mutex-ns/op"},
	"block":  {"delay": "block-ns/op"},
}

// costs returns what a profile tells of a request.
func (m *measurement) costs(ctx context.Context, kind string, p *profile.Profile, requests float64) (all told) {
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
			m.warn("the %s profile has no samples: take a longer one (-profiletime) or send more requests", kind)
			continue
		}
		all.costs = append(all.costs, Cost{kind, unit, float64(total) / requests, requests})
		if kind == "cpu" {
			share := gcShare(p, i, total)
			all.gcShare = &share
			shown := p
			if folded, ok := ownCode(ctx, p); ok {
				shown, all.ownCode = folded, true
			}
			all.hottest = hottest(shown, i, total)
		}
	}
	return all
}

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
