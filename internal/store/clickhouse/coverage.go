package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hone-go/hone/internal/store"
)

// A roll-up is what the profiles of one fleet, hour and header add up to. A question
// over weeks reads it in place of the hour's profiles, if it is of those very
// profiles: it has their version, as a total has it, and what is there now is asked
// for each time. So nothing has to be invalidated. A profile that comes late makes
// its hour slower and never wrong, and any node may roll up any hour, twice as well.
//
// A fleet is the series that differ in their instance alone.

// fewSeriesHours are so few series, times hours, that adding up their profiles takes no
// longer than finding out what of them is rolled up: of a profile a minute, 300, which
// take the ten milliseconds of those two statements.
const fewSeriesHours = 5

// A fleet is what a plan knows of one.
type fleet struct {
	service, kind string
	group         int32
}

// fleets are those of a plan.
type fleets struct {
	of      map[uint64]fleet // by number
	members tempTable        // which fleet each series is of, and the group of it
}

// fleetsOf returns the fleets of a plan's series.
func fleetsOf(p *plan, k *key) fleets {
	rows := newBlock("series", "UInt64", "fleet", "UInt64", "grp", "UInt32")
	out := fleets{of: map[uint64]fleet{}}
	for n, s := range p.series {
		number := k.fleetNumber(s.labels)
		out.of[number] = fleet{s.labels.Get(store.LabelService), s.labels.Get(store.LabelKind), s.group}
		rows.col("series").uint64(n)
		rows.col("fleet").uint64(number)
		rows.col("grp").int32(s.group)
	}
	out.members = tempTable{"members", rows}
	return out
}

// A rollKey is what a roll-up is of.
type rollKey struct {
	hour          int32
	fleet, header uint64
}

func (k rollKey) compare(o rollKey) int {
	return cmp.Or(cmp.Compare(k.hour, o.hour), cmp.Compare(k.fleet, o.fleet), cmp.Compare(k.header, o.header))
}

// A rolled is a roll-up without its sites.
type rolled struct {
	rollKey
	profileSet
	duration    int64
	first, last int64
	totals      []uint64
}

// A profileSet says which profiles something is of.
type profileSet struct {
	sum      uint64
	profiles int64
}

func (v profileSet) is(r rolled) bool { return r.profileSet == v }

// A coverage says where the profiles of a plan are read: from roll-ups, or one by one.
type coverage struct {
	fleets
	rolled []rolled // by hour
	twice  bool     // some of them stand in the table more than once
	rest   scope    // the profiles that are in none of them
	// missing tells that no hour is rolled up, though it may be; else stale are the hours with
	// profiles that are not.
	missing bool
	stale   []int32
}

// hours returns how many hours are taken from roll-ups.
func (c *coverage) hours() (n int) {
	for i := range c.rolled {
		if i == 0 || c.rolled[i].hour != c.rolled[i-1].hour {
			n++
		}
	}
	return n
}

// lacks reports whether an hour that ended before a time could be rolled up and is not.
func (c *coverage) lacks(settled int64) bool {
	return c.missing || len(c.stale) > 0 && int64(c.stale[0]+1)*hour <= settled
}

// takesWhole reports whether a query takes of each fleet and hour all profiles or none,
// but for hours that From, To and windows cut.
func takesWhole(q *store.Query) bool {
	return !q.OneByOne() && (q.Step == 0 || q.Step >= hour) && !slices.Contains(q.By, store.LabelInstance) &&
		!slices.ContainsFunc(q.Selector, func(m store.Matcher) bool { return m.Name == store.LabelInstance })
}

// wholeHours returns the first hour that a query takes whole, and the one after the last.
func wholeHours(q *store.Query) (first, end int32) {
	first, end = -1<<31, 1<<31-1
	if q.From != 0 {
		first = hourOf(q.From)
		if store.Window(q.From, hour) != q.From {
			first++
		}
	}
	if q.To != 0 {
		end = hourOf(q.To)
	}
	return first, end
}

// cutHours returns the hours that a query takes a part of.
func cutHours(q *store.Query) (out []int32) {
	for _, t := range []int64{q.From, q.To} {
		if t != 0 && store.Window(t, hour) != t {
			out = append(out, hourOf(t))
		}
	}
	return out
}

// coverOf finds out which hours of a plan are rolled up. Fewer series times hours than few are
// not looked at.
func coverOf(ctx context.Context, l *lookup, p *plan, k *key, few int64) (*coverage, error) {
	first, end := wholeHours(&p.query)
	if !takesWhole(&p.query) || first >= end || int64(len(p.series))*(int64(end)-int64(first)) < few {
		return &coverage{rest: p.everything()}, nil
	}
	f := fleetsOf(p, k)
	there, err := rolledUp(ctx, l.client, p, f, first, end)
	if err != nil {
		return nil, err
	}
	if len(there) == 0 {
		return &coverage{rest: p.everything(), missing: true}, nil
	}
	now, err := versions(ctx, l.client, p, f, first, end)
	if err != nil {
		return nil, err
	}
	use := match(there, now, p.query.Step)
	c := &coverage{fleets: f, rolled: use.parts, twice: use.twice, rest: p.everything(), stale: use.stale}
	if len(use.parts) > 0 {
		c.rest.hours = append([]int32{}, slices.Concat(use.stale, use.cut, cutHours(&p.query))...)
	}
	return c, nil
}

// A matched is what there is of some hours.
type matched struct {
	parts []rolled // of hours that are rolled up
	twice bool     // some stand in the table more than once
	cut   []int32  // hours that are in two windows
	stale []int32  // hours with profiles that are not rolled up, or were before the last of them came
}

// match returns the roll-ups of hours where all that there is now is rolled up, and
// which are in one window of length step.
func match(there map[rollKey][]rolled, now map[rollKey]profileSet, step int64) matched {
	var use matched
	cut, stale, hours := map[int32]bool{}, map[int32]bool{}, map[int32][]rolled{}
	for k, v := range now {
		if start := int64(k.hour) * hour; step%hour != 0 && store.Window(start, step) != store.Window(start+hour-1, step) {
			cut[k.hour] = true
			continue
		}
		i := slices.IndexFunc(there[k], v.is)
		if i < 0 {
			stale[k.hour] = true
			continue
		}
		hours[k.hour] = append(hours[k.hour], there[k][i])
		use.twice = use.twice || slices.ContainsFunc(there[k][i+1:], v.is)
	}
	for h, parts := range hours {
		if !stale[h] {
			use.parts = append(use.parts, parts...)
		}
	}
	slices.SortFunc(use.parts, func(a, b rolled) int { return a.compare(b.rollKey) })
	use.cut, use.stale = slices.Sorted(maps.Keys(cut)), slices.Sorted(maps.Keys(stale))
	return use
}

// rolledUp returns the roll-ups of fleets in hours from first to before end: several where
// profiles have come since, or where it was done twice.
func rolledUp(ctx context.Context, c *client, p *plan, f fleets, first, end int32) (map[rollKey][]rolled, error) {
	a, err := c.exec(ctx, &statement{
		out: outputs("fleet", "header", "hour", "version", "profiles", "duration", "first", "last", "totals"),
		sql: fmt.Sprintf("FROM rollups WHERE %s AND hour >= %d AND hour < %d AND fleet IN (SELECT fleet FROM members)",
			p.ofPicked(), first, end),
		tables: []tempTable{p.picked, f.members},
	})
	if err != nil {
		return nil, err
	}
	out := map[rollKey][]rolled{}
	for i := range a.rows {
		r := rolled{
			rollKey:    rollKey{hour: a.col("hour").int32(i), fleet: a.col("fleet").words[i], header: a.col("header").words[i]},
			profileSet: profileSet{a.col("version").words[i], a.col("profiles").int64(i)},
			duration:   a.col("duration").int64(i), first: a.col("first").int64(i), last: a.col("last").int64(i), totals: a.col("totals").row(i),
		}
		out[r.rollKey] = append(out[r.rollKey], r)
	}
	return out, nil
}

// joinFleets tells the fleets of profiles.
const joinFleets = " ANY LEFT JOIN (SELECT series, fleet FROM members) AS groups USING series"

// versions returns which profiles fleets have, by hour and header. While one of an hour
// stands in the table twice, its version is not that of a roll-up.
func versions(ctx context.Context, c *client, p *plan, f fleets, first, end int32) (map[rollKey]profileSet, error) {
	sc := p.everything()
	a, err := c.exec(ctx, &statement{
		out: []output{{name: "fleet"}, {name: "header"}, {name: "hour"}, {"counted", "toInt64(count())"}, {"version_sum", "sum(" + versionOf + ")"}},
		sql: fmt.Sprintf("FROM profiles%s WHERE %s AND hour >= %d AND hour < %d GROUP BY fleet, header, hour",
			joinFleets, sc.where(), first, end),
		tables: sc.tables(f.members),
	})
	if err != nil {
		return nil, err
	}
	out := make(map[rollKey]profileSet, a.rows)
	for i := range a.rows {
		k := rollKey{hour: a.col("hour").int32(i), fleet: a.col("fleet").words[i], header: a.col("header").words[i]}
		out[k] = profileSet{a.col("version_sum").words[i], a.col("counted").int64(i)}
	}
	return out, nil
}

// rolledHeads returns the heads of what a plan has rolled up.
func rolledHeads(ctx context.Context, l *lookup, p *plan, c *coverage) ([]head, error) {
	numbers := make([]uint64, len(c.rolled))
	for i := range c.rolled {
		numbers[i] = c.rolled[i].header
	}
	headers, err := l.headers(ctx, sortedSet(numbers))
	if err != nil {
		return nil, err
	}
	out := make([]head, len(c.rolled))
	for i := range c.rolled {
		r := &c.rolled[i]
		h := head{
			GroupKey: store.GroupKey{Labels: c.of[r.fleet].group, Window: p.query.WindowOf(int64(r.hour) * hour)},
			series:   r.fleet, header: headers[r.header], profiles: r.profiles, duration: r.duration,
			first: r.first, last: r.last, version: r.profileSet.sum, totals: r.totals,
		}
		if len(h.totals) != len(h.header.SampleTypes) {
			return nil, fmt.Errorf("a roll-up of hour %d has %d totals, and %d sample types", r.hour, len(h.totals), len(h.header.SampleTypes))
		}
		out[i] = h
	}
	return inColumn(out, p.query.SampleType), nil
}
