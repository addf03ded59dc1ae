package stored

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
)

// ranked returns the functions of a history in order, with the values that rank them
// and without their columns. Changes are from one step to the next. came has the versions that began in its time range.
func (h *historyQuery) ranked(windows, versions, steps []part, came map[string]bool) []api.FunctionHistory {
	shares := map[string]float64{} // of all windows together, but for the total
	for _, name := range slices.Concat(h.named, h.with) {
		shares[name] = 0
	}
	chosen := maps.Clone(shares)
	for _, t := range windows {
		for name := range t.functions {
			if _, ok := chosen[name]; ok || len(h.named) == 0 {
				shares[name] += math.Abs(h.valueOf(t.functionTable, name))
			}
		}
	}
	all := make([]api.FunctionHistory, 0, len(shares))
	chances := chancesOf(steps)
	growth := func(string) *api.Growth { return nil }
	if h.rank == rankGrowth {
		growth = h.growths(windows)
	}
	for name, share := range shares {
		if _, ok := chosen[name]; share == 0 && !ok {
			continue // it only calls others
		}
		all = append(all, api.FunctionHistory{Name: name, First: firstSeen(name, windows, versions, came), Change: h.change(name, steps, chances), Growth: growth(name)})
	}
	slices.SortFunc(all, func(a, b api.FunctionHistory) int {
		by := 0
		switch h.rank {
		case rankChange:
			by = compareChanges(b.Change, a.Change)
		case rankGrowth:
			by = compareGrowth(b.Growth, a.Growth)
		case rankFirst:
			by = cmp.Compare(timeOf(b.First), timeOf(a.First))
		}
		return cmp.Or(by, cmp.Compare(shares[b.Name], shares[a.Name]), cmp.Compare(a.Name, b.Name))
	})
	if len(h.named) > 0 {
		return all
	}
	first := all[:min(h.limit, len(all))]
	for _, f := range all[len(first):] {
		if slices.Contains(h.with, f.Name) {
			first = append(first, f)
		}
	}
	return first
}

// share returns a function's share, in percent.
func (h *historyQuery) share(t *functionTable, name string) float64 {
	if t.total == 0 {
		return 0
	}
	return 100 * h.valueOf(t, name) / float64(t.total)
}

// valueOf returns a function's value.
func (h *historyQuery) valueOf(t *functionTable, name string) float64 {
	if h.cum {
		return float64(t.functions[name].cum)
	}
	return float64(t.functions[name].flat)
}

// stepsOf returns the parts whose shares are compared: versions, or, if there are fewer
// than two, the first third of the windows and the last.
func stepsOf(windows, versions []part) []part {
	valued := func(parts []part) []part {
		return slices.DeleteFunc(slices.Clone(parts), func(t part) bool { return t.total == 0 })
	}
	if versions = valued(versions); len(versions) > 1 {
		return versions
	}
	windows = valued(windows)
	third := max(1, len(windows)/3)
	if len(windows) < 2*third {
		return nil
	}
	return []part{sum(windows[:third]), sum(windows[len(windows)-third:])}
}

// steps returns the parts whose shares are compared, with their instances.
func (h *historyQuery) steps(ctx context.Context, s *Service, windows, versions []part) ([]part, error) {
	steps := stepsOf(windows, versions)
	alike(steps)
	for i := range steps {
		if steps[i].instances != nil {
			continue
		}
		var err error
		if steps[i].instances, err = h.functionsOf(ctx, s, &steps[i]); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// sum adds up at least one part.
func sum(parts []part) part {
	sel := *parts[0].sel
	sel.To = parts[len(parts)-1].sel.To
	all := part{time: parts[0].time, sel: &sel, functionTable: &functionTable{moment: parts[0].moment, functions: map[string]functionValue{}}}
	known := true
	for _, t := range parts {
		all.Total = add(all.Total, t.Total)
		all.total += t.total
		all.samples += t.samples
		all.requests = add(all.requests, t.requests)
		known = known && t.samples > 0
		for name, v := range t.functions {
			old := all.functions[name]
			all.functions[name] = functionValue{old.flat + v.flat, old.cum + v.cum}
		}
	}
	if !known {
		all.samples = 0
	}
	return all
}

// chancesOf returns how much the functions of each step and the one before it vary; the
// first has none.
func chancesOf(steps []part) []report.Chance {
	out := make([]report.Chance, len(steps))
	for i := 1; i < len(steps); i++ {
		a, b := steps[i-1], steps[i]
		if a.samples > 0 && b.samples > 0 {
			out[i].BaseEvent, out[i].Event = 100/float64(a.samples), 100/float64(b.samples)
		}
		if a.instances != nil && b.instances != nil {
			out[i].NewSpreads(a.instances.shares, b.instances.shares)
		}
	}
	return out
}

// change returns the largest change of a function's share from one step to the next.
func (h *historyQuery) change(name string, steps []part, chances []report.Chance) *api.ShareChange {
	var most *api.ShareChange
	step := 0
	for i := 1; i < len(steps); i++ {
		a, b := steps[i-1], steps[i]
		c := &api.ShareChange{Time: api.Milliseconds(b.time), Version: b.version, Before: h.share(a.functionTable, name), After: h.share(b.functionTable, name)}
		before := report.Measured{Value: c.Before, Event: chances[i].BaseEvent, Whole: 100}
		after := report.Measured{Value: c.After, Event: chances[i].Event, Whole: 100}
		c.Sure = chances[i].SureOf(name, h.cum, before, after)
		if most == nil || compareChanges(c, most) > 0 {
			most, step = c, i
		}
	}
	if most != nil && most.Sure != 0 {
		most.Cost = h.costChange(name, steps[step-1], steps[step])
	}
	return most
}

// costChange says whether an instance spends more on a function than before: 1 if it does, -1 if it spends less, and 0 if
// chance explains the difference. A share says nothing of it: it falls if another function costs more.
func (h *historyQuery) costChange(name string, before, after part) int {
	return cmp.Compare(report.SureChange(h.costs(name, before, after)), 0)
}

// costs returns what a function costs in two parts, and how much that varies.
func (h *historyQuery) costs(name string, before, after part) (base, head report.Measured) {
	measured := func(t part) report.Measured {
		by, event := t.divisor(), eventOf([]part{t})
		if !t.moment {
			event /= by
		}
		return report.Measured{Value: h.valueOf(t.functionTable, name) / by, Event: event}
	}
	base, head = measured(before), measured(after)
	if before.instances != nil && after.instances != nil {
		base.Spread, head.Spread = report.SpreadOf(before.instances.costs, after.instances.costs, name, h.cum)
	}
	return base, head
}

// compareChanges compares the sizes of changes. nil is the smallest.
func compareChanges(a, b *api.ShareChange) int {
	if a == nil || b == nil {
		return compareNil(a, b)
	}
	return cmp.Or(cmp.Compare(math.Abs(a.Sure), math.Abs(b.Sure)), cmp.Compare(math.Abs(a.After-a.Before), math.Abs(b.After-b.Before)))
}

// compareNil compares two pointers of which at least one is nil: nil is the smallest.
func compareNil[T any](a, b *T) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	}
	return 1
}

// firstSeen returns when a function was first in a profile: the first window that has it,
// or, if the first version with it began later in that window, the time of that version.
func firstSeen(name string, windows, versions []part, came map[string]bool) *api.FirstSeen {
	has := func(t part) bool { return t.functions[name] != functionValue{} }
	i := slices.IndexFunc(windows, has)
	if i < 0 {
		return nil
	}
	first := &api.FirstSeen{Time: api.Milliseconds(windows[i].time), Start: i == 0}
	if j := slices.IndexFunc(versions, has); j >= 0 {
		first.Version = versions[j].version
		first.Time = max(first.Time, api.Milliseconds(versions[j].time))
		first.Start = first.Start && !came[first.Version]
	}
	return first
}

// timeOf returns the time of first, or 0 if it is nil.
func timeOf(first *api.FirstSeen) int64 {
	if first == nil {
		return 0
	}
	return first.Time
}
