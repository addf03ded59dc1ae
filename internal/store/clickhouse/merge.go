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

// Merge returns merged profiles; see [store.Store].
//
// The engine adds up the values of each site where the profiles are. Totals and
// sums are two statements, so they are compared: if the sums add up to the totals, they
// are of the same profiles, or of some more that add nothing. If not, profiles have
// come in between, or stand in a table twice until the engine merges it. The last try
// is of the very profiles that were found.
//
// Hours that are rolled up are read from there; see rollup.go.
func (s *Store) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	for try := range 3 {
		exact := q.OneByOne() || try == 2
		m, err := s.find(ctx, &q, exact)
		if err != nil || m == nil {
			return nil, err
		}
		// 18.16 takes five times as long to leave out what stands twice.
		m.final = exact || try > 0 || m.twice || m.rolled != nil && m.rolled.twice
		out, err := m.merge(ctx)
		if !errors.Is(err, errMoved) {
			return out, err
		}
	}
	panic("the last try is exact")
}

// errMoved tells that sums are not of what the totals are of.
var errMoved = errors.New("profiles came while they were added up")

// A merger merges what is selected.
type merger struct {
	*selection
	groups []group
	exact  bool // heads are of single profiles
	final  bool // rows that stand in a table twice are left out
}

// find finds what there is to be merged, nil for nothing.
func (s *Store) find(ctx context.Context, q *store.Query, exact bool) (*merger, error) {
	sel, err := s.selects(ctx, q)
	if err != nil || sel == nil {
		return nil, err
	}
	of := sel.allHeads
	if exact {
		of = sel.each
	}
	heads, err := of(ctx)
	if err != nil || len(heads) == 0 {
		return nil, err
	}
	return &merger{selection: sel, exact: exact, groups: sel.groups(heads)}, nil
}

func (m *merger) merge(ctx context.Context) ([]store.Group, error) {
	// Profiles that measure the same are added up by the engine.
	var measures []*header
	of := map[*header]int{}
	groups := make([][]*part, len(m.groups)) // by index in measures
	for i := range m.groups {
		g := &m.groups[i]
		for k := range g.heads {
			h := g.heads[k].header
			at, ok := of[h]
			if !ok {
				if at = slices.IndexFunc(measures, h.measures); at < 0 {
					at = len(measures)
					measures = append(measures, h)
				}
				of[h] = at
			}
			for len(groups[i]) <= at {
				groups[i] = append(groups[i], nil)
			}
			if groups[i][at] == nil {
				groups[i][at] = &part{merger: m, first: g.heads[k].first, column: -1}
				if m.q.SampleType != "" {
					groups[i][at].column = g.heads[k].column
				}
			}
			groups[i][at].heads = append(groups[i][at].heads, &g.heads[k])
		}
	}
	for at := range measures {
		parts := map[store.GroupKey]*part{}
		for i := range groups {
			if at < len(groups[i]) && groups[i][at] != nil {
				parts[store.GroupKey{Labels: m.groups[i].labels, Window: m.groups[i].window}] = groups[i][at]
			}
		}
		if err := m.sum(ctx, parts); err != nil {
			return nil, err
		}
	}
	var out []store.Group
	for i := range m.groups {
		g := &m.groups[i]
		parts := slices.DeleteFunc(groups[i], func(p *part) bool { return p == nil })
		slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(a.first, b.first) })
		var ps []*profile.Profile
		for _, p := range parts {
			if !m.exact && !p.complete() {
				return nil, errMoved
			}
			one, err := p.profile()
			if err != nil {
				return nil, err
			}
			ps = append(ps, one)
		}
		sum, err := profile.Sum(ctx, ps...)
		labels := slices.Clone(m.labels[g.labels])
		if err != nil && len(labels) > 0 {
			err = fmt.Errorf("profiles of %v: %w", labels, err)
		}
		if err != nil {
			return nil, err
		}
		total, _ := g.total()
		r := store.Group{Labels: labels, Time: g.window, Profile: sum, Total: total}
		if m.q.Step == 0 {
			r.Time = g.heads[0].first
		}
		sum.TimeNanos, sum.DurationNanos = r.Time, r.Duration
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b store.Group) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), a.Labels.Compare(b.Labels))
	})
	return out, nil
}

// A part is what a group has of profiles that measure the same.
type part struct {
	*merger
	heads  []*head
	first  int64 // earliest time
	column int   // that is wanted, -1 for all
	sites  []uint64
	values [][]int64 // of the wanted columns
	rows   map[uint64]int
}

// maxColumns bounds the columns that one statement sums up: it stands in a URL.
const maxColumns = 32

// sum asks the engine for the sums of parts, all of which measure the same.
func (m *merger) sum(ctx context.Context, parts map[store.GroupKey]*part) error {
	var wanted []int
	headers := map[uint64]bool{}
	for _, p := range parts {
		wanted = wanted[:0]
		for t := range p.heads[0].header.SampleTypes {
			if p.column < 0 || p.column == t {
				wanted = append(wanted, t)
			}
		}
		p.values = make([][]int64, len(wanted))
		for _, h := range p.heads {
			headers[h.header.number] = true
		}
	}
	if err := m.sumRolled(ctx, parts, headers, wanted); err != nil || m.nothing() {
		return err
	}
	for at := 0; at < len(wanted); at += maxColumns {
		if err := m.sumColumns(ctx, parts, headers, at, wanted[at:min(at+maxColumns, len(wanted))]); err != nil {
			return err
		}
	}
	return nil
}

// sumColumns asks for the sums of some columns, of which the first is number at of
// those wanted.
func (m *merger) sumColumns(ctx context.Context, parts map[store.GroupKey]*part, headers map[uint64]bool, at int, wanted []int) error {
	tables := m.tables(headersTable(headers))
	where := m.where() + " AND header IN (SELECT header FROM headers)"
	if m.exact {
		chosen := newBlock("time", "Int64", "id", "FixedString(16)")
		for _, p := range parts {
			for _, h := range p.heads {
				chosen.col("time").int64(h.first)
				chosen.col("id").fixed(h.id[:])
			}
		}
		tables = append(tables, tempTable{"chosen", chosen})
		where += " AND (time, id) IN (SELECT time, id FROM chosen)"
	}
	joined, sums := arrays(wanted)
	// One group needs no telling apart.
	groups, join := "toUInt32(0)", ""
	if len(m.labels) > 1 {
		groups, join = "grp", " ANY LEFT JOIN (SELECT series, grp FROM picked) AS groups USING series"
	}
	sql := fmt.Sprintf("FROM %s ARRAY JOIN sites AS site%s%s WHERE %s GROUP BY %s", m.table("profiles"), joined, join, where, m.by())
	a, err := m.s.exec(ctx, &statement{out: siteOutputs(groups, m.window(), sums), sql: sql, tables: tables})
	if err != nil {
		return err
	}
	return m.took(ctx, parts, a, at, len(wanted))
}

// by is what sums are told apart by. Telling apart what is always the same takes a
// quarter of a sum's time.
func (m *merger) by() string {
	by := "site"
	if len(m.labels) > 1 {
		by += ", of_group"
	}
	if m.q.Step != 0 {
		by += ", window_start"
	}
	return by
}

// siteOutputs are the columns of sums by site, of what is in the group and the window
// that expressions are for.
func siteOutputs(group, window string, sums []output) []output {
	return append([]output{{"of_group", group}, {"window_start", "toInt64(" + window + ")"}, {name: "site"}}, sums...)
}

// arrays returns what joins the values of sample types to their sites, and the
// columns with their sums.
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

// sumOf is the name of the column with the ith sum of a statement.
func sumOf(i int) string { return fmt.Sprint("sum", i) }

// took adds an answer with some sums by site to parts; the first of them is that of number
// at of those wanted.
func (m *merger) took(ctx context.Context, parts map[store.GroupKey]*part, a *answer, at, count int) error {
	if a.rows == 0 {
		return nil
	}
	group, window, site := a.col("of_group"), a.col("window_start"), a.col("site")
	sums := make([]*values, count)
	for i := range sums {
		sums[i] = a.col(sumOf(i))
	}
	if err := m.s.learnSites(ctx, m.lx, &m.span, site.words); err != nil {
		return err
	}
	more := map[*part]bool{} // have sites from another answer
	for _, p := range parts {
		more[p] = len(p.sites) > 0
	}
	for i := range a.rows {
		p := parts[store.GroupKey{Labels: group.int32(i), Window: window.int64(i)}]
		if p == nil {
			continue // of a profile that has come since
		}
		p.add(site.words[i], at, sums, i, more[p])
	}
	return nil
}

// add adds what row i of some sums, of which the first is number at of those wanted, says of a site. Of one answer, a site is in one row; more tells that the part
// has sites of another.
func (p *part) add(site uint64, at int, sums []*values, i int, more bool) {
	row, known := 0, false
	if more {
		// The engine tells sites in any order.
		if p.rows == nil {
			p.rows = make(map[uint64]int, len(p.sites))
			for row, n := range p.sites {
				p.rows[n] = row
			}
		}
		row, known = p.rows[site]
	}
	if !known {
		if at > 0 {
			return // of a profile that has come since
		}
		row = len(p.sites)
		p.sites = append(p.sites, site)
		for t := range p.values {
			p.values[t] = append(p.values[t], 0)
		}
		if more {
			p.rows[site] = row
		}
	}
	for k, sum := range sums {
		p.values[at+k][row] += sum.int64(i)
	}
}

// complete reports whether the sums add up to the totals.
func (p *part) complete() bool {
	for i, values := range p.values {
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

// table is how a statement names a table that is added up.
func (m *merger) table(name string) string {
	if m.final {
		return name + " FINAL"
	}
	return name
}

// profile returns the profile of what was summed up.
func (p *part) profile() (*profile.Profile, error) {
	out, main, err := p.header()
	if err != nil {
		return nil, err
	}
	p.lx.mu.Lock()
	all := p.lx.all
	rows := make([]uint32, len(p.sites))
	for i, n := range p.sites {
		rows[i] = p.lx.sites[n]
	}
	p.lx.mu.Unlock()
	c := copier{all: &all, out: out, strings: make([]uint32, len(all.Strings)), functions: make([]uint32, len(all.Functions)),
		mappings: make([]uint32, len(all.Mappings)), locations: make([]uint32, len(all.Locations)), sets: make([]uint32, len(all.LabelSets))}
	if main != 0 {
		c.mappings[main-1] = 1
	}
	for i, row := range rows {
		zero := true
		for t := range p.values {
			zero = zero && p.values[t][i] == 0
		}
		if zero {
			continue // values cancelled out
		}
		c.sample(row)
		for t := range p.values {
			out.Values[t] = append(out.Values[t], p.values[t][i])
		}
	}
	return out, nil
}

// header returns a profile without samples with the part's headers merged. The
// first mapping of it, if it has one, is number main of the lexicon, counted from 1.
func (p *part) header() (out *profile.Profile, main uint32, err error) {
	var ps []*profile.Profile
	seen := map[*header]bool{}
	p.lx.mu.Lock()
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
		if m := p.lx.mappings[h.header.mainMapping]; m != 0 {
			one.Mappings = []profile.Mapping{p.lx.all.Mappings[m-1]}
			if main == 0 {
				main = m
			}
		}
		ps = append(ps, &one)
	}
	p.lx.mu.Unlock()
	out, err = profile.Merge(ps...)
	return out, main, err
}
