package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
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

// rolledTypes is how many sample types a profile may have to be rolled up: as many
// as the tables have columns for.
const rolledTypes = len(valueColumns)

// fleet returns the number of the fleet that a series is of.
func (k *key) fleet(labels store.Labels) uint64 {
	var b []byte
	for _, l := range labels {
		if l.Name != store.LabelInstance {
			b = appendString(appendString(b, l.Name), l.Value)
		}
	}
	return k.end(k.add(k.begin(101), k.text(string(b))))
}

// A fleet is what a selection knows of one.
type fleet struct {
	service, kind string
	group         int32
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
	version     uint64
	profiles    int64
	duration    int64
	first, last int64
	totals      []uint64
}

// A sum is a roll-up with its sites.
type sum struct {
	rolled
	types  int // 0 until they are added up
	sites  []byte
	values [rolledTypes][]byte
}

// rollUps are those that a selection uses.
type rollUps struct {
	parts []rolled
	twice bool    // some stand in the table more than once
	cut   []int32 // hours that are in two windows
	stale []int32 // whole hours with profiles that are not rolled up, or were before the last of them came
}

// hours returns how many hours are taken from roll-ups.
func (r *rollUps) hours() (n int) {
	for i := range r.parts {
		if i == 0 || r.parts[i].hour != r.parts[i-1].hour {
			n++
		}
	}
	return n
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

// members returns which fleet each selected series is of, and the group of it.
func (sel *selection) members() tempTable {
	rows := newBlock("series", "UInt64", "fleet", "UInt64", "grp", "UInt32")
	sel.fleets = map[uint64]fleet{}
	sel.lx.mu.Lock()
	defer sel.lx.mu.Unlock()
	for n, group := range sel.series {
		labels := sel.lx.series[n]
		number := sel.s.key.fleet(labels)
		sel.fleets[number] = fleet{labels.Get(store.LabelService), labels.Get(store.LabelKind), group}
		rows.col("series").uint64(n)
		rows.col("fleet").uint64(number)
		rows.col("grp").int32(group)
	}
	return tempTable{"members", rows}
}

func hoursTable(hours []int32) tempTable {
	rows := newBlock("hour", "Int32")
	for _, h := range hours {
		rows.col("hour").int32(h)
	}
	return tempTable{"hours", rows}
}

// useRollUps finds out which hours of the selection are rolled up. From then on the
// selection is of the others alone, beside sel.rolled.
func (sel *selection) useRollUps(ctx context.Context) error {
	first, end := wholeHours(sel.q)
	if !takesWhole(sel.q) || first >= end || int64(len(sel.series))*(int64(end)-int64(first)) < sel.s.fewSeriesHours {
		return nil
	}
	sel.member = sel.members()
	there, err := sel.rolledUp(ctx, first, end)
	if err != nil {
		return err
	}
	if len(there) == 0 {
		sel.s.want(sel.q)
		return nil
	}
	now, err := sel.versions(ctx, first, end)
	if err != nil {
		return err
	}
	use := match(there, now, sel.q.Step)
	sel.rolled = use
	sel.s.counts.rolledHours.Add(int64(use.hours()))
	if len(use.stale) > 0 && int64(use.stale[0]+1)*hour <= sel.s.settled() {
		sel.s.want(sel.q)
	}
	if len(use.parts) > 0 {
		sel.rest = append([]int32{}, slices.Concat(use.stale, use.cut, cutHours(sel.q))...)
	}
	return nil
}

// match returns the roll-ups of hours where all that there is now is rolled up, and
// which are in one window of length step.
func match(there map[rollKey][]rolled, now map[rollKey]version, step int64) *rollUps {
	use := &rollUps{}
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

// rolledUp returns the roll-ups of the selected fleets in hours from first to before
// end: several where profiles have come since, or where it was done twice.
func (sel *selection) rolledUp(ctx context.Context, first, end int32) (map[rollKey][]rolled, error) {
	a, err := sel.s.exec(ctx, &statement{
		out: outputs("fleet", "header", "hour", "version", "profiles", "duration", "first", "last", "totals"),
		sql: fmt.Sprintf("FROM rollups WHERE %s AND hour >= %d AND hour < %d AND fleet IN (SELECT fleet FROM members)",
			sel.ofPicked(), first, end),
		tables: []tempTable{sel.picked, sel.member},
	})
	if err != nil {
		return nil, err
	}
	out := map[rollKey][]rolled{}
	for i := range a.rows {
		r := rolled{
			rollKey: rollKey{hour: a.col("hour").int32(i), fleet: a.col("fleet").words[i], header: a.col("header").words[i]},
			version: a.col("version").words[i], profiles: a.col("profiles").int64(i), duration: a.col("duration").int64(i),
			first: a.col("first").int64(i), last: a.col("last").int64(i), totals: a.col("totals").row(i),
		}
		out[r.rollKey] = append(out[r.rollKey], r)
	}
	return out, nil
}

// A version says which profiles something is of.
type version struct {
	version  uint64
	profiles int64
}

func (v version) is(r rolled) bool { return r.version == v.version && r.profiles == v.profiles }

// joinFleets tells the fleets of profiles.
const joinFleets = " ANY LEFT JOIN (SELECT series, fleet FROM members) AS groups USING series"

// versions returns which profiles the selected fleets have, by hour and header. While
// one of an hour stands in the table twice, its version is not that of a roll-up.
func (sel *selection) versions(ctx context.Context, first, end int32) (map[rollKey]version, error) {
	a, err := sel.s.exec(ctx, &statement{
		out: []output{{name: "fleet"}, {name: "header"}, {name: "hour"}, {"counted", "toInt64(count())"}, {"version_sum", "sum(" + versionOf + ")"}},
		sql: fmt.Sprintf("FROM profiles%s WHERE %s AND hour >= %d AND hour < %d GROUP BY fleet, header, hour",
			joinFleets, sel.where(), first, end),
		tables: sel.tables(sel.member),
	})
	if err != nil {
		return nil, err
	}
	out := make(map[rollKey]version, a.rows)
	for i := range a.rows {
		k := rollKey{hour: a.col("hour").int32(i), fleet: a.col("fleet").words[i], header: a.col("header").words[i]}
		out[k] = version{version: a.col("version_sum").words[i], profiles: a.col("counted").int64(i)}
	}
	return out, nil
}

// allHeads returns the heads of what is rolled up, and of the other profiles.
func (sel *selection) allHeads(ctx context.Context) ([]head, error) {
	if err := sel.useRollUps(ctx); err != nil {
		return nil, err
	}
	heads, err := sel.heads(ctx)
	if err != nil {
		return nil, err
	}
	rolled, err := sel.rolledHeads(ctx)
	return append(heads, rolled...), err
}

// rolledHeads returns the heads of what the selection has rolled up.
func (sel *selection) rolledHeads(ctx context.Context) ([]head, error) {
	if sel.rolled == nil || len(sel.rolled.parts) == 0 {
		return nil, nil
	}
	headers := map[uint64]bool{}
	for i := range sel.rolled.parts {
		headers[sel.rolled.parts[i].header] = true
	}
	if err := sel.s.learnHeaders(ctx, sel.lx, &sel.span, slices.Sorted(maps.Keys(headers))); err != nil {
		return nil, err
	}
	sel.lx.mu.Lock()
	defer sel.lx.mu.Unlock()
	var out []head
	for i := range sel.rolled.parts {
		r := &sel.rolled.parts[i]
		h := head{
			series: r.fleet, header: sel.lx.headers[r.header], profiles: r.profiles, duration: r.duration,
			first: r.first, last: r.last, version: r.version, totals: r.totals, group: sel.fleets[r.fleet].group,
		}
		if sel.q.Step != 0 {
			h.window = store.Window(int64(r.hour)*hour, sel.q.Step)
		}
		if len(h.totals) != len(h.header.SampleTypes) {
			return nil, fmt.Errorf("a roll-up of hour %d has %d totals, and %d sample types", r.hour, len(h.totals), len(h.header.SampleTypes))
		}
		var err error
		if h.column, err = h.header.SampleIndex(sel.q.SampleType); err == nil {
			out = append(out, h)
		}
	}
	return out, nil
}

// sumRolled asks for the sums of the wanted columns of what is rolled up.
func (m *merger) sumRolled(ctx context.Context, parts map[store.GroupKey]*part, headers map[uint64]bool, wanted []int) error {
	if m.rolled == nil {
		return nil
	}
	chosen := newBlock("fleet", "UInt64", "header", "UInt64", "hour", "Int32", "version", "UInt64")
	first, last := int32(1<<31-1), int32(-1<<31)
	for i := range m.rolled.parts {
		if r := &m.rolled.parts[i]; headers[r.header] {
			chosen.col("fleet").uint64(r.fleet)
			chosen.col("header").uint64(r.header)
			chosen.col("hour").int32(r.hour)
			chosen.col("version").uint64(r.version)
			first, last = min(first, r.hour), max(last, r.hour)
		}
	}
	if chosen.rows() == 0 {
		return nil
	}
	joined, sums := arrays(wanted)
	groups, join := "toUInt32(0)", ""
	if len(m.labels) > 1 {
		groups, join = "grp", " ANY LEFT JOIN (SELECT fleet, grp FROM members) AS groups USING fleet"
	}
	where := fmt.Sprintf("%s AND day >= %d AND day <= %d AND hour >= %d AND hour <= %d"+
		" AND (fleet, header, hour, version) IN (SELECT fleet, header, hour, version FROM chosen)",
		m.ofPicked(), dayOf(int64(first)*hour), dayOf(int64(last)*hour), first, last)
	tables := []tempTable{m.picked, m.member, {"chosen", chosen}}
	start := fmt.Sprintf("(toInt64(hour) * %d)", hour)
	sql := fmt.Sprintf("FROM %s ARRAY JOIN sites AS site%s%s WHERE %s GROUP BY %s", m.table("rollups"), joined, join, where, m.by())
	a, err := m.s.exec(ctx, &statement{out: siteOutputs(groups, m.windowOf(start), sums), sql: sql, tables: tables})
	if err != nil {
		return err
	}
	return m.took(ctx, parts, a, 0, len(wanted))
}

// RollUp rolls up the hours of which q takes all, and which are not rolled up as they
// are now. Of its selector, only services and kinds count. It returns how many roll-ups
// it has written.
func (s *Store) RollUp(ctx context.Context, q store.Query) (int, error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	defer s.calls.Done()
	q = store.Query{Selector: fleetSelector(q.Selector), From: q.From, To: q.To}
	sel, err := s.selects(ctx, &q)
	if err != nil || sel == nil {
		return 0, err
	}
	first, end := wholeHours(&q)
	sel.member = sel.members()
	there, err := sel.rolledUp(ctx, first, end)
	if err != nil {
		return 0, err
	}
	now, err := sel.versions(ctx, first, end)
	if err != nil {
		return 0, err
	}
	stale := match(there, now, 0).stale
	var out []*sum
	written, size := 0, 0
	for i, h := range stale {
		of := *sel
		of.q = &store.Query{From: int64(h) * hour, To: int64(h+1) * hour}
		add, err := of.rollUpHour(ctx, h, there)
		if err != nil {
			return written, err
		}
		out = append(out, add...)
		for k := range add {
			size += len(add[k].sites) * (1 + add[k].types)
		}
		if size > maxInsert || i == len(stale)-1 {
			if err := sel.insertRollUps(ctx, out); err != nil {
				return written, err
			}
			written += len(out)
			out, size = nil, 0
		}
	}
	return written, nil
}

// fleetSelector returns what a selector says of services and kinds.
func fleetSelector(all store.Selector) (out store.Selector) {
	for _, m := range all {
		if m.Name == store.LabelService || m.Name == store.LabelKind {
			out = append(out, m)
		}
	}
	return out
}

// rollUpHour rolls up the hour that the selection is of. It leaves out what has
// changed while it was added up, and what is there.
func (sel *selection) rollUpHour(ctx context.Context, h int32, there map[rollKey][]rolled) ([]*sum, error) {
	before, twice, err := sel.toRollUp(ctx, h)
	if err != nil {
		return nil, err
	}
	headers := map[uint64]bool{}
	for k, r := range before {
		if slices.ContainsFunc(there[k], version{r.version, r.profiles}.is) {
			delete(before, k)
			continue
		}
		headers[k.header] = true
	}
	if len(before) == 0 {
		return nil, nil
	}
	if err := sel.s.learnHeaders(ctx, sel.lx, &sel.span, slices.Sorted(maps.Keys(headers))); err != nil {
		return nil, err
	}
	byTypes := map[int]map[uint64]bool{}
	sel.lx.mu.Lock()
	for n := range headers {
		types := len(sel.lx.headers[n].SampleTypes)
		if byTypes[types] == nil {
			byTypes[types] = map[uint64]bool{}
		}
		byTypes[types][n] = true
	}
	sel.lx.mu.Unlock()
	for types := 1; types <= rolledTypes; types++ {
		if byTypes[types] == nil {
			continue
		}
		if err := sel.addUp(ctx, h, types, byTypes[types], twice, before); err != nil {
			return nil, err
		}
	}
	after, twiceNow, err := sel.toRollUp(ctx, h)
	if err != nil || twiceNow && !twice {
		return nil, err
	}
	var out []*sum
	for k, r := range before {
		if now := after[k]; r.types > 0 && now != nil && now.version == r.version && now.profiles == r.profiles {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *sum) int { return a.compare(b.rollKey) })
	return out, nil
}

// toRollUp returns what there is to be rolled up of an hour, and whether a profile of
// it stands in the table twice.
func (sel *selection) toRollUp(ctx context.Context, h int32) (out map[rollKey]*sum, twice bool, err error) {
	a, err := sel.s.exec(ctx, &statement{
		out:    append(outputs("fleet", "header"), sumOutputs...),
		sql:    "FROM profiles FINAL" + joinFleets + " WHERE " + sel.where() + " GROUP BY fleet, header",
		tables: sel.tables(sel.member),
	})
	if err != nil {
		return nil, false, err
	}
	standing, err := sel.versions(ctx, h, h+1)
	if err != nil {
		return nil, false, err
	}
	out = map[rollKey]*sum{}
	for i := range a.rows {
		r := &sum{rolled: rolled{
			rollKey:  rollKey{hour: h, fleet: a.col("fleet").words[i], header: a.col("header").words[i]},
			profiles: a.col("counted").int64(i), duration: a.col("all_durations").int64(i), first: a.col("first_time").int64(i),
			last: a.col("last_end").int64(i), version: a.col("version_sum").words[i], totals: a.col("all_totals").row(i),
		}}
		out[r.rollKey] = r
		twice = twice || standing[r.rollKey].profiles != r.profiles
	}
	return out, twice, nil
}

// addUp adds up the sites of profiles with the headers, which have so many sample types.
func (sel *selection) addUp(ctx context.Context, h int32, types int, headers map[uint64]bool, twice bool, into map[rollKey]*sum) error {
	final := ""
	if twice {
		final = " FINAL"
	}
	wanted := make([]int, types)
	for t := range wanted {
		wanted[t] = t
	}
	joined, sums := arrays(wanted)
	a, err := sel.s.exec(ctx, &statement{
		out: append(outputs("fleet", "header", "site"), sums...),
		sql: fmt.Sprintf("FROM profiles%s ARRAY JOIN sites AS site%s%s WHERE %s AND header IN (SELECT header FROM headers) GROUP BY fleet, header, site",
			final, joined, joinFleets, sel.where()),
		tables: sel.tables(sel.member, headersTable(headers)),
	})
	if err != nil {
		return err
	}
	for k, r := range into {
		if headers[k.header] {
			r.types = types // also where there are no sites
		}
	}
	if a.rows == 0 {
		return nil
	}
	fleet, header, site := a.col("fleet").words, a.col("header").words, a.col("site").words
	order := make([]int, a.rows)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(site[i], site[j]) })
	for _, i := range order {
		r := into[rollKey{h, fleet[i], header[i]}]
		if r == nil {
			continue // rolled up already, or come since
		}
		r.sites = binary.LittleEndian.AppendUint64(r.sites, site[i])
		for t := range types {
			r.values[t] = binary.LittleEndian.AppendUint64(r.values[t], a.col(sumOf(t)).words[i])
		}
	}
	return nil
}

func (sel *selection) insertRollUps(ctx context.Context, all []*sum) error {
	if len(all) == 0 {
		return nil
	}
	rows := rowsOf("rollups")
	for _, r := range all {
		of := sel.fleets[r.fleet]
		rows.col("day").int32(dayOf(int64(r.hour) * hour))
		rows.col("service").string(of.service)
		rows.col("kind").string(of.kind)
		rows.col("hour").int32(r.hour)
		rows.col("fleet").uint64(r.fleet)
		rows.col("header").uint64(r.header)
		rows.col("version").uint64(r.version)
		rows.col("profiles").int64(r.profiles)
		rows.col("duration").int64(r.duration)
		rows.col("first").int64(r.first)
		rows.col("last").int64(r.last)
		rows.col("totals").words(wordBytes(r.totals))
		rows.col("sites").words(r.sites)
		for t, name := range valueColumns {
			rows.col(name).words(r.values[t])
		}
	}
	_, err := sel.s.exec(ctx, insertInto("rollups", rows))
	return err
}

func wordBytes(words []uint64) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, words)
	return b.Bytes()
}
