package clickhouse

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/store"
)

// A plan is what a query reads: its series and their groups. It is made once, from the query
// and the catalogue, and never changes.
type plan struct {
	query  store.Query
	series map[uint64]plannedSeries // by number
	groups []store.Labels           // sorted
	span   span                     // where dictionary entries are looked up
	picked tempTable                // the series, to be sent along
	alike  bool                     // all series have the same service and kind
}

// A plannedSeries is a series of a plan.
type plannedSeries struct {
	labels store.Labels
	group  int32 // index in plan.groups
}

// newPlan returns the plan of a query, nil if the query selects no series of the catalogue.
func newPlan(q store.Query, c *catalogue) *plan {
	var numbers []uint64
	var all []store.Labels
	for _, n := range slices.Sorted(maps.Keys(c.series)) {
		if labels := c.series[n]; q.Selector.Matches(labels) {
			numbers, all = append(numbers, n), append(all, labels)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	groups, of := q.Groups(all)
	p := &plan{query: q, series: map[uint64]plannedSeries{}, groups: groups, span: c.span}
	rows := newBlock("service", "String", "kind", "String", "series", "UInt64", "grp", "UInt32")
	services, kinds := map[string]bool{}, map[string]bool{}
	for i, labels := range all {
		p.series[numbers[i]] = plannedSeries{labels, of[i]}
		service, kind := labels.Get(store.LabelService), labels.Get(store.LabelKind)
		services[service], kinds[kind] = true, true
		rows.col("service").string(service)
		rows.col("kind").string(kind)
		rows.col("series").uint64(numbers[i])
		rows.col("grp").int32(of[i])
	}
	p.span.services = slices.Sorted(maps.Keys(services))
	p.picked, p.alike = tempTable{"picked", rows}, len(services) == 1 && len(kinds) == 1
	return p
}

// inHour returns the plan limited to the profiles of an hour.
func (p *plan) inHour(h int32) *plan {
	of := *p
	of.query = store.Query{From: int64(h) * hour, To: int64(h+1) * hour}
	return &of
}

// everything returns the scope of all profiles of the plan.
func (p *plan) everything() scope { return scope{plan: p} }

// keyCondition returns a condition that narrows the search with the tables' sort order. It lets
// other profiles through; conditions on series or fleets exclude them. Version 18.16 reads less
// with = than with IN.
func (p *plan) keyCondition() string {
	if p.alike {
		return "service = (SELECT min(service) FROM picked) AND kind = (SELECT min(kind) FROM picked)"
	}
	return "service IN (SELECT service FROM picked) AND kind IN (SELECT kind FROM picked)"
}

// windowOf returns an expression for the window of a time. As in [store.Window], times before
// 1970 are rounded down, too.
func (p *plan) windowOf(time string) string {
	if p.query.Step == 0 {
		return "toInt64(0)"
	}
	step := "toInt64(" + literal(p.query.Step) + ")" // a literal has no sign, and then the rest has none
	return fmt.Sprintf("toInt64(%s - (%[1]s %% %[2]s + if(%[1]s %% %[2]s < 0, %[2]s, toInt64(0))))", time, step)
}

// A scope is the profiles that a statement reads: all profiles of a plan, or those in some
// hours.
type scope struct {
	plan  *plan
	hours []int32 // nil for all
}

// empty reports whether the scope can't have profiles.
func (sc scope) empty() bool { return sc.hours != nil && len(sc.hours) == 0 }

// where returns the condition that selects the profiles, in the order of the table's key.
func (sc scope) where() string {
	q := &sc.plan.query
	var b strings.Builder
	b.WriteString(sc.plan.keyCondition())
	if q.From != 0 {
		fmt.Fprintf(&b, " AND day >= %d AND hour >= %d AND time >= %s", dayOf(q.From), hourOf(q.From), literal(q.From))
	}
	if q.To != 0 {
		fmt.Fprintf(&b, " AND day <= %d AND hour <= %d AND time < %s", dayOf(q.To), hourOf(q.To), literal(q.To))
	}
	if sc.hours != nil {
		b.WriteString(inHours(sc.hours))
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

// tables returns the temporary tables that where reads, followed by more.
func (sc scope) tables(more ...tempTable) []tempTable {
	out := append([]tempTable{sc.plan.picked}, more...)
	if len(sc.hours) > maxLiterals {
		out = append(out, hoursTable(sc.hours))
	}
	if id := sc.plan.query.ID; id != (store.ID{}) {
		rows := newBlock("id", "FixedString(16)")
		rows.col("id").fixed(id[:])
		out = append(out, tempTable{"asked", rows})
	}
	return out
}

// maxLiterals limits the hours that are written into a statement, which is part of a URL.
// Version 18.16 reads only the rows of those hours; for hours in a temporary table it reads all
// rows.
const maxLiterals = 500

// inHours returns the condition that a profile is in one of some hours.
func inHours(hours []int32) string {
	if len(hours) > maxLiterals {
		return " AND hour IN (SELECT hour FROM hours)"
	}
	in, days := map[int32]bool{}, map[int32]bool{}
	for _, h := range hours {
		in[h], days[dayOf(int64(h)*hour)] = true, true
	}
	return " AND day IN (" + numberList(days) + ") AND hour IN (" + numberList(in) + ")"
}

func numberList(numbers map[int32]bool) string {
	var texts []string
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		texts = append(texts, strconv.Itoa(int(n)))
	}
	return strings.Join(texts, ",")
}

// literal returns a number as a literal. The smallest int64 has none, so it becomes the next
// one.
func literal(v int64) string { return strconv.FormatInt(max(v, -1<<63+1), 10) }

func hoursTable(hours []int32) tempTable {
	rows := newBlock("hour", "Int32")
	for _, h := range hours {
		rows.col("hour").int32(h)
	}
	return tempTable{"hours", rows}
}

func headersTable(headers map[uint64]bool) tempTable {
	rows := newBlock("header", "UInt64")
	for n := range headers {
		rows.col("header").uint64(n)
	}
	return tempTable{"headers", rows}
}
