package storetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// The tests of what goes in.

func testEmpty(t *testing.T, s store.Store) {
	for _, q := range []store.Query{{}, {From: 1, To: 2, Step: 1}, {ID: newID(1)}, {Selector: selector(t, "cpu"), By: []string{"service"}, Top: 0.5, Limit: 1}} {
		if a := ask(t, s, q); len(a.groups) != 0 || a.err != nil || len(a.series) != 0 || len(a.names) != 0 {
			t.Errorf("an empty store says %+v", a)
		}
	}
}

// What was put comes out again, with its header.
func testRealProfiles(t *testing.T, s store.Store) {
	model := NewModel()
	profiles := realProfiles(t)
	var records []store.Record
	for name, p := range profiles {
		id := newID(len(records))
		kind, file, _ := strings.Cut(name, ".")
		records = append(records, store.Record{
			ID: id, Labels: labels(t, "service", file, "kind", kind), Time: base + int64(len(records)), Duration: second, Profile: p,
		})
	}
	put(t, s, records...)
	put(t, model, records...)
	for _, r := range records {
		g := mergeOne(t, s, store.Query{ID: r.ID})
		name := r.Labels.String()
		wantProfile(t, name, g.Profile, timed(r.Profile, r.Time, r.Duration))
		header := func(p *profile.Profile) string {
			program := ""
			if len(p.Mappings) > 0 && p.NumSamples() > 0 {
				program = p.Mappings[0].File + p.Mappings[0].BuildID // reports name the first one as the program
			}
			return fmt.Sprintf("%q %q %q %q %q %q %q", p.SampleTypes, p.DefaultSampleType, p.Comments, p.DocURL, p.DropFrames, p.KeepFrames, program)
		}
		wantText(t, name+": header", header(g.Profile), header(r.Profile))
	}
	// Programs are as different as can be here, and their profiles add up still.
	for _, kind := range []string{"cpu", "allocs", "block", "mutex", "goroutine"} {
		wantAnswers(t, s, model, store.Query{Selector: selector(t, kind), By: []string{"kind"}})
	}
}

// The first record of an id and time stays.
func testPutTwice(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "cpu", 5))
	put(t, s, record(t, 1, base, "cpu", 5))
	put(t, s, record(t, 1, base, "cpu", 7))
	put(t, s, record(t, 1, base, "cpu", 9, "instance", "other"), record(t, 2, base, "cpu", 1))
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{By: []string{"instance"}})), "{} 0s 6 of 2")
	put(t, s, record(t, 1, base+1, "cpu", 10)) // another one: of another time
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{})), "{} 0s 16 of 3")
	wantText(t, "Labels", allNames(t, s), "[{kind [cpu]} {service [api]}]")
}

// Who puts is told which records were there, in an order of their own.
func testPutKnown(t *testing.T, s store.Store) {
	known := func(records ...store.Record) string {
		t.Helper()
		put(t, s, records...)
		var line []bool
		for _, r := range records {
			line = append(line, r.Known)
		}
		return fmt.Sprint(line)
	}
	a, b, c := record(t, 1, base, "cpu", 5), record(t, 2, base, "cpu", 1), record(t, 3, base, "cpu", 1, "service", "web")
	wantText(t, "first", known(a), "[false]")
	wantText(t, "again", known(a), "[true]")
	wantText(t, "among others", known(c, a, b, c), "[false true false true]")
	wantText(t, "all again", known(b, a, c), "[true true true]")
	wantText(t, "another time", known(record(t, 1, base+1, "cpu", 5), a), "[false true]")
}

func testPutTwiceInOneCall(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "cpu", 5), record(t, 2, base, "cpu", 1), record(t, 1, base, "cpu", 5), record(t, 1, base, "cpu", 8))
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{})), "{} 0s 6 of 2")
}

func testPutTwiceAtOnce(t *testing.T, s store.Store) {
	const records = 20
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range records {
				if err := s.Put(t.Context(), []store.Record{record(t, i, base+int64(i), "cpu", 3)}); err != nil {
					t.Errorf("Put: %v", err)
				}
			}
		})
	}
	wg.Wait()
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{})), fmt.Sprintf("{} 0s %d of %d", 3*records, records))
}

func testPutNothing(t *testing.T, s store.Store) {
	put(t, s)
	if groups := merge(t, s, store.Query{}); len(groups) > 0 {
		t.Errorf("got %v", groups)
	}
}

// Records may be of any time, in any order.
func testPutInAnyOrder(t *testing.T, s store.Store) {
	times := []int64{5, 3, 86400, 4, -86400 * 400, 0, 3600, 86400 * 31, 1, 3599}
	for i, at := range times {
		put(t, s, record(t, i, base+at*second, "cpu", int64(1)<<i))
	}
	var line strings.Builder
	order := make([]int, len(times))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(times[a] - times[b]) })
	for _, i := range order {
		fmt.Fprintf(&line, " %s=%d", when(base+times[i]*second), 1<<i)
	}
	wantText(t, "Series", pointLines(series(t, s, store.Query{})), "{} cpu"+line.String())
	g := mergeOne(t, s, store.Query{})
	if g.Value != 1<<len(times)-1 || g.Time != base-86400*400*second {
		t.Errorf("got %d from %s on", g.Value, when(g.Time))
	}
}

// Profiles are the caller's again when Put returns, as they are for whoever
// decodes into the same memory again and again.
func testPutKeepsNoReference(t *testing.T, s store.Store) {
	r := rand.New(rand.NewPCG(7, 7))
	p := Generate(r, "heap", 50)
	original := profile.Compact(p)
	ls := labels(t, "service", "api", "kind", "heap")
	put(t, s, store.Record{ID: newID(1), Labels: ls, Time: base, Profile: p})
	for _, col := range p.Values {
		for i := range col {
			col[i] = -1
		}
	}
	for i := range p.Strings {
		p.Strings[i] = "overwritten"
	}
	clear(p.Frames)
	clear(p.Stacks)
	clear(p.Lines)
	clear(p.Locations)
	clear(p.Labels)
	ls[0].Value = "overwritten"
	wantProfile(t, "Merge", mergeOne(t, s, store.Query{}).Profile, timed(original, base, 0))
	wantText(t, "Labels", allNames(t, s), "[{kind [heap]} {service [api]}]")
}

// A profile without samples counts as a profile, and has sample types.
func testProfilesWithoutSamples(t *testing.T, s store.Store) {
	empty := func() *profile.Profile {
		return &profile.Profile{Strings: []string{""}, SampleTypes: slices.Clone(sampleTypes["cpu"]), Values: make([][]int64, 2), PeriodType: periodTypes["cpu"], Period: 1}
	}
	zeros := one("cpu", "f", 0)
	ls := labels(t, "service", "api", "kind", "cpu")
	put(t, s, store.Record{ID: newID(1), Labels: ls, Time: base, Duration: 3, Profile: empty()},
		store.Record{ID: newID(2), Labels: ls, Time: base + 1, Duration: 4, Profile: zeros})
	g := mergeOne(t, s, store.Query{})
	wantProfile(t, "Merge", g.Profile, timed(empty(), base, 7))
	if g.Profiles != 2 || g.Duration != 7 || g.Last != base+5 || g.Value != 0 {
		t.Errorf("got %+v", g.Total)
	}
	wantText(t, "Series", pointLines(series(t, s, store.Query{})), "{} cpu 0s=0 1ns=0")
	put(t, s, record(t, 3, base+2, "cpu", 5))
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{})), "{} 0s 5 of 3")
}

func testManySampleTypes(t *testing.T, s store.Store) {
	const n = 100
	types := make([]profile.ValueType, n)
	for i := range types {
		types[i] = profile.ValueType{Type: fmt.Sprint("type", i), Unit: "count"}
	}
	generate := func(factor int64) *profile.Profile {
		b := profile.NewBuilder(slices.Clone(types)...)
		for s := range 5 {
			f := b.Function(fmt.Sprint("f", s), "", "f.go", 0)
			vs := make([]int64, n)
			for i := range vs {
				vs[i] = factor * int64(i+s)
			}
			b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: f})}, nil, vs...)
		}
		return b.Profile()
	}
	ls := labels(t, "service", "api", "kind", "custom")
	put(t, s, store.Record{ID: newID(1), Labels: ls, Time: base, Profile: generate(1)}, store.Record{ID: newID(2), Labels: ls, Time: base, Profile: generate(2)})
	g := mergeOne(t, s, store.Query{})
	wantProfile(t, "Merge", g.Profile, timed(generate(3), base, 0))
	if !slices.Equal(g.Profile.SampleTypes, types) {
		t.Errorf("the order of sample types became %v", g.Profile.SampleTypes)
	}
	wantText(t, "Merge of one", groupLines(merge(t, s, store.Query{SampleType: "type50"})), fmt.Sprintf("{} 0s %d of 2", 3*(5*50+10)))
}

// Labels of samples tell samples apart and are kept.
func testSampleLabels(t *testing.T, s store.Store) {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
	stack := []uint32{b.Location(16, 0, profile.Line{Function: b.Function("f", "f", "f.go", 1), Line: 1})}
	key, other, bytes := b.String("key"), b.String("other"), b.String("bytes")
	b.Sample(stack, nil, 1)
	b.Sample(stack, []profile.Label{{Key: key, Str: b.String("a")}}, 2)
	b.Sample(stack, []profile.Label{{Key: key, Str: b.String("a")}, {Key: key, Str: b.String("b")}}, 3)
	b.Sample(stack, []profile.Label{{Key: key, Str: b.String("b")}, {Key: key, Str: b.String("a")}}, 4)
	b.Sample(stack, []profile.Label{{Key: other, Str: b.String("a")}}, 5)
	b.Sample(stack, []profile.Label{{Key: key, Num: -7, Numeric: true}}, 6)
	b.Sample(stack, []profile.Label{{Key: key, Num: -7, Numeric: true, Unit: bytes}}, 7)
	b.Sample(stack, []profile.Label{{Key: key, Num: math.MinInt64, Numeric: true, Unit: bytes}, {Key: other, Str: b.String("")}}, 8)
	p := b.Profile()
	ls := labels(t, "service", "api", "kind", "cpu")
	put(t, s, store.Record{ID: newID(1), Labels: ls, Time: base, Profile: p})
	wantProfile(t, "one profile", mergeOne(t, s, store.Query{}).Profile, timed(p, base, 0))
	put(t, s, store.Record{ID: newID(2), Labels: ls, Time: base + 1, Profile: p})
	wantProfile(t, "two profiles", mergeOne(t, s, store.Query{}).Profile, timed(profile.Scale(p, 2), base, 0))
}

func testLargeNumbers(t *testing.T, s store.Store) {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "v", Unit: "count"})
	mapping := b.Mapping(profile.Mapping{Start: 1 << 63, Limit: math.MaxUint64 - 0xfff, Offset: math.MaxUint64, File: strings.Repeat("m", 5000)})
	f := b.Function(strings.Repeat("long", 3000), "sys\x00tem", "\xff\xfe not UTF-8", math.MaxInt64)
	g := b.Function("", "", "", -1)
	for i, v := range []int64{math.MaxInt64, math.MinInt64, -1, 1 << 62} {
		line := profile.Line{Function: f, Line: math.MaxInt64 - int64(i), Column: math.MinInt64}
		stack := []uint32{b.Location(math.MaxUint64-0x1000-uint64(i), mapping, line, profile.Line{Function: g, Line: -5}), b.Location(math.MaxUint64, 0)}
		b.Sample(stack, nil, v, -v)
	}
	deep := make([]uint32, 5000)
	for i := range deep {
		deep[i] = b.Location(uint64(i+1), 0, profile.Line{Function: g, Line: int64(i)})
	}
	b.Sample(deep, nil, 3, 0)
	b.Sample(nil, nil, 1, 1) // no stack at all
	p := b.Profile()
	p.Period = math.MaxInt64
	put(t, s, store.Record{ID: newID(1), Labels: labels(t, "service", "api", "kind", "cpu"), Time: base, Duration: 1 << 60, Profile: p})
	g1 := mergeOne(t, s, store.Query{SampleType: "samples"})
	samples := *p
	samples.SampleTypes, samples.Values = p.SampleTypes[:1], p.Values[:1]
	wantProfile(t, "one column", g1.Profile, timed(&samples, base, 1<<60))
	wantProfile(t, "all", mergeOne(t, s, store.Query{}).Profile, timed(p, base, 1<<60))
	sum := int64(1<<62) - 2 + 4
	if g1.Value != sum || g1.Last != base+1<<60 {
		t.Errorf("got %+v, want a value of %d", g1.Total, sum)
	}
}

func testStrangeTimes(t *testing.T, s store.Store) {
	times := []int64{-1, 0, 1, math.MinInt64 / 4, math.MaxInt64 / 4, -second, second - 1}
	for i, at := range times {
		put(t, s, record(t, i, at, "cpu", 1))
	}
	g := mergeOne(t, s, store.Query{})
	if g.Time != math.MinInt64/4 || g.Profiles != int64(len(times)) || g.Last != math.MaxInt64/4+second {
		t.Errorf("got %+v from %d on", g.Total, g.Time)
	}
	windows := series(t, s, store.Query{Step: second, From: -second, To: second})
	if len(windows) != 1 || len(windows[0].Points) != 2 || windows[0].Points[0].Time != -second || windows[0].Points[0].Profiles != 2 || windows[0].Points[1].Time != 0 || windows[0].Points[1].Profiles != 3 {
		t.Errorf("around 1970: got %v", windows)
	}
}

// Values may be any text; names have the dots and dashes of other systems.
func testStrangeLabels(t *testing.T, s store.Store) {
	texts := []string{
		`a"b`, `a\b`, "a\nb", "a\x00", "a\x00b", "a,b=c", "{}", "ä€😀", " ", " a", "a ", "A", "a", "*", "%41", "../..", strings.Repeat("x", 2000),
		"a\x01", "\U0010ffff",
	}
	for i, text := range texts {
		put(t, s, record(t, i, base, "cpu", int64(i+1), "k8s.pod-name", text, "_", "x"))
	}
	put(t, s, record(t, 500, base, "cpu", 1000, "k8s.pod", "-name"), record(t, 501, base, "cpu", 2000, "k8s.pod", "-namea"))
	for i, text := range texts {
		m, err := store.NewMatcher("k8s.pod-name", store.Equal, text)
		if err != nil {
			t.Fatal(err)
		}
		groups := merge(t, s, store.Query{Selector: store.Selector{m}, By: []string{"k8s.pod-name"}})
		if len(groups) != 1 || groups[0].Value != int64(i+1) || groups[0].Labels.Get("k8s.pod-name") != text {
			t.Errorf("%q: got\n%s", text, groupLines(groups))
		}
	}
	names, err := s.Labels(t.Context(), store.Query{})
	if err != nil || len(names) != 5 || names[2].Name != "k8s.pod-name" && names[1].Name != "k8s.pod" {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, n := range names {
		if n.Name == "k8s.pod-name" && !slices.Equal(n.Values, sorted(texts)) {
			t.Errorf("got values %q, want %q", n.Values, sorted(texts))
		}
	}
}

func testManySeries(t *testing.T, s store.Store) {
	const n, batch = 10_000, 500
	for i := 0; i < n; i += batch {
		records := make([]store.Record, batch)
		for j := range records {
			records[j] = record(t, i+j, base+int64(i+j), "cpu", 2, "instance", fmt.Sprint("i", i+j), "zone", fmt.Sprint("z", (i+j)%4))
		}
		put(t, s, records...)
	}
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{})), fmt.Sprintf("{} 0s %d of %d", 2*n, n))
	wantText(t, "Merge by zone", groupLines(merge(t, s, store.Query{By: []string{"zone"}})), `{zone="z0"} 0s 5000 of 2500
{zone="z1"} 1ns 5000 of 2500
{zone="z2"} 2ns 5000 of 2500
{zone="z3"} 3ns 5000 of 2500`)
	wantText(t, "Merge of one", groupLines(merge(t, s, store.Query{Selector: selector(t, `cpu{instance="i7777"}`), By: []string{"zone"}})), `{zone="z1"} 7.777µs 2 of 1`)
	if all := series(t, s, store.Query{By: []string{"instance"}}); len(all) != n {
		t.Errorf("got %d series", len(all))
	}
	names, err := s.Labels(t.Context(), store.Query{})
	if err != nil || len(names) != 4 || len(names[0].Values) != n {
		t.Errorf("got %d names, %v", len(names), err)
	}
}

// A service that is deleted is gone, others stay, and it may come again.
func testDelete(t *testing.T, s store.Store) {
	d, ok := s.(store.Deleter)
	if !ok {
		t.Skip("this store deletes nothing")
	}
	model := NewModel()
	var all []store.Record
	for i := range 40 {
		r := record(t, i, base+int64(i)*7*3600*second, "cpu", int64(i+1), "service", []string{"api", "web"}[i%2], "instance", fmt.Sprint("i", i%4))
		all = append(all, r)
		if i%2 == 1 {
			put(t, model, r)
		}
	}
	put(t, s, all...)
	if n, err := d.DeleteService(t.Context(), "api", true); n != 20 || err != nil {
		t.Fatalf("a dry run: %d, %v, want 20", n, err)
	}
	wantText(t, "after a dry run", fmt.Sprint(mergeOne(t, s, store.Query{}).Profiles), "40")
	if n, err := d.DeleteService(t.Context(), "api", false); n != 20 || err != nil {
		t.Fatalf("%d, %v, want 20", n, err)
	}
	day := 24 * 3600 * second
	for _, q := range []store.Query{{}, {By: []string{"service"}}, {Step: day}, {By: []string{"instance"}, Step: day}, {Top: 0.1}} {
		wantAnswers(t, s, model, q)
	}
	wantText(t, "labels", allNames(t, s), "[{instance [i1 i3]} {kind [cpu]} {service [web]}]")
	if n, err := d.DeleteService(t.Context(), "api", false); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
	// It may come again.
	for i := 0; i < len(all); i += 2 {
		put(t, model, all[i])
	}
	put(t, s, all...)
	for _, q := range []store.Query{{}, {By: []string{"service"}}, {Step: day}} {
		wantAnswers(t, s, model, q)
	}
}
