package fnmetrics

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A source is the profiles that a rule measures. Rules with equal sources are measured
// together.
type source struct {
	selector store.Selector
	column   string // sample type; "" is the profile's default
	// by are the labels of groups, sorted: the rule's and the service, since services may be
	// profiled for different times.
	by       []string
	rates    bool          // values are divided by time, so profiles without a duration don't count
	interval time.Duration // in which each instance has a profile
}

func newSource(selector store.Selector, column string, by []string, rates bool, interval time.Duration) source {
	s := source{selector, column, slices.Clone(by), rates, interval}
	if !slices.Contains(s.by, store.LabelService) {
		s.by = append(s.by, store.LabelService)
	}
	slices.Sort(s.by)
	return s
}

// key contains all of the source.
func (s *source) key() string {
	return fmt.Sprintf("%s\x00%s\x00%v\x00%v\x00%s", s.selector, s.column, s.rates, s.interval, strings.Join(s.by, "\x00"))
}

// A Window is what the profiles of a source cost in a time.
type Window struct {
	From, To int64 // ns since 1970; To is exclusive
	// Version changes if the profiles do; see store.Total.
	Version uint64
	// Left is the number of profiles that don't count, because they have no duration.
	Left   int64
	groups map[string]groupTotal // by store.Labels.String
}

// A groupTotal is the cost of a group of profiles.
type groupTotal struct {
	value int64
	// rates is a sum over parts of the window: of what all instances together used, per
	// second, or for values of a moment, at that moment.
	rates float64
	parts int // that have profiles
}

// weight is the factor that turns values of the group into rates.
func (g groupTotal) weight() float64 {
	if g.value == 0 {
		return 0
	}
	return g.rates / float64(g.parts) / float64(g.value)
}

// windows returns the windows of length step that have profiles, oldest first. It asks for
// totals of instances, which a store has without reading profiles.
func (s *source) windows(ctx context.Context, st store.Store, from, to, step int64) ([]Window, error) {
	q := store.Query{Selector: s.selector, From: from, To: to, By: s.by, Step: s.part(step), SampleType: s.column}
	if !slices.Contains(q.By, store.LabelInstance) {
		q.By = append(slices.Clip(q.By), store.LabelInstance)
	}
	all, err := st.Series(ctx, q)
	if err != nil || !s.rates {
		return s.join(all, nil, q, step), err
	}
	q.Lasting = true
	lasting, err := st.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.join(all, lasting, q, step), nil
}

// part returns the length of the parts of windows in which instances are added up. Over a
// long time that would count instances that replaced each other twice.
func (s *source) part(step int64) int64 {
	for _, n := range []int64{24, 12, 8, 6, 4, 3, 2} {
		if s.rates && step%n == 0 && step/n >= int64(s.interval) {
			return step / n
		}
	}
	return step
}

// groupAt is a group and the start of a part or window.
type groupAt struct {
	group string
	time  int64
}

// join makes windows of length step of the totals of all profiles, and of those with a
// duration.
func (s *source) join(all, lasting []store.Series, q store.Query, step int64) []Window {
	known := map[groupAt]store.Total{}
	for _, series := range lasting {
		for _, pt := range series.Points {
			known[groupAt{series.Labels.String(), pt.Time}] = pt.Total
		}
	}
	windows := map[int64]*Window{}
	parts := map[groupAt]float64{} // rates
	for _, series := range all {
		moment := profile.OfMoment(series.Type.Type)
		group := series.Labels.Select(s.by).String()
		for _, pt := range series.Points {
			start := store.Window(pt.Time, step)
			w := windows[start]
			if w == nil {
				w = &Window{From: max(start, q.From), To: min(start+step, q.To), groups: map[string]groupTotal{}}
				windows[start] = w
			}
			total := pt.Total
			if s.rates && !moment {
				total = known[groupAt{series.Labels.String(), pt.Time}]
				w.Left += pt.Profiles - total.Profiles
			}
			w.Version += total.Version
			if series.Type == (profile.ValueType{}) || total.Profiles == 0 {
				continue
			}
			g := w.groups[group]
			g.value += total.Value
			w.groups[group] = g
			parts[groupAt{group, pt.Time}] += rate(total, moment)
		}
	}
	for at, rates := range parts {
		w := windows[store.Window(at.time, step)]
		g := w.groups[at.group]
		g.rates += rates
		g.parts++
		w.groups[at.group] = g
	}
	var out []Window
	for _, w := range windows {
		out = append(out, *w)
	}
	slices.SortFunc(out, func(a, b Window) int { return int(max(-1, min(1, a.From-b.From))) })
	return out
}

// rate divides the value of an instance by time, or by the number of profiles.
func rate(t store.Total, moment bool) float64 {
	switch {
	case moment:
		return float64(t.Value) / float64(t.Profiles)
	case t.Duration > 0:
		return float64(t.Value) / time.Duration(t.Duration).Seconds()
	}
	return 0
}

// profiles reads the profiles of a window, merged by group. The store has sums of all
// profiles at hand, so it is asked for those with a duration only if there are others.
func (s *source) profiles(ctx context.Context, st store.Store, w *Window, budget profile.Budget) ([]store.Group, error) {
	return st.Merge(ctx, store.Query{
		Selector: s.selector, From: w.From, To: w.To, By: s.by, SampleType: s.column, Lasting: w.Left > 0, Budget: budget,
	})
}
