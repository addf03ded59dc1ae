package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A head has the totals of profiles with the same series and header: those in one window, or a
// single profile, whose ID is set.
type head struct {
	store.GroupKey
	series    uint64 // for a roll-up, the fleet
	header    *header
	id        store.ID
	profiles  int64
	different int64 // profiles without duplicates; not set for a single profile
	duration  int64
	first     int64 // earliest time
	last      int64 // latest end of a profile
	version   uint64
	totals    []uint64
	column    int // the value column that the query names, or the default one
}

func (h *head) value() int64                 { return int64(h.totals[h.column]) }
func (h *head) valueType() profile.ValueType { return h.header.SampleTypes[h.column] }

func (h *head) total() store.Total {
	return store.Total{Value: h.value(), Profiles: h.profiles, Duration: h.duration, Last: h.last, Version: h.version}
}

func earlier(a, b head) int {
	return cmp.Or(cmp.Compare(a.first, b.first), slices.Compare(a.id[:], b.id[:]), cmp.Compare(a.series, b.series))
}

// versionOf is the expression for a profile's part of a total's version.
const versionOf = "cityHash64(id, time)"

// sumOutputs are the columns with totals of several profiles.
var sumOutputs = []output{
	{"counted", "toInt64(count())"}, {"all_durations", "sum(duration)"}, {"first_time", "min(time)"}, {"last_end", "max(time + duration)"},
	{"version_sum", "sum(" + versionOf + ")"}, {"all_totals", "sumForEach(totals)"},
}

// oneOutputs are the same columns for a single profile.
var oneOutputs = []output{
	{"counted", "toInt64(1)"}, {"all_durations", "duration"}, {"first_time", "time"}, {"last_end", "time + duration"},
	{"version_sum", versionOf}, {"all_totals", "totals"}, {name: "id"},
}

// headsStatement returns a statement for the heads of a scope by series, header and window.
// With final, rows that are in the table twice count once.
func headsStatement(sc scope, final bool) *statement {
	out := append(placeOutputs(sc.plan), sumOutputs...)
	return &statement{
		out:    append(out, output{"different", "toInt64(uniqExact(" + versionOf + "))"}),
		sql:    "FROM " + profilesTable(final) + " WHERE " + sc.where() + " GROUP BY series, header, window_start",
		tables: sc.tables(),
	}
}

// eachStatement returns a statement for the heads of single profiles.
func eachStatement(sc scope) *statement {
	return &statement{
		out:    append(placeOutputs(sc.plan), oneOutputs...),
		sql:    "FROM " + profilesTable(true) + " WHERE " + sc.where(),
		tables: sc.tables(),
	}
}

// latestStatement returns a statement for the heads of the latest profiles with some headers,
// at most Query.Limit of them.
func latestStatement(sc scope, headers map[uint64]bool) *statement {
	st := eachStatement(sc)
	st.sql += fmt.Sprintf(" AND header IN (SELECT header FROM headers) ORDER BY time DESC LIMIT %d", sc.plan.query.Limit)
	st.tables = append(st.tables, headersTable(headers))
	return st
}

// placeOutputs are the columns that say which group and window a head belongs to.
func placeOutputs(p *plan) []output {
	return []output{{name: "series"}, {name: "header"}, {"window_start", p.windowOf("time")}}
}

// profilesTable returns the table of profiles as it is written in a statement.
func profilesTable(final bool) string {
	if final {
		return "profiles FINAL"
	}
	return "profiles"
}

// eachHead executes a statement for single profiles and returns their heads.
func eachHead(ctx context.Context, l *lookup, p *plan, st *statement) ([]head, error) {
	a, err := l.client.exec(ctx, st)
	if err != nil {
		return nil, err
	}
	heads, err := headsIn(ctx, l, p, a)
	if err != nil {
		return nil, err
	}
	id := a.col("id")
	for i := range heads {
		heads[i].id = store.ID([]byte(id.texts[i]))
	}
	return inColumn(heads, p.query.SampleType), nil
}

// summedHeads returns the heads of a scope by series, header and window. twice reports that
// some profiles are in the table more than once; the heads count them once.
func summedHeads(ctx context.Context, l *lookup, sc scope) (heads []head, twice bool, err error) {
	if sc.empty() {
		return nil, false, nil
	}
	heads, err = groupedHeads(ctx, l, sc, false)
	if err != nil {
		return nil, false, err
	}
	twice, again := findDuplicates(heads)
	if again {
		heads, err = groupedHeads(ctx, l, sc, true)
	}
	return heads, twice, err
}

func groupedHeads(ctx context.Context, l *lookup, sc scope, final bool) ([]head, error) {
	st := headsStatement(sc, final)
	// All rows of a profile are on one shard, by its id, so shards can send counts, and not
	// the states of uniqExact, which have a number per profile. Not with windows: a row per
	// window and shard may be as much.
	apart := l.client.cfg.Cluster != "" && sc.plan.query.Step == 0
	if apart {
		st.settings = settings{"distributed_group_by_no_merge": "1"}
	}
	a, err := l.client.exec(ctx, st)
	if err != nil {
		return nil, err
	}
	heads, err := headsIn(ctx, l, sc.plan, a)
	if err != nil {
		return nil, err
	}
	different := a.col("different")
	for i := range heads {
		heads[i].different = different.int64(i)
	}
	if apart {
		heads = sumShards(heads)
	}
	return inColumn(heads, sc.plan.query.SampleType), nil
}

// headsIn decodes an answer: one head per row.
func headsIn(ctx context.Context, l *lookup, p *plan, a *answer) ([]head, error) {
	series, header, window := a.col("series"), a.col("header"), a.col("window_start")
	profiles, duration, first, last := a.col("counted"), a.col("all_durations"), a.col("first_time"), a.col("last_end")
	version, totals := a.col("version_sum"), a.col("all_totals")
	headers, err := l.headers(ctx, sortedSet(header.words))
	if err != nil {
		return nil, err
	}
	out := make([]head, a.rows)
	for i := range out {
		of := p.series[series.words[i]]
		h := head{
			GroupKey: store.GroupKey{Labels: of.group, Window: window.int64(i)}, series: series.words[i], header: headers[header.words[i]],
			profiles: profiles.int64(i), duration: duration.int64(i), first: first.int64(i), last: last.int64(i),
			version: version.words[i], totals: totals.row(i),
		}
		if len(h.totals) != len(h.header.SampleTypes) {
			return nil, fmt.Errorf("profiles of %v have %d totals, and %d sample types", of.labels, len(h.totals), len(h.header.SampleTypes))
		}
		out[i] = h
	}
	return out, nil
}

// inColumn returns the heads that have a sample type, and sets their column. It works in place.
// An empty sampleType means the default of each profile.
func inColumn(heads []head, sampleType string) []head {
	out := heads[:0]
	for _, h := range heads {
		var err error
		if h.column, err = h.header.SampleIndex(sampleType); err == nil {
			out = append(out, h)
		}
	}
	return out
}

// findDuplicates reports whether profiles are in the table twice, and whether heads may count
// some of them twice. Duplicates with the same header show in the heads. Duplicates with
// different headers, which should never exist, don't: so if a series has two headers in a
// window, again is set. Checking is cheaper than always removing duplicates.
func findDuplicates(heads []head) (twice, again bool) {
	type place struct {
		series uint64
		window int64
	}
	headers := map[place]*header{}
	for i := range heads {
		h := &heads[i]
		twice = twice || h.different != h.profiles
		at := place{h.series, h.Window}
		if other := headers[at]; other != nil && other != h.header {
			again = true
		}
		headers[at] = h.header
	}
	return twice, again || twice
}

// sumShards adds up heads with the same series and header that come from different shards. All
// are of one window. It works in place.
func sumShards(heads []head) []head {
	type place struct {
		series uint64
		header *header
	}
	at := make(map[place]*head, len(heads))
	out := heads[:0]
	for i := range heads {
		h := &heads[i]
		sum := at[place{h.series, h.header}]
		if sum == nil {
			out = append(out, *h)
			at[place{h.series, h.header}] = &out[len(out)-1]
			continue
		}
		sum.profiles += h.profiles
		sum.different += h.different
		sum.duration += h.duration
		sum.first, sum.last = min(sum.first, h.first), max(sum.last, h.last)
		sum.version += h.version
		for t, v := range h.totals {
			sum.totals[t] += v
		}
	}
	return out
}

// A headGroup is one group of a query: its labels, its window, and the heads in it.
type headGroup struct {
	store.GroupKey
	heads []head // by time
	tally store.Tally
}

// groupsOf returns the groups of heads, sorted by labels, then window. For a query with Top,
// the heads must be of single profiles.
func groupsOf(q *store.Query, heads []head) []headGroup {
	slices.SortFunc(heads, func(a, b head) int { return cmp.Or(a.Compare(b.GroupKey), earlier(a, b)) })
	var out []headGroup
	for len(heads) > 0 {
		g := headGroup{GroupKey: heads[0].GroupKey}
		n := slices.IndexFunc(heads, func(h head) bool { return h.GroupKey != g.GroupKey })
		if n < 0 {
			n = len(heads)
		}
		g.heads, heads = heads[:n:n], heads[n:]
		if q.Top != 0 {
			g.heads = store.KeepTop(q, g.heads, func(h head) int64 { return h.value() }, earlier)
			slices.SortFunc(g.heads, earlier)
		}
		for i := range g.heads {
			h := &g.heads[i]
			g.tally.Add(h.total(), h.valueType(), h.first)
		}
		out = append(out, g)
	}
	return out
}

// latestPoints returns the series with the latest points, at most Query.Limit of them. The type
// of a series depends on all selected profiles, not only on those with points.
func latestPoints(ctx context.Context, l *lookup, p *plan) ([]store.Series, error) {
	heads, _, err := summedHeads(ctx, l, p.everything())
	if err != nil || len(heads) == 0 {
		return nil, err
	}
	headers := map[uint64]bool{}
	for i := range heads {
		headers[heads[i].header.number] = true
	}
	types := map[int32]profile.ValueType{}        // by labels
	for _, g := range groupsOf(&p.query, heads) { // one for each labels, as there are no windows
		_, types[g.Labels] = g.tally.Total()
	}
	heads, err = eachHead(ctx, l, p, latestStatement(p.everything(), headers))
	if err != nil {
		return nil, err
	}
	points := pointsOf(p, heads)
	for i := range points {
		points[i].Type = types[points[i].Labels]
	}
	return store.Latest(store.SeriesOf(p.groups, points), p.query.Limit), nil
}

// seriesOf returns the series of heads: one point per window, or per profile if there are no
// windows.
func seriesOf(p *plan, heads []head) []store.Series {
	return store.Latest(store.SeriesOf(p.groups, pointsOf(p, heads)), p.query.Limit)
}

func pointsOf(p *plan, heads []head) []store.GroupPoint {
	var out []store.GroupPoint
	for _, g := range groupsOf(&p.query, heads) {
		if p.query.Step != 0 {
			total, typ := g.tally.Total()
			out = append(out, store.GroupPoint{Labels: g.Labels, Type: typ, Point: store.Point{Time: g.Window, Total: total}})
			continue
		}
		for i := range g.heads {
			h := &g.heads[i]
			out = append(out, store.GroupPoint{Labels: g.Labels, Type: h.valueType(), Point: store.Point{Time: h.first, ID: h.id, Total: h.total()}})
		}
	}
	return out
}

// labelsOf reads the labels of the profiles that a plan selects.
func labelsOf(ctx context.Context, c *client, p *plan) ([]store.LabelValues, error) {
	sc := p.everything()
	a, err := c.exec(ctx, &statement{out: outputs("series"), distinct: true, sql: "FROM profiles WHERE " + sc.where(), tables: sc.tables()})
	if err != nil || a.rows == 0 {
		return nil, err
	}
	values := store.LabelSet{}
	for _, n := range a.col("series").words {
		values.Add(p.series[n].labels)
	}
	return values.List(), nil
}
