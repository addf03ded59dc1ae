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

// A rollUp is a roll-up with its sites, ready to be inserted.
type rollUp struct {
	rolled
	siteSums
}

// siteSums are values by site, encoded as the columns of a row.
type siteSums struct {
	sites  []byte
	values [len(valueColumns)][]byte
}

func (s *siteSums) size() int {
	n := len(s.sites)
	for _, v := range s.values {
		n += len(v)
	}
	return n
}

// fleetSelector returns the conditions of a selector on service and kind.
func fleetSelector(all store.Selector) (out store.Selector) {
	for _, m := range all {
		if m.Name == store.LabelService || m.Name == store.LabelKind {
			out = append(out, m)
		}
	}
	return out
}

// rollUpHours rolls up the hours that a plan covers completely, unless they have current
// roll-ups. It returns the number of roll-ups written.
func rollUpHours(ctx context.Context, l *lookup, p *plan, k *key) (int, error) {
	first, end := wholeHours(&p.query)
	f := fleetsOf(p, k)
	there, err := readRollUps(ctx, l.client, p, f, first, end)
	if err != nil {
		return 0, err
	}
	now, err := versions(ctx, l.client, p, f, first, end)
	if err != nil {
		return 0, err
	}
	stale := match(there, now, 0).stale
	var all []rollUp
	written, size := 0, 0
	for i, h := range stale {
		add, err := rollUpHour(ctx, l, p.inHour(h), f, h, there)
		if err != nil {
			return written, err
		}
		all = append(all, add...)
		for k := range add {
			size += add[k].size()
		}
		if size > maxInsert || i == len(stale)-1 {
			if err := insertRollUps(ctx, l.client, f, all); err != nil {
				return written, err
			}
			written += len(all)
			all, size = nil, 0
		}
	}
	return written, nil
}

// rollUpHour returns the roll-ups of the plan's hour. It leaves out those that exist, and those
// whose profiles changed during the sum.
func rollUpHour(ctx context.Context, l *lookup, p *plan, f fleets, h int32, there map[rollKey][]rolled) ([]rollUp, error) {
	before, twice, err := hourTotals(ctx, l.client, p, f, h)
	if err != nil {
		return nil, err
	}
	before = slices.DeleteFunc(before, func(r rolled) bool { return slices.ContainsFunc(there[r.rollKey], r.profileSet.matches) })
	if len(before) == 0 {
		return nil, nil
	}
	var numbers []uint64
	for i := range before {
		numbers = append(numbers, before[i].header)
	}
	headers, err := l.headers(ctx, sortedSet(numbers))
	if err != nil {
		return nil, err
	}
	added := map[rollKey]*siteSums{}
	for types, of := range byTypes(headers) {
		if of == nil {
			continue
		}
		some, err := addUp(ctx, l.client, p, f, h, types, of, twice)
		if err != nil {
			return nil, err
		}
		maps.Copy(added, some)
	}
	after, twiceNow, err := hourTotals(ctx, l.client, p, f, h)
	if err != nil || twiceNow && !twice {
		return nil, err
	}
	var out []rollUp
	for _, r := range before {
		same := slices.ContainsFunc(after, func(o rolled) bool { return o.rollKey == r.rollKey && o.profileSet == r.profileSet })
		if !same || len(headers[r.header].SampleTypes) > len(valueColumns) {
			continue
		}
		u := rollUp{rolled: r}
		if s := added[r.rollKey]; s != nil { // else it has no sites
			u.siteSums = *s
		}
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b rollUp) int { return a.compare(b.rollKey) })
	return out, nil
}

// byTypes groups headers by their number of sample types. It leaves out headers with more
// sample types than the table has columns, which can't be rolled up.
func byTypes(headers map[uint64]*header) (out [len(valueColumns) + 1]map[uint64]bool) {
	for n, h := range headers {
		types := len(h.SampleTypes)
		if types == 0 || types >= len(out) {
			continue
		}
		if out[types] == nil {
			out[types] = map[uint64]bool{}
		}
		out[types][n] = true
	}
	return out
}

// hourTotals returns the totals of an hour by fleet and header. twice reports whether a profile
// is in the table twice.
func hourTotals(ctx context.Context, c *client, p *plan, f fleets, h int32) (out []rolled, twice bool, err error) {
	sc := p.everything()
	a, err := c.exec(ctx, &statement{
		out:    append(outputs("fleet", "header"), sumOutputs...),
		sql:    "FROM profiles FINAL" + joinFleets + " WHERE " + sc.where() + " GROUP BY fleet, header",
		tables: sc.tables(f.members),
	})
	if err != nil {
		return nil, false, err
	}
	standing, err := versions(ctx, c, p, f, h, h+1)
	if err != nil {
		return nil, false, err
	}
	for i := range a.rows {
		r := rolled{
			rollKey:    rollKey{hour: h, fleet: a.col("fleet").words[i], header: a.col("header").words[i]},
			profileSet: profileSet{a.col("version_sum").words[i], a.col("counted").int64(i)},
			duration:   a.col("all_durations").int64(i), first: a.col("first_time").int64(i), last: a.col("last_end").int64(i),
			totals: a.col("all_totals").row(i),
		}
		out = append(out, r)
		twice = twice || standing[r.rollKey].profiles != r.profiles
	}
	return out, twice, nil
}

// addUp adds up by site the profiles of an hour with some headers, all of which have the given
// number of sample types.
func addUp(ctx context.Context, c *client, p *plan, f fleets, h int32, types int, headers map[uint64]bool, final bool) (map[rollKey]*siteSums, error) {
	wanted := make([]int, types)
	for t := range wanted {
		wanted[t] = t
	}
	joined, sums := arrays(wanted)
	sc := p.everything()
	a, err := c.exec(ctx, &statement{
		out: append(outputs("fleet", "header", "site"), sums...),
		sql: fmt.Sprintf("FROM %s ARRAY JOIN sites AS site%s%s WHERE %s AND header IN (SELECT header FROM headers) GROUP BY fleet, header, site",
			profilesTable(final), joined, joinFleets, sc.where()),
		tables: sc.tables(f.members, headersTable(headers)),
	})
	if err != nil {
		return nil, err
	}
	fleet, header, site := a.col("fleet").words, a.col("header").words, a.col("site").words
	order := make([]int, a.rows)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(site[i], site[j]) })
	out := map[rollKey]*siteSums{}
	for _, i := range order {
		k := rollKey{h, fleet[i], header[i]}
		r := out[k]
		if r == nil {
			r = new(siteSums)
			out[k] = r
		}
		r.sites = binary.LittleEndian.AppendUint64(r.sites, site[i])
		for t := range types {
			r.values[t] = binary.LittleEndian.AppendUint64(r.values[t], a.col(sumOf(t)).words[i])
		}
	}
	return out, nil
}

func insertRollUps(ctx context.Context, c *client, f fleets, all []rollUp) error {
	if len(all) == 0 {
		return nil
	}
	rows := rowsOf("rollups")
	for i := range all {
		r := &all[i]
		of := f.of[r.fleet]
		rows.col("day").int32(dayOf(int64(r.hour) * hour))
		rows.col("service").string(of.service)
		rows.col("kind").string(of.kind)
		rows.col("hour").int32(r.hour)
		rows.col("fleet").uint64(r.fleet)
		rows.col("header").uint64(r.header)
		rows.col("version").uint64(r.profileSet.sum)
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
	_, err := c.exec(ctx, insertInto("rollups", rows))
	return err
}

func wordBytes(words []uint64) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, words)
	return b.Bytes()
}
