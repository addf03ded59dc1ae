package clickhouse

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// What is planned is decided without an engine: these tests ask none.

// catalogueFor returns a catalogue of four series: two versions of api, and web.
func catalogueFor(t *testing.T) *catalogue {
	t.Helper()
	c := &catalogue{series: map[uint64]store.Labels{}, span: span{first: 1, last: 2, services: []string{"api", "other", "web"}}}
	for n, labels := range map[uint64][]store.Label{
		1: {{Name: store.LabelService, Value: "api"}, {Name: store.LabelKind, Value: "cpu"}, {Name: store.LabelVersion, Value: "v1"}, {Name: store.LabelInstance, Value: "a"}},
		2: {{Name: store.LabelService, Value: "api"}, {Name: store.LabelKind, Value: "cpu"}, {Name: store.LabelVersion, Value: "v1"}, {Name: store.LabelInstance, Value: "b"}},
		3: {{Name: store.LabelService, Value: "api"}, {Name: store.LabelKind, Value: "cpu"}, {Name: store.LabelVersion, Value: "v2"}},
		4: {{Name: store.LabelService, Value: "web"}, {Name: store.LabelKind, Value: "heap"}},
	} {
		ls, err := store.NewLabels(labels...)
		if err != nil {
			t.Fatal(err)
		}
		c.series[n] = ls
	}
	return c
}

func planFor(t *testing.T, q store.Query) *plan {
	t.Helper()
	p := newPlan(q, catalogueFor(t))
	if p == nil {
		t.Fatal("the plan selects nothing")
	}
	return p
}

func selectorOf(t *testing.T, text string) store.Selector {
	t.Helper()
	s, err := store.ParseSelector(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		selector string
		by       []string
		series   []uint64
		groups   string
		services []string
		alike    bool
	}{
		{"{}", nil, []uint64{1, 2, 3, 4}, "{}", []string{"api", "web"}, false},
		{`{service="api"}`, nil, []uint64{1, 2, 3}, "{}", []string{"api"}, true},
		{`{service="api"}`, []string{"version"}, []uint64{1, 2, 3}, `{version="v1"} {version="v2"}`, []string{"api"}, true},
		{`heap`, []string{"version"}, []uint64{4}, "{}", []string{"web"}, true},
		{`{version!="v1"}`, []string{"service"}, []uint64{3, 4}, `{service="api"} {service="web"}`, []string{"api", "web"}, false},
	} {
		p := planFor(t, store.Query{Selector: selectorOf(t, tt.selector), By: tt.by})
		var groups []string
		for _, g := range p.groups {
			groups = append(groups, g.String())
		}
		series := slices.Sorted(maps.Keys(p.series))
		if !slices.Equal(series, tt.series) || strings.Join(groups, " ") != tt.groups || !slices.Equal(p.span.services, tt.services) || p.alike != tt.alike {
			t.Errorf("%s by %v: got series %v in groups %v of services %v, alike %v", tt.selector, tt.by, series, groups, p.span.services, p.alike)
		}
		for n, s := range p.series {
			if got, want := p.groups[s.group], s.labels.Select(tt.by); got.Compare(want) != 0 {
				t.Errorf("%s by %v: series %d is in group %v, want %v", tt.selector, tt.by, n, got, want)
			}
		}
		if p.picked.rows.rows() != len(tt.series) {
			t.Errorf("%s: the engine is told %d series, want %d", tt.selector, p.picked.rows.rows(), len(tt.series))
		}
	}
	if p := newPlan(store.Query{Selector: selectorOf(t, `{service="none"}`)}, catalogueFor(t)); p != nil {
		t.Errorf("nothing is selected, and planned are %v", p.series)
	}
}

// A plan stays as it is, whatever is made of it.
func TestPlanStays(t *testing.T) {
	q := store.Query{From: 5, To: 2 * hour, Step: hour}
	p := planFor(t, q)
	before := *p
	p.inHour(7)
	p.everything().where()
	p.everything().tables(hoursTable([]int32{1}))
	fleetsOf(p, new(key))
	if !reflect.DeepEqual(*p, before) {
		t.Errorf("the plan was %+v, and is %+v", before, *p)
	}
	if h := p.inHour(7); h.query.From != 7*hour || h.query.To != 8*hour || len(h.series) != len(p.series) {
		t.Errorf("the plan of an hour is of %+v", h.query)
	}
}

func TestScope(t *testing.T) {
	api := `{service="api"}`
	all := "service = (SELECT min(service) FROM picked) AND kind = (SELECT min(kind) FROM picked)"
	picked := " AND series IN (SELECT series FROM picked)"
	many := make([]int32, maxLiterals+1)
	for _, tt := range []struct {
		what   string
		q      store.Query
		hours  []int32
		want   string
		tables string
	}{
		{"everything", store.Query{}, nil, all + picked, "picked"},
		{"a time", store.Query{From: 25 * hour, To: 26*hour + 1}, nil,
			all + " AND day >= 1 AND hour >= 25 AND time >= 90000000000000 AND day <= 1 AND hour <= 26 AND time < 93600000000001" + picked, "picked"},
		{"before 1970", store.Query{From: -1}, nil, all + " AND day >= -1 AND hour >= -1 AND time >= -1" + picked, "picked"},
		{"hours", store.Query{}, []int32{30, 3}, all + " AND day IN (0,1) AND hour IN (3,30)" + picked, "picked"},
		{"many hours", store.Query{}, many, all + " AND hour IN (SELECT hour FROM hours)" + picked, "picked hours"},
		{"a profile", store.Query{ID: store.ID{1}}, nil, all + picked + " AND id IN (SELECT id FROM asked)", "picked asked"},
		{"what lasts", store.Query{Lasting: true}, nil, all + picked + " AND duration > 0", "picked"},
	} {
		tt.q.Selector = selectorOf(t, api)
		sc := planFor(t, tt.q).everything()
		sc.hours = tt.hours
		var tables []string
		for _, table := range sc.tables() {
			tables = append(tables, table.name)
		}
		if got := sc.where(); got != tt.want || strings.Join(tables, " ") != tt.tables {
			t.Errorf("%s: got\n%s of %v, want\n%s of %s", tt.what, got, tables, tt.want, tt.tables)
		}
	}
	for _, tt := range []struct {
		hours []int32
		want  bool
	}{{nil, false}, {[]int32{}, true}, {[]int32{1}, false}} {
		if got := (scope{hours: tt.hours}).empty(); got != tt.want {
			t.Errorf("hours %v: empty %v, want %v", tt.hours, got, tt.want)
		}
	}
}

// What comes from outside is in tables that are sent along, and not in statements.
func TestStatementsAreConstant(t *testing.T) {
	const evil = "x' OR 1=1 --"
	c := catalogueFor(t)
	labels, err := store.NewLabels(store.Label{Name: store.LabelService, Value: evil}, store.Label{Name: store.LabelKind, Value: evil}, store.Label{Name: store.LabelZone, Value: evil})
	if err != nil {
		t.Fatal(err)
	}
	c.series[5] = labels
	m, err := store.NewMatcher(store.LabelService, store.Equal, evil)
	if err != nil {
		t.Fatal(err)
	}
	q := store.Query{Selector: store.Selector{m}, By: []string{evil}, SampleType: evil, Step: hour}
	p := newPlan(q, c)
	sum := &summer{plan: p, coverage: &coverage{rest: p.everything()}, exact: true, final: true}
	a := &addition{columns: []int{0, 5}, headers: map[uint64]bool{1: true}, parts: map[store.GroupKey]*groupPart{}}
	series, _ := seriesStatement(&q)
	for _, st := range []*statement{
		series, contentsStatement(&p.span, ofSite, []uint64{1}), headsStatement(p.everything(), true), eachStatement(p.everything()),
		latestStatement(p.everything(), map[uint64]bool{1: true}), sum.statement(a, a.columns),
	} {
		if strings.Contains(st.text(), "OR 1=1") {
			t.Errorf("a statement has a text from outside: %s", st.text())
		}
	}
}

func TestMatch(t *testing.T) {
	at := func(hour int32, fleet uint64) rollKey { return rollKey{hour: hour, fleet: fleet, header: 1} }
	roll := func(k rollKey, v profileSet) rolled { return rolled{rollKey: k, profileSet: v} }
	v1, v2 := profileSet{1, 10}, profileSet{2, 10}
	for _, tt := range []struct {
		what       string
		there      []rolled
		now        map[rollKey]profileSet
		step       int64
		parts      []rolled
		twice      bool
		cut, stale []int32
	}{
		{"nothing", nil, nil, 0, nil, false, nil, nil},
		{"all", []rolled{roll(at(2, 1), v1), roll(at(1, 1), v2)}, map[rollKey]profileSet{at(1, 1): v2, at(2, 1): v1}, 0,
			[]rolled{roll(at(1, 1), v2), roll(at(2, 1), v1)}, false, nil, nil},
		{"a profile came late", []rolled{roll(at(1, 1), v1), roll(at(2, 1), v1)}, map[rollKey]profileSet{at(1, 1): v2, at(2, 1): v1}, 0,
			[]rolled{roll(at(2, 1), v1)}, false, nil, []int32{1}},
		{"rolled up again", []rolled{roll(at(1, 1), v1), roll(at(1, 1), v2)}, map[rollKey]profileSet{at(1, 1): v2}, 0, []rolled{roll(at(1, 1), v2)}, false, nil, nil},
		{"rolled up by two", []rolled{roll(at(1, 1), v1), roll(at(1, 1), v1)}, map[rollKey]profileSet{at(1, 1): v1}, 0, []rolled{roll(at(1, 1), v1)}, true, nil, nil},
		{"one of two fleets", []rolled{roll(at(1, 1), v1)}, map[rollKey]profileSet{at(1, 1): v1, at(1, 2): v1}, 0, nil, false, nil, []int32{1}},
		{"windows cut it", []rolled{roll(at(1, 1), v1), roll(at(2, 1), v1)}, map[rollKey]profileSet{at(1, 1): v1, at(2, 1): v1}, 3 * hour / 2,
			[]rolled{roll(at(2, 1), v1)}, false, []int32{1}, nil},
		{"its profiles are gone", []rolled{roll(at(1, 1), v1)}, map[rollKey]profileSet{}, 0, nil, false, nil, nil},
	} {
		there := map[rollKey][]rolled{}
		for _, r := range tt.there {
			there[r.rollKey] = append(there[r.rollKey], r)
		}
		got := match(there, tt.now, tt.step)
		if !reflect.DeepEqual(got, matched{tt.parts, tt.twice, tt.cut, tt.stale}) {
			t.Errorf("%s: got %+v", tt.what, got)
		}
	}
}

func TestWholeHours(t *testing.T) {
	const least, most = int32(-1 << 31), int32(1<<31 - 1)
	for _, tt := range []struct {
		from, to   int64
		first, end int32
		cut        []int32
	}{
		{0, 0, least, most, nil},
		{hour, 3 * hour, 1, 3, nil},
		{hour + 1, 3*hour - 1, 2, 2, []int32{1, 2}},
		{-hour - 1, -1, -1, -1, []int32{-2, -1}},
	} {
		q := store.Query{From: tt.from, To: tt.to}
		first, end := wholeHours(&q)
		if cut := cutHours(&q); first != tt.first || end != tt.end || !slices.Equal(cut, tt.cut) {
			t.Errorf("from %d to %d: got whole hours from %d to before %d and parts of %v, want %d, %d and %v", tt.from, tt.to, first, end, cut, tt.first, tt.end, tt.cut)
		}
	}
}

// headerOf returns a header with sample types of some names.
func headerOf(number uint64, types ...string) *header {
	h := &header{number: number}
	for _, name := range types {
		h.SampleTypes = append(h.SampleTypes, profile.ValueType{Type: name, Unit: "count"})
	}
	return h
}

func TestAdditions(t *testing.T) {
	many := make([]string, 2*maxColumns+1)
	for i := range many {
		many[i] = strings.Repeat("t", i+1)
	}
	cpu, other, wide := headerOf(1, "a", "b"), headerOf(2, "a", "b"), headerOf(3, many...)
	at := func(labels int32) store.GroupKey { return store.GroupKey{Labels: labels} }
	groups := []headGroup{
		{GroupKey: at(0), heads: []head{{header: cpu, first: 1}, {header: wide, first: 2}, {header: other, first: 3}}},
		{GroupKey: at(1), heads: []head{{header: other, first: 5}}},
	}
	got := additionsOf(&store.Query{}, groups)
	if len(got) != 2 {
		t.Fatalf("there are %d additions, want one of each kind of measures", len(got))
	}
	narrow := got[0]
	if len(narrow.parts) != 2 || len(narrow.headers) != 2 || !slices.Equal(narrow.columns, []int{0, 1}) {
		t.Errorf("the first addition is of columns %v, headers %v, %d parts", narrow.columns, narrow.headers, len(narrow.parts))
	}
	if p := narrow.parts[at(0)]; len(p.heads) != 2 || p.first != 1 || p.column != -1 {
		t.Errorf("a part has %d heads, starts at %d, wants column %d", len(p.heads), p.first, p.column)
	}
	p := planFor(t, store.Query{})
	sum := &summer{plan: p, coverage: &coverage{rest: p.everything()}}
	columns := 0
	for _, s := range sum.summings(&got[1]) {
		if s.at != columns || s.count > maxColumns || len(s.out) != 3+s.count {
			t.Errorf("a statement is of %d columns from %d on, and has %d", s.count, s.at, len(s.out))
		}
		columns += s.count
	}
	if columns != len(many) {
		t.Errorf("%d columns are summed up, want %d", columns, len(many))
	}
	sum.coverage.rest.hours = []int32{} // all is rolled up
	if all := sum.summings(&got[0]); len(all) != 0 {
		t.Errorf("nothing is left, and there are %d statements", len(all))
	}
	// Of one sample type, each header has it in its own column.
	for i := range groups[0].heads {
		groups[0].heads[i].column = 1
	}
	got = additionsOf(&store.Query{SampleType: "b"}, groups[:1])
	if !slices.Equal(got[0].columns, []int{1}) || got[0].parts[at(0)].column != 1 {
		t.Errorf("of one sample type: got columns %v", got[0].columns)
	}
}

func TestDoubtful(t *testing.T) {
	a, b := headerOf(1, "a"), headerOf(2, "a")
	for _, tt := range []struct {
		what         string
		heads        []head
		twice, again bool
	}{
		{"nothing", nil, false, false},
		{"each once", []head{{series: 1, header: a, profiles: 2, different: 2}, {series: 2, header: b, profiles: 1, different: 1}}, false, false},
		{"one twice", []head{{series: 1, header: a, profiles: 2, different: 1}}, true, true},
		{"two headers", []head{{series: 1, header: a, profiles: 1, different: 1}, {series: 1, header: b, profiles: 1, different: 1}}, false, true},
		{"two headers in two windows", []head{
			{series: 1, header: a, profiles: 1, different: 1},
			{series: 1, header: b, profiles: 1, different: 1, GroupKey: store.GroupKey{Window: 5}},
		}, false, false},
	} {
		if twice, again := findDuplicates(tt.heads); twice != tt.twice || again != tt.again {
			t.Errorf("%s: got twice %v, again %v, want %v, %v", tt.what, twice, again, tt.twice, tt.again)
		}
	}
}
