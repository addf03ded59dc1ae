package fnmetrics

import (
	"context"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A reading is what the functions of a rule cost in a window.
type reading struct {
	rule    *Rule
	unit    unit // of values; without a name if nothing was measured
	members *members
	groups  []groupReading
	index   map[string]int // in groups, by their labels
}

// A groupReading is the part of a reading that has certain labels of profiles.
type groupReading struct {
	labels   store.Labels
	services []serviceReading
}

// A serviceReading is the part of a group that is from one service.
type serviceReading struct {
	total  int64   // of all functions
	weight float64 // turns values into rates
	costs  []int64 // by member; missing entries are 0
	stacks stacks
}

// read measures rules of one source in a window. Its profiles are read once for all of them.
func read(ctx context.Context, st store.Store, rules []*Rule, w *Window, budget profile.Budget) ([]reading, error) {
	src := &rules[0].source
	groups, err := src.profiles(ctx, st, w, budget)
	if err != nil {
		return nil, err
	}
	table, err := profile.NewFrameTable("functions", false)
	if err != nil {
		return nil, err
	}
	out := make([]reading, len(rules))
	for i, r := range rules {
		out[i] = newReading(r, table)
	}
	for _, g := range groups {
		column, err := g.Profile.SampleIndex("")
		if err != nil || column < 0 {
			continue // nothing is measured
		}
		samples := stacks{g.Profile, table.Add(g.Profile), g.Profile.Values[column]}
		one := serviceReading{total: samples.total(), weight: w.groups[g.Labels.String()].weight(), stacks: samples}
		for i := range out {
			out[i].add(g.Labels, g.Profile.SampleTypes[column], one)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// newReading returns a reading of nothing.
func newReading(r *Rule, t *profile.FrameTable) reading {
	return reading{rule: r, members: newMembers(r, t), index: map[string]int{}}
}

// add adds what one service has.
func (r *reading) add(labels store.Labels, typ profile.ValueType, one serviceReading) {
	u := unitOf(typ, r.rule.Value == ValueShare)
	if r.unit.name == "" {
		r.unit = u
	}
	if u != r.unit {
		return // the name of the column means something else here
	}
	one.costs = one.stacks.costs(r.members.slot, r.rule.Callees)
	labels = labels.Select(r.rule.by)
	i, ok := r.index[labels.String()]
	if !ok {
		i = len(r.groups)
		r.index[labels.String()] = i
		r.groups = append(r.groups, groupReading{labels: labels})
	}
	r.groups[i].services = append(r.groups[i].services, one)
}

// A value is a cost, and what it is a share of.
type value struct{ cost, total float64 }

func (v value) plus(o value) value { return value{v.cost + o.cost, v.total + o.total} }

// in returns the value as the rule's metric has it.
func (v value) in(r *reading) float64 {
	if r.rule.Value == ValueAbsolute {
		return v.cost * r.unit.factor
	}
	if v.total == 0 {
		return 0
	}
	return v.cost / v.total
}

// value returns the sum of costs over services.
func (g *groupReading) value(r *reading, cost func(s *serviceReading) int64) (sum value) {
	for i := range g.services {
		s := &g.services[i]
		weight := 1.0
		if r.rule.Value == ValueAbsolute {
			weight = s.weight
		}
		sum = sum.plus(value{weight * float64(cost(s)), weight * float64(s.total)})
	}
	return sum
}

// cost returns the cost of a member.
func (s *serviceReading) cost(member int32) int64 {
	if int(member) >= len(s.costs) {
		return 0
	}
	return s.costs[member]
}

// A Series is one series of a rule, with its value in an interval.
type Series struct {
	Labels []store.Label // in the order of the rule
	Value  float64

	group  int   // index in reading.groups
	member int32 // number in reading.members
}

// series returns all series of a reading, in the order of groups and members. A rule without
// labels of functions has one per group, even if its functions cost nothing.
func (r *reading) series() []Series {
	list := r.members.list
	whole := !r.rule.byFunction && !r.rule.byPackage
	if whole {
		list = []member{{}}
	}
	var out []Series
	for i := range r.groups {
		g := &r.groups[i]
		for n := range list {
			v := g.value(r, func(s *serviceReading) int64 { return s.cost(int32(n)) })
			if v.cost != 0 || whole {
				out = append(out, Series{r.rule.labels(g.labels, list[n]), v.in(r), i, int32(n)})
			}
		}
	}
	return out
}

// other returns the value of several series together. With callees, functions of one stack
// count once.
func (r *reading) other(cut []Series) float64 {
	byGroup := map[int]map[int32]bool{}
	for _, s := range cut {
		if byGroup[s.group] == nil {
			byGroup[s.group] = map[int32]bool{}
		}
		byGroup[s.group][s.member] = true
	}
	var sum value
	for i, which := range byGroup {
		sum = sum.plus(r.groups[i].value(r, func(s *serviceReading) int64 { return r.together(s, which) }))
	}
	return sum.in(r)
}

// together returns the cost of several members together.
func (r *reading) together(s *serviceReading, which map[int32]bool) (cost int64) {
	if !r.rule.Callees {
		for n := range which {
			cost += s.cost(n)
		}
		return cost
	}
	sums := s.stacks.costs(func(frame uint32) int32 {
		if which[r.members.slot(frame)] {
			return 0
		}
		return -1
	}, true)
	for _, v := range sums {
		cost += v
	}
	return cost
}
