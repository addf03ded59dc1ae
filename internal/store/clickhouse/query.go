package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A selection is what a query selects: series, of which the engine is asked for
// profiles.
type selection struct {
	s      *Store
	q      *store.Query
	lx     *lexicon
	span   span
	series map[uint64]int32 // those that q selects, and the group of each
	labels []store.Labels   // of the groups, in their order
	picked tempTable        // the series, as the engine is told them
	alike  bool             // they are of one service and kind
	member tempTable        // the fleets of the series, where roll-ups are looked at
	fleets map[uint64]fleet // by number, of member
	rolled *rollUps         // what is taken from roll-ups, nil where they are of no use
	// Of profiles, only those in the hours of rest are selected then. nil is no
	// restriction.
	rest  []int32
	twice bool // some profiles stand in the table more than once
}

// A head is what the engine says of profiles with the same series and header: of
// those in one window, or of one alone, which has an ID then.
type head struct {
	series    uint64
	header    *header
	window    int64
	id        store.ID
	profiles  int64
	different int64 // of the profiles, those that are not another one again; not of a single one
	duration  int64
	first     int64 // earliest time
	last      int64 // latest time of an end
	version   uint64
	totals    []uint64
	// What the query makes of it.
	group  int32
	column int // the value column that the query names, or the default one
}

func (h *head) value() int64                 { return int64(h.totals[h.column]) }
func (h *head) valueType() profile.ValueType { return h.header.SampleTypes[h.column] }

func (h *head) total() store.Total {
	return store.Total{Value: h.value(), Profiles: h.profiles, Duration: h.duration, Last: h.last, Version: h.version}
}

// selects returns the series that q selects, nil if there are none.
func (s *Store) selects(ctx context.Context, q *store.Query) (*selection, error) {
	sel := &selection{s: s, q: q, lx: s.words.get(), series: map[uint64]int32{}}
	sel.span.first, sel.span.last = -1<<31, 1<<31-1
	if q.From != 0 {
		sel.span.first = weekOf(q.From)
	}
	if q.To != 0 {
		sel.span.last = weekOf(q.To)
	}
	st := &statement{out: outputs("number", "service"), distinct: true, sql: "FROM dictionary WHERE " + sel.span.condition(ofSeries)}
	for i := range q.Selector {
		if m := &q.Selector[i]; m.Name == store.LabelService && m.Op == store.Equal {
			st.sql += " AND service IN (SELECT service FROM services)"
			st.tables = []tempTable{(&span{services: []string{m.Value}}).table()}
			break
		}
	}
	a, err := s.exec(ctx, st)
	if err != nil || a.rows == 0 {
		return nil, err
	}
	sel.span.services = slices.Compact(slices.Sorted(slices.Values(a.col("service").texts)))
	if err := s.learnSeries(ctx, sel.lx, &sel.span, a.col("number").words); err != nil {
		return nil, err
	}
	type chosen struct {
		number uint64
		labels store.Labels
	}
	var all []chosen
	sel.lx.mu.Lock()
	for _, n := range a.col("number").words {
		if labels := sel.lx.series[n]; labels != nil && q.Selector.Matches(labels) {
			all = append(all, chosen{n, labels})
		}
	}
	sel.lx.mu.Unlock()
	if len(all) == 0 {
		return nil, nil
	}
	groups := map[string]store.Labels{}
	for _, c := range all {
		labels := c.labels.Select(q.By)
		groups[labels.String()] = labels
	}
	for _, labels := range groups {
		sel.labels = append(sel.labels, labels)
	}
	slices.SortFunc(sel.labels, store.Labels.Compare)
	rows := newBlock("service", "String", "kind", "String", "series", "UInt64", "grp", "UInt32")
	services, kinds := map[string]bool{}, map[string]bool{}
	for _, c := range all {
		service, kind := c.labels.Get(store.LabelService), c.labels.Get(store.LabelKind)
		services[service], kinds[kind] = true, true
		g, _ := slices.BinarySearchFunc(sel.labels, c.labels.Select(q.By), store.Labels.Compare)
		sel.series[c.number] = int32(g)
		rows.col("service").string(service)
		rows.col("kind").string(kind)
		rows.col("series").uint64(c.number)
		rows.col("grp").int32(int32(g))
	}
	sel.span.services = sel.span.services[:0]
	for service := range services {
		sel.span.services = append(sel.span.services, service)
	}
	sel.picked, sel.alike = tempTable{"picked", rows}, len(services) == 1 && len(kinds) == 1
	return sel, nil
}

// nothing reports whether all that is selected is rolled up.
func (sel *selection) nothing() bool { return sel.rest != nil && len(sel.rest) == 0 }

// ofPicked lets the engine find what is selected by the tables' order. It takes in more
// than that; the series or fleets say the rest. 18.16 reads less for what is equal.
func (sel *selection) ofPicked() string {
	if sel.alike {
		return "service = (SELECT min(service) FROM picked) AND kind = (SELECT min(kind) FROM picked)"
	}
	return "service IN (SELECT service FROM picked) AND kind IN (SELECT kind FROM picked)"
}

// where returns the condition on profiles that are selected, as far as the engine
// is told, in the order of the table's key.
func (sel *selection) where() string {
	q := sel.q
	var b strings.Builder
	b.WriteString(sel.ofPicked())
	if q.From != 0 {
		fmt.Fprintf(&b, " AND day >= %d AND hour >= %d AND time >= %s", dayOf(q.From), hourOf(q.From), literal(q.From))
	}
	if q.To != 0 {
		fmt.Fprintf(&b, " AND day <= %d AND hour <= %d AND time < %s", dayOf(q.To), hourOf(q.To), literal(q.To))
	}
	if sel.rest != nil {
		b.WriteString(sel.inRest())
	}
	b.WriteString(" AND series IN (SELECT series FROM picked)")
	if q.ID != (store.ID{}) {
		b.WriteString(" AND id IN (SELECT id FROM asked)")
	}
	if q.Lasting {
		b.WriteString(" AND duration > 0")
	}
	return b.String()
}

// maxLiterals bounds the hours that stand in a statement. 18.16 finds those without
// reading others, as it doesn't those of a table; but a statement stands in a URL.
const maxLiterals = 500

// inRest is the condition that a profile is in the hours of rest.
func (sel *selection) inRest() string {
	if len(sel.rest) > maxLiterals {
		return " AND hour IN (SELECT hour FROM hours)"
	}
	hours, days := map[int32]bool{}, map[int32]bool{}
	for _, h := range sel.rest {
		hours[h], days[dayOf(int64(h)*hour)] = true, true
	}
	return " AND day IN (" + list(days) + ") AND hour IN (" + list(hours) + ")"
}

func list(numbers map[int32]bool) string {
	var b strings.Builder
	for i, n := range slices.Sorted(maps.Keys(numbers)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(int(n)))
	}
	return b.String()
}

// literal returns a number as a statement has it. The least one has no literal.
func literal(v int64) string { return strconv.FormatInt(max(v, -1<<63+1), 10) }

// tables returns the tables that where reads.
func (sel *selection) tables(more ...tempTable) []tempTable {
	out := append([]tempTable{sel.picked}, more...)
	if len(sel.rest) > maxLiterals {
		out = append(out, hoursTable(sel.rest))
	}
	if sel.q.ID != (store.ID{}) {
		rows := newBlock("id", "FixedString(16)")
		rows.col("id").fixed(sel.q.ID[:])
		out = append(out, tempTable{"asked", rows})
	}
	return out
}

// window is the expression for the window of a profile.
func (sel *selection) window() string { return sel.windowOf("time") }

// windowOf is the expression for the window of a time, as [store.Window] has it for
// times before 1970, too.
func (sel *selection) windowOf(time string) string {
	if sel.q.Step == 0 {
		return "toInt64(0)"
	}
	step := "toInt64(" + literal(sel.q.Step) + ")" // a literal has no sign, and then the rest has none
	return fmt.Sprintf("%s - (%[1]s %% %[2]s + if(%[1]s %% %[2]s < 0, %[2]s, toInt64(0)))", time, step)
}

// heads returns what the engine has of the selected profiles: of each series, header
// and window.
func (sel *selection) heads(ctx context.Context) ([]head, error) {
	heads, err := sel.headsWhere(ctx, false, false, "")
	if err != nil || !sel.doubtful(heads) {
		return heads, err
	}
	return sel.headsWhere(ctx, false, true, "")
}

// each returns what the engine has of each of the selected profiles.
func (sel *selection) each(ctx context.Context) ([]head, error) {
	return sel.headsWhere(ctx, true, true, "")
}

// doubtful reports whether heads, of which those of all that stands in the table, may
// count something twice. What has come twice under one header they tell; what has come
// under two, which there should never be, they can't. Both are rare, and looking is cheaper
// than leaving out what stands twice.
func (sel *selection) doubtful(heads []head) bool {
	type place struct {
		series uint64
		window int64
	}
	headers := map[place]*header{}
	for i := range heads {
		h := &heads[i]
		sel.twice = sel.twice || h.different != h.profiles
		at := place{h.series, h.window}
		if other := headers[at]; other != nil && other != h.header {
			return true
		}
		headers[at] = h.header
	}
	return sel.twice
}

// headsWhere returns the heads of each series, header and window, or of each profile
// where one is true. final leaves out what stands in the table twice. More is behind the
// condition, which reads more tables.
func (sel *selection) headsWhere(ctx context.Context, one, final bool, more string, tables ...tempTable) ([]head, error) {
	if sel.nothing() {
		return nil, nil
	}
	s := sel.s
	st := &statement{out: headOutputs(sel.window(), one), tables: sel.tables(tables...)}
	st.sql = "FROM profiles"
	if final {
		st.sql += " FINAL"
	}
	st.sql += " WHERE " + sel.where()
	if !one {
		st.sql += " GROUP BY series, header, window_start"
	}
	st.sql += more
	// All rows of a profile are on one shard, by its id, so shards can send counts, and not
	// the states of uniqExact, which have a number per profile. Not with windows: a row per
	// window and shard may be as much.
	apart := s.replicas > 0 && !one && sel.q.Step == 0
	if apart {
		st.settings = settings{"distributed_group_by_no_merge": "1"}
	}
	a, err := s.exec(ctx, st)
	if err != nil || a.rows == 0 {
		return nil, err
	}
	header := a.col("header").words
	if err := s.learnHeaders(ctx, sel.lx, &sel.span, slices.Compact(slices.Sorted(slices.Values(header)))); err != nil {
		return nil, err
	}
	sel.lx.mu.Lock()
	defer sel.lx.mu.Unlock()
	out := make([]head, 0, a.rows)
	for i := range a.rows {
		h := head{
			series: a.col("series").words[i], header: sel.lx.headers[header[i]], window: a.col("window_start").int64(i),
			profiles: a.col("counted").int64(i), duration: a.col("all_durations").int64(i), first: a.col("first_time").int64(i),
			last: a.col("last_end").int64(i), version: a.col("version_sum").words[i], totals: a.col("all_totals").row(i),
		}
		h.group = sel.series[h.series]
		if one {
			h.id = store.ID([]byte(a.col("id").texts[i]))
		} else {
			h.different = a.col("different").int64(i)
		}
		if len(h.totals) != len(h.header.SampleTypes) {
			return nil, fmt.Errorf("profiles of %v have %d totals, and %d sample types", sel.lx.series[h.series], len(h.totals), len(h.header.SampleTypes))
		}
		var err error
		if h.column, err = h.header.SampleIndex(sel.q.SampleType); err == nil {
			out = append(out, h)
		}
	}
	if apart {
		out = together(out)
	}
	return out, nil
}

// headOutputs are the columns of heads: of profiles in the window that an expression is for,
// or of each profile where one is true.
func headOutputs(window string, one bool) []output {
	out := []output{{name: "series"}, {name: "header"}, {"window_start", "toInt64(" + window + ")"}}
	if one {
		return append(out, []output{
			{"counted", "toInt64(1)"}, {"all_durations", "duration"}, {"first_time", "time"}, {"last_end", "time + duration"},
			{"version_sum", versionOf}, {"all_totals", "totals"}, {name: "id"},
		}...)
	}
	return append(append(out, sumOutputs...), output{"different", "toInt64(uniqExact(" + versionOf + "))"})
}

// versionOf is the part of a profile in the version of a total.
const versionOf = "cityHash64(id, time)"

// sumOutputs are the columns of what profiles add up to.
var sumOutputs = []output{
	{"counted", "toInt64(count())"}, {"all_durations", "sum(duration)"}, {"first_time", "min(time)"}, {"last_end", "max(time + duration)"},
	{"version_sum", "sum(" + versionOf + ")"}, {"all_totals", "sumForEach(totals)"},
}

// together adds up the heads that shards have of the same series and header, all of
// one window, in place.
func together(heads []head) []head {
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

// A group is what Query.By and Query.Step put together.
type group struct {
	labels int32 // index in selection.labels
	window int64
	heads  []head
}

func earlier(a, b *head) int {
	return cmp.Or(cmp.Compare(a.first, b.first), slices.Compare(a.id[:], b.id[:]), cmp.Compare(a.series, b.series))
}

// groups returns the groups of heads, by labels, then window; in each the heads are
// by time. Where the query asks for the top ones, heads are of single profiles.
func (sel *selection) groups(heads []head) []group {
	slices.SortFunc(heads, func(a, b head) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.window, b.window), earlier(&a, &b))
	})
	var out []group
	for i := 0; i < len(heads); {
		n := i + 1
		for n < len(heads) && heads[n].group == heads[i].group && heads[n].window == heads[i].window {
			n++
		}
		g := group{heads[i].group, heads[i].window, heads[i:n:n]}
		if sel.q.Top != 0 {
			slices.SortStableFunc(g.heads, func(a, b head) int { return cmp.Compare(b.value(), a.value()) })
			g.heads = g.heads[:sel.q.Kept(len(g.heads))]
			slices.SortFunc(g.heads, func(a, b head) int { return earlier(&a, &b) })
		}
		out = append(out, g)
		i = n
	}
	return out
}

// total adds up, and returns the type of the value, none if the heads don't agree.
func (g *group) total() (t store.Total, typ profile.ValueType) {
	typ = g.heads[0].valueType()
	t.Last = g.heads[0].last
	differ := false
	for i := range g.heads {
		h := &g.heads[i]
		t.Value += h.value()
		t.Profiles += h.profiles
		t.Duration += h.duration
		t.Last = max(t.Last, h.last)
		t.Version += h.version
		differ = differ || h.valueType() != typ
	}
	if differ {
		t.Value, typ = 0, profile.ValueType{}
	}
	return t, typ
}

// Series returns totals over time; see [store.Store].
func (s *Store) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	sel, err := s.selects(ctx, &q)
	if err != nil || sel == nil {
		return nil, err
	}
	of := sel.allHeads
	switch {
	case q.OneByOne() || q.Step == 0 && q.Limit == 0:
		of = sel.each
	case q.Step == 0:
		of = sel.heads // some of which are then asked for one by one
	}
	heads, err := of(ctx)
	if err != nil {
		return nil, err
	}
	groups := sel.groups(heads)
	types := make([]profile.ValueType, len(sel.labels)) // of whole series, also of what Limit leaves out
	for i := range groups {
		_, typ := groups[i].total()
		if first := i == 0 || groups[i-1].labels != groups[i].labels; first {
			types[groups[i].labels] = typ
		} else if typ != types[groups[i].labels] {
			types[groups[i].labels] = profile.ValueType{}
		}
	}
	if q.Step == 0 && q.Limit != 0 && !q.OneByOne() {
		if heads, err = sel.latest(ctx, heads); err != nil {
			return nil, err
		}
		groups = sel.groups(heads)
	}
	var out []store.Series
	last := int32(-1)
	for _, g := range groups {
		if g.labels != last {
			last = g.labels
			out = append(out, store.Series{Labels: slices.Clone(sel.labels[g.labels]), Type: types[g.labels]})
		}
		sr := &out[len(out)-1]
		if q.Step != 0 {
			total, _ := g.total()
			sr.Points = append(sr.Points, store.Point{Time: g.window, Total: total})
			continue
		}
		for i := range g.heads {
			h := &g.heads[i]
			sr.Points = append(sr.Points, store.Point{Time: h.first, ID: h.id, Total: h.total()})
		}
	}
	return store.Latest(out, q.Limit), nil
}

// latest returns as many profiles as Query.Limit asks for, of those with the headers
// of heads.
func (sel *selection) latest(ctx context.Context, heads []head) ([]head, error) {
	headers := map[uint64]bool{}
	for i := range heads {
		headers[heads[i].header.number] = true
	}
	if len(headers) == 0 {
		return nil, nil
	}
	return sel.headsWhere(ctx, true, true, fmt.Sprintf(" AND header IN (SELECT header FROM headers) ORDER BY time DESC LIMIT %d", sel.q.Limit), headersTable(headers))
}

func headersTable(headers map[uint64]bool) tempTable {
	rows := newBlock("header", "UInt64")
	for n := range headers {
		rows.col("header").uint64(n)
	}
	return tempTable{"headers", rows}
}

// Labels returns names and values of labels; see [store.Store].
func (s *Store) Labels(ctx context.Context, q store.Query) ([]store.LabelValues, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	sel, err := s.selects(ctx, &q)
	if err != nil || sel == nil {
		return nil, err
	}
	a, err := s.exec(ctx, &statement{out: outputs("series"), distinct: true, sql: "FROM profiles WHERE " + sel.where(), tables: sel.tables()})
	if err != nil || a.rows == 0 {
		return nil, err
	}
	values := store.LabelSet{}
	sel.lx.mu.Lock()
	for _, n := range a.col("series").words {
		values.Add(sel.lx.series[n])
	}
	sel.lx.mu.Unlock()
	return values.List(), nil
}
