package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// The engine adds up the values of each site where the profiles are. Totals and
// sums are two statements, so they are compared: if the sums add up to the totals, they
// are of the same profiles, or of some more that add nothing. If not, profiles have
// come in between, or stand in a table twice until the engine merges it. The last try
// is of the very profiles that were found.

// errChanged is the error of sums that don't match the totals, because profiles arrived in
// between.
var errChanged = errors.New("profiles arrived while they were added up")

// tries is how often a query is tried before its profiles are selected one by one.
const tries = 3

// findHeads returns the heads of a plan: from roll-ups, and of the rest by series. With exact,
// it returns one head per profile.
func findHeads(ctx context.Context, l *lookup, p *plan, c *coverage, exact bool) (heads []head, twice bool, err error) {
	if exact {
		heads, err = eachHead(ctx, l, p, eachStatement(p.everything()))
		return heads, false, err
	}
	heads, twice, err = summedHeads(ctx, l, c.rest)
	if err != nil {
		return nil, false, err
	}
	rolled, err := rolledHeads(ctx, l, p, c)
	return append(heads, rolled...), twice || c.twice, err
}

// A groupPart is the profiles of a group that measure the same.
type groupPart struct {
	heads  []*head
	first  int64 // earliest time
	column int   // the column that is asked for, -1 for all
}

// An addition is the profiles of all groups that measure the same. One statement can add them
// up.
type addition struct {
	columns []int           // the columns to add up, as indexes of sample types
	headers map[uint64]bool // of the profiles
	parts   map[store.GroupKey]*groupPart
}

// additionsOf returns what has to be added up for some groups.
func additionsOf(q *store.Query, groups []headGroup) []addition {
	var out []addition
	var measures []*header // one for each addition
	of := map[*header]int{}
	for i := range groups {
		g := &groups[i]
		for k := range g.heads {
			h := &g.heads[k]
			at, ok := of[h.header]
			if !ok {
				if at = slices.IndexFunc(measures, h.header.measures); at < 0 {
					at = len(measures)
					measures = append(measures, h.header)
					out = append(out, addition{headers: map[uint64]bool{}, parts: map[store.GroupKey]*groupPart{}})
				}
				of[h.header] = at
			}
			a := &out[at]
			p := a.parts[g.GroupKey]
			if p == nil {
				p = &groupPart{first: h.first, column: -1}
				if q.SampleType != "" {
					p.column = h.column
				}
				a.parts[g.GroupKey] = p
				a.columns = wanted(h.header, p.column)
			}
			p.heads = append(p.heads, h)
			a.headers[h.header.number] = true
		}
	}
	return out
}

// wanted returns the indexes of the sample types of a header that are asked for: one column, or
// all for -1.
func wanted(h *header, column int) []int {
	if column >= 0 {
		return []int{column}
	}
	all := make([]int, len(h.SampleTypes))
	for t := range all {
		all[t] = t
	}
	return all
}

// maxColumns limits the columns that one statement adds up, because the statement is part of a
// URL.
const maxColumns = 32

// A summing is a statement for count columns of an addition, starting with column at.
type summing struct {
	*statement
	at, count int
}

// A summer builds the statements for sums.
type summer struct {
	plan     *plan
	coverage *coverage
	exact    bool // exactly the profiles of the heads are summed
	final    bool // rows that are in a table twice count once
}

// summings returns the statements for an addition.
func (s *summer) summings(a *addition) []summing {
	var out []summing
	if st := s.rolledStatement(a); st != nil {
		out = append(out, summing{st, 0, len(a.columns)})
	}
	if s.coverage.rest.empty() {
		return out
	}
	for at := 0; at < len(a.columns); at += maxColumns {
		some := a.columns[at:min(at+maxColumns, len(a.columns))]
		out = append(out, summing{s.statement(a, some), at, len(some)})
	}
	return out
}

// statement returns a statement that adds up columns of profiles.
func (s *summer) statement(a *addition, columns []int) *statement {
	sc := s.coverage.rest
	tables := sc.tables(headersTable(a.headers))
	where := sc.where() + " AND header IN (SELECT header FROM headers)"
	if s.exact {
		chosen := newBlock("time", "Int64", "id", "FixedString(16)")
		for _, p := range a.parts {
			for _, h := range p.heads {
				chosen.col("time").int64(h.first)
				chosen.col("id").fixed(h.id[:])
			}
		}
		tables = append(tables, tempTable{"chosen", chosen})
		where += " AND (time, id) IN (SELECT time, id FROM chosen)"
	}
	st := s.bySite("profiles", "series", "picked", s.plan.windowOf("time"), where, columns)
	st.tables = tables
	return st
}

// rolledStatement returns a statement that adds up roll-ups, nil if the coverage has none.
func (s *summer) rolledStatement(a *addition) *statement {
	chosen := newBlock("fleet", "UInt64", "header", "UInt64", "hour", "Int32", "version", "UInt64")
	first, last := int32(1<<31-1), int32(-1<<31)
	for i := range s.coverage.rolled {
		if r := &s.coverage.rolled[i]; a.headers[r.header] {
			chosen.col("fleet").uint64(r.fleet)
			chosen.col("header").uint64(r.header)
			chosen.col("hour").int32(r.hour)
			chosen.col("version").uint64(r.profileSet.sum)
			first, last = min(first, r.hour), max(last, r.hour)
		}
	}
	if chosen.rows() == 0 {
		return nil
	}
	where := fmt.Sprintf("%s AND day >= %d AND day <= %d AND hour >= %d AND hour <= %d"+
		" AND (fleet, header, hour, version) IN (SELECT fleet, header, hour, version FROM chosen)",
		s.plan.keyCondition(), dayOf(int64(first)*hour), dayOf(int64(last)*hour), first, last)
	window := s.plan.windowOf(fmt.Sprintf("(toInt64(hour) * %d)", hour))
	st := s.bySite("rollups", "fleet", "members", window, where, a.columns)
	st.tables = []tempTable{s.plan.picked, s.coverage.members, {"chosen", chosen}}
	return st
}

// bySite returns a statement that adds up columns by group, window and site. groups is a
// temporary table with the group of each owner. A group or window that is the same for all rows
// is left out, which saves a quarter of the time. The caller adds the tables that where reads.
func (s *summer) bySite(table, owner, groups, window, where string, columns []int) *statement {
	joined, sums := arrays(columns)
	group, join, by := "toUInt32(0)", "", "site"
	if len(s.plan.groups) > 1 {
		group, join, by = "grp", fmt.Sprintf(" ANY LEFT JOIN (SELECT %[1]s, grp FROM %[2]s) AS groups USING %[1]s", owner, groups), by+", of_group"
	}
	if s.plan.query.Step != 0 {
		by += ", window_start"
	}
	if s.final {
		table += " FINAL"
	}
	return &statement{
		out: append([]output{{"of_group", group}, {"window_start", window}, {name: "site"}}, sums...),
		sql: fmt.Sprintf("FROM %s ARRAY JOIN sites AS site%s%s WHERE %s GROUP BY %s", table, joined, join, where, by),
	}
}

// arrays returns the join of sites with their values, and the columns with the sums.
func arrays(types []int) (joined string, sums []output) {
	for i, t := range types {
		array := fmt.Sprintf("arraySlice(more, %d * length(sites) + 1, length(sites))", t-len(valueColumns))
		if t < len(valueColumns) {
			array = valueColumns[t]
		}
		joined += fmt.Sprintf(", %s AS a%d", array, i)
		sums = append(sums, output{sumOf(i), fmt.Sprintf("sum(a%d)", i)})
	}
	return joined, sums
}

// sumOf returns the name of the column with sum number i of a statement.
func sumOf(i int) string { return fmt.Sprint("sum", i) }

// siteValues are the sums of a part: values by site, one slice per column.
type siteValues struct {
	sites  []uint64
	values [][]int64
	rows   map[uint64]int // by site; nil until a second answer comes
}

// addUpSites adds up the parts of an addition on the servers. It takes the memory of the result
// from the account.
func addUpSites(ctx context.Context, l *lookup, s *summer, a *addition, memory *account) (map[store.GroupKey]*siteValues, error) {
	out := make(map[store.GroupKey]*siteValues, len(a.parts))
	for k := range a.parts {
		out[k] = &siteValues{values: make([][]int64, len(a.columns))}
	}
	for _, some := range s.summings(a) {
		answer, err := l.client.exec(ctx, some.statement)
		if err != nil {
			return nil, err
		}
		// A site and its values, and where the site is if there is another answer.
		if err := memory.take(int64(answer.rows) * 8 * int64(3+some.count)); err != nil {
			return nil, err
		}
		if err := l.sites(ctx, answer.col("site").words); err != nil {
			return nil, err
		}
		addSums(out, answer, some.at, some.count)
	}
	return out, nil
}

// addSums adds an answer to groups. The answer has count sums by site; the first one belongs to
// column at.
func addSums(groups map[store.GroupKey]*siteValues, a *answer, at, count int) {
	group, window, site := a.col("of_group"), a.col("window_start"), a.col("site")
	columns := make([]*values, count)
	for i := range columns {
		columns[i] = a.col(sumOf(i))
	}
	for _, s := range groups {
		// The engine tells sites in any order.
		if len(s.sites) > 0 && s.rows == nil {
			s.rows = make(map[uint64]int, len(s.sites))
			for row, n := range s.sites {
				s.rows[n] = row
			}
		}
	}
	for i := range a.rows {
		s := groups[store.GroupKey{Labels: group.int32(i), Window: window.int64(i)}]
		if s == nil {
			continue // of a profile that has come since
		}
		row, ok := s.row(site.words[i], at == 0)
		if !ok {
			continue // the same
		}
		for k, c := range columns {
			s.values[at+k][row] += c.int64(i)
		}
	}
}

// row returns the row of a site. If the site is new, it is added if add is set. An answer has
// each site only once.
func (s *siteValues) row(site uint64, add bool) (int, bool) {
	if row, ok := s.rows[site]; ok || !add {
		return row, ok
	}
	row := len(s.sites)
	s.sites = append(s.sites, site)
	for t := range s.values {
		s.values[t] = append(s.values[t], 0)
	}
	if s.rows != nil {
		s.rows[site] = row
	}
	return row, true
}

// complete reports whether the sums match the totals of the part.
func (p *groupPart) complete(s *siteValues) bool {
	for i, values := range s.values {
		t := i
		if p.column >= 0 {
			t = p.column
		}
		rest := int64(0)
		for _, h := range p.heads {
			rest += int64(h.totals[t])
		}
		for _, v := range values {
			rest -= v
		}
		if rest != 0 {
			return false
		}
	}
	return true
}

// mergeGroups returns the groups with their merged profiles. It takes their memory from the
// query's budget. After an error, the budget is as before.
func mergeGroups(ctx context.Context, l *lookup, s *summer, groups []headGroup) (out []store.Group, err error) {
	q := &s.plan.query
	memory := &account{of: q.Budget}
	defer func() {
		if err != nil {
			memory.give(memory.taken)
		}
	}()
	parts := map[store.GroupKey][]summedPart{}
	for _, a := range additionsOf(q, groups) {
		sums, err := addUpSites(ctx, l, s, &a, memory)
		if err != nil {
			return nil, err
		}
		for k, p := range a.parts {
			if !s.exact && !p.complete(sums[k]) {
				return nil, errChanged
			}
			parts[k] = append(parts[k], summedPart{p, sums[k]})
		}
	}
	summed := memory.taken
	for i := range groups {
		g := &groups[i]
		labels := s.plan.groups[g.Labels]
		sum, err := mergeParts(ctx, l.lexicon, parts[g.GroupKey], memory)
		if err != nil && len(labels) > 0 {
			err = fmt.Errorf("profiles of %v: %w", labels, err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, q.NewGroup(labels, g.GroupKey, &g.tally, sum))
	}
	memory.give(summed)
	store.SortGroups(out)
	return out, nil
}

// A summedPart is a part with its sums.
type summedPart struct {
	*groupPart
	sums *siteValues
}

// mergeParts merges the profiles of parts, in the order of their times. The account then has
// the memory of the result instead of the parts'.
func mergeParts(ctx context.Context, lx *lexicon, parts []summedPart, memory *account) (*profile.Profile, error) {
	slices.SortStableFunc(parts, func(a, b summedPart) int { return cmp.Compare(a.first, b.first) })
	var ps []*profile.Profile
	tables := int64(0) // of the sum, which find what parts share
	for _, p := range parts {
		one, err := p.profile(ctx, lx, memory)
		if err != nil {
			return nil, err
		}
		ps = append(ps, one)
		tables += 2 * sizeOf(one)
	}
	if len(ps) > 1 {
		if err := memory.take(tables); err != nil {
			return nil, err
		}
		defer memory.give(tables)
	}
	return profile.Sum(ctx, ps...)
}

// profile returns the profile with the sums. It takes memory from the account as the profile
// grows.
func (p summedPart) profile(ctx context.Context, lx *lexicon, memory *account) (*profile.Profile, error) {
	out, main, err := p.header(lx)
	if err != nil {
		return nil, err
	}
	c := newCopier(lx, out, main)
	rows := lx.siteRows(p.sums.sites)
	numbers := int64(4 * (len(rows) + len(c.strings) + len(c.functions) + len(c.mappings) + len(c.locations) + len(c.sets)))
	if err := memory.take(numbers); err != nil {
		return nil, err
	}
	defer memory.give(numbers)
	size := int64(0)
	grown := func() error {
		more := sizeOf(out) - size
		size += more
		return memory.take(more)
	}
	for i, row := range rows {
		if i%1024 == 0 {
			if err := cmp.Or(ctx.Err(), grown()); err != nil {
				return nil, err
			}
		}
		zero := true
		for t := range p.sums.values {
			zero = zero && p.sums.values[t][i] == 0
		}
		if zero {
			continue // values cancelled out
		}
		c.sample(row)
		for t := range p.sums.values {
			out.Values[t] = append(out.Values[t], p.sums.values[t][i])
		}
	}
	return out, grown()
}

// header returns a profile without samples that has the merged headers of the part. main is the
// index plus 1 of its first mapping in the lexicon, 0 if it has none.
func (p *groupPart) header(lx *lexicon) (out *profile.Profile, main uint32, err error) {
	var ps []*profile.Profile
	seen := map[*header]bool{}
	for _, h := range p.heads {
		if seen[h.header] {
			continue
		}
		seen[h.header] = true
		one := h.header.Profile
		one.Strings = []string{""}
		if p.column >= 0 {
			one.SampleTypes = one.SampleTypes[p.column : p.column+1]
			one.DefaultSampleType = one.SampleTypes[0].Type
		}
		one.Values = make([][]int64, len(one.SampleTypes))
		if m, mapping := lx.mapping(h.header.mainMapping); m != 0 {
			one.Mappings = []profile.Mapping{mapping}
			if main == 0 {
				main = m
			}
		}
		ps = append(ps, &one)
	}
	out, err = profile.Merge(ps...)
	return out, main, err
}
