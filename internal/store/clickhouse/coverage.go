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

// fewSeriesHours is the number of series times hours up to which adding up profiles takes no
// longer than looking for roll-ups. With one profile per minute that is 300 profiles, or about
// ten milliseconds.
const fewSeriesHours = 5

// A fleet is the series of all instances of a service with the same kind, and their group in a
// plan.
type fleet struct {
	service, kind string
	group         int32
}

// fleets are the fleets of a plan's series.
type fleets struct {
	of      map[uint64]fleet // by number
	members tempTable        // the fleet and group of each series
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

// A rollKey identifies what a roll-up sums: the profiles of a fleet in an hour that have the
// same header.
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

// A profileSet is a fingerprint of a set of profiles: two sets are equal if their profileSets
// are.
type profileSet struct {
	sum      uint64
	profiles int64
}

func (v profileSet) matches(r rolled) bool { return r.profileSet == v }

// A coverage divides the profiles of a plan into those read from roll-ups and those read one by
// one.
type coverage struct {
	fleets
	rolled []rolled // by hour
	twice  bool     // some of them are in the table more than once
	rest   scope    // all other profiles
	// missing is set if no hour has a roll-up, although some could have. Otherwise, stale has
	// the hours without a current one.
	missing bool
	stale   []int32
}

// hours returns the number of hours that are read from roll-ups.
func (c *coverage) hours() (n int) {
	for i := range c.rolled {
		if i == 0 || c.rolled[i].hour != c.rolled[i-1].hour {
			n++
		}
	}
	return n
}

// lacks reports whether an hour that ended before settled has no current roll-up but could have
// one.
func (c *coverage) lacks(settled int64) bool {
	return c.missing || len(c.stale) > 0 && int64(c.stale[0]+1)*hour <= settled
}

// takesWhole reports whether a query selects either all profiles of a fleet in an hour or none.
// Hours that are cut by From, To or a window don't count.
func takesWhole(q *store.Query) bool {
	return !q.OneByOne() && (q.Step == 0 || q.Step >= hour) && !slices.Contains(q.By, store.LabelInstance) &&
		!slices.ContainsFunc(q.Selector, func(m store.Matcher) bool { return m.Name == store.LabelInstance })
}

// wholeHours returns the range of hours that a query covers completely: from first to before
// end.
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

// cutHours returns the hours that a query covers partly.
func cutHours(q *store.Query) (out []int32) {
	for _, t := range []int64{q.From, q.To} {
		if t != 0 && store.Window(t, hour) != t {
			out = append(out, hourOf(t))
		}
	}
	return out
}

// coverOf finds out which hours of a plan have current roll-ups. It doesn't look if the plan
// has fewer than few series times hours.
func coverOf(ctx context.Context, l *lookup, p *plan, k *key, few int64) (*coverage, error) {
	first, end := wholeHours(&p.query)
	if !takesWhole(&p.query) || first >= end || int64(len(p.series))*(int64(end)-int64(first)) < few {
		return &coverage{rest: p.everything()}, nil
	}
	f := fleetsOf(p, k)
	there, err := readRollUps(ctx, l.client, p, f, first, end)
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

// A matched says which hours can be read from roll-ups, and why others can't.
type matched struct {
	parts []rolled // the usable roll-ups
	twice bool     // some are in the table more than once
	cut   []int32  // hours that cross a window boundary
	stale []int32  // hours with profiles that are in no roll-up
}

// match returns the usable roll-ups: those that sum exactly the profiles that are there now, in
// hours that don't cross a window boundary. step is the length of windows in ns, 0 without
// windows.
func match(there map[rollKey][]rolled, now map[rollKey]profileSet, step int64) matched {
	var use matched
	cut, stale, hours := map[int32]bool{}, map[int32]bool{}, map[int32][]rolled{}
	for k, v := range now {
		if start := int64(k.hour) * hour; step%hour != 0 && store.Window(start, step) != store.Window(start+hour-1, step) {
			cut[k.hour] = true
			continue
		}
		i := slices.IndexFunc(there[k], v.matches)
		if i < 0 {
			stale[k.hour] = true
			continue
		}
		hours[k.hour] = append(hours[k.hour], there[k][i])
		use.twice = use.twice || slices.ContainsFunc(there[k][i+1:], v.matches)
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

// readRollUps reads the roll-ups of fleets in the hours from first to before end. A key has
// several if profiles arrived after the first one, or two nodes rolled up at the same time.
func readRollUps(ctx context.Context, c *client, p *plan, f fleets, first, end int32) (map[rollKey][]rolled, error) {
	a, err := c.exec(ctx, &statement{
		out: outputs("fleet", "header", "hour", "version", "profiles", "duration", "first", "last", "totals"),
		sql: fmt.Sprintf("FROM rollups WHERE %s AND hour >= %d AND hour < %d AND fleet IN (SELECT fleet FROM members)",
			p.keyCondition(), first, end),
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

// joinFleets joins profiles with the fleets of their series.
const joinFleets = " ANY LEFT JOIN (SELECT series, fleet FROM members) AS groups USING series"

// versions returns which profiles the fleets have, by hour and header. If a profile is in the
// table twice, the result for its hour matches no roll-up.
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

// rolledHeads returns heads for the part of a plan that is read from roll-ups.
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
