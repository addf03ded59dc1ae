package fnmetrics

import (
	"cmp"
	"context"
	"slices"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Windows returns the windows of length step that have profiles of a rule, oldest first.
// All times are in ns.
func (r *Rule) Windows(ctx context.Context, st store.Store, from, to, step int64) ([]Window, error) {
	return r.source.windows(ctx, st, from, to, step)
}

// Past is what a rule measured in a window.
type Past struct {
	Unit   string   // "" if nothing was measured
	Series []Series // all of them, without a limit
	groups map[string]bool
}

// Bytes returns about how much memory it takes.
func (p *Past) Bytes() (n int64) {
	for _, s := range p.Series {
		n += 100
		for _, l := range s.Labels {
			n += int64(len(l.Value)) + 32
		}
	}
	return n
}

// Read measures a rule in a window.
func (r *Rule) Read(ctx context.Context, st store.Store, w *Window, budget profile.Budget) (*Past, error) {
	all, err := read(ctx, st, []*Rule{r}, w, budget)
	if err != nil {
		return nil, err
	}
	of := &all[0]
	p := &Past{Unit: of.unit.name, Series: of.series(), groups: map[string]bool{}}
	for i := range of.groups {
		p.groups[r.groupID(r.labels(of.groups[i].labels, member{}))] = true
	}
	return p, nil
}

// A Line is a series over time.
type Line struct {
	Labels []store.Label
	// Values has an entry per window. nil: there were no profiles with these labels.
	Values []*float64
	sum    float64
}

// Lines returns the series of a rule over windows: at most limit, the largest, and how many
// were left out. Windows whose unit isn't that of the last one are left out as well.
func (r *Rule) Lines(past []*Past, limit int) (lines []Line, unit string, left int) {
	for _, p := range past {
		unit = cmp.Or(p.Unit, unit)
	}
	byID := map[string]*Line{}
	for i, p := range past {
		if p.Unit != unit {
			continue
		}
		for _, s := range p.Series {
			id := seriesID(s.Labels)
			if byID[id] == nil {
				byID[id] = &Line{Labels: s.Labels, Values: make([]*float64, len(past))}
			}
			byID[id].Values[i] = &s.Value
			byID[id].sum += s.Value
		}
	}
	for _, l := range byID {
		group := r.groupID(l.Labels)
		for i, p := range past {
			if l.Values[i] == nil && p.groups[group] && p.Unit == unit {
				l.Values[i] = new(float64)
			}
		}
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(a, b Line) int { return cmp.Or(cmp.Compare(b.sum, a.sum), compareLabels(a.Labels, b.Labels)) })
	left = max(0, len(lines)-limit)
	return lines[:len(lines)-left], unit, left
}
