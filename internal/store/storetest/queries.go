package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// The tests of what comes out.

// A profile whose values are 0 is a profile with a duration, as of a minute without requests.
func testZero(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "goroutine", 0))
	put(t, s, record(t, 2, base+minute, "goroutine", 5))
	for _, step := range []int64{0, 10 * minute} {
		profiles, duration, value := int64(0), int64(0), int64(0)
		for _, one := range series(t, s, store.Query{Step: step}) {
			for _, p := range one.Points {
				profiles, duration, value = profiles+p.Profiles, duration+p.Duration, value+p.Value
			}
		}
		if profiles != 2 || duration != 2*second || value != 5 {
			t.Errorf("step %d: %d profiles of %d ns with %d, want 2 of %d with 5", step, profiles, duration, value, 2*second)
		}
	}
}

// From is part of the time that is asked for, To is not.
func testFromTo(t *testing.T, s store.Store) {
	for i := range 5 {
		put(t, s, record(t, i, base+int64(i)*minute, "cpu", 1<<i))
	}
	for _, test := range []struct {
		from, to int64
		want     int64 // sum of 1<<i; 0 is nothing
	}{
		{0, 0, 31},
		{base, base + 5*minute, 31},
		{base, base + 4*minute, 15},
		{base, base + 4*minute + 1, 31},
		{base + 1, base + 4*minute, 14},
		{base + minute, base + 2*minute, 2},
		{base + minute, base + minute, 0},
		{base + minute, base + minute + 1, 2},
		{base + 2*minute, base + minute, 0},
		{base + 3*minute, 0, 24},
		{0, base + minute, 1},
		{0, base, 0},
		{base + 4*minute + 1, 0, 0},
		{0, -5, 0},
	} {
		q := store.Query{From: test.from, To: test.to}
		got := int64(0)
		for _, g := range merge(t, s, q) {
			got += g.Value
		}
		sum := int64(0)
		for _, p := range series(t, s, q) {
			for _, p := range p.Points {
				sum += p.Value
			}
		}
		names, err := s.Labels(t.Context(), q)
		if got != test.want || sum != test.want || err != nil || (len(names) > 0) != (test.want > 0) {
			t.Errorf("from %s to %s: Merge says %d, Series %d, Labels %v, %v; want %d", when(test.from), when(test.to), got, sum, names, err, test.want)
		}
	}
	// Windows hold no more than what is asked for.
	wantText(t, "Series", pointLines(series(t, s, store.Query{From: base + minute, To: base + 4*minute, Step: 3 * minute})), "{} cpu 0s=6 3m0s=8")
	groups := merge(t, s, store.Query{From: base + minute, To: base + 4*minute, Step: 3 * minute})
	wantText(t, "Merge", groupLines(groups), "{} 0s 6 of 2\n{} 3m0s 8 of 1")
}

func testSelector(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "cpu", 1, "version", "v1.2"), record(t, 2, base, "cpu", 2, "version", "v2.0", "zone", "a"),
		record(t, 3, base, "cpu", 4), record(t, 4, base, "heap", 8, "version", "v1.2", "zone", "b"))
	for text, value := range map[string]int64{
		`cpu`:                                7,
		`heap`:                               8,
		`cpu{version="v1.2"}`:                1,
		`cpu{version!="v1.2"}`:               6,
		`cpu{version=""}`:                    4,
		`cpu{version!=""}`:                   3,
		`cpu{version=~"v[12].*"}`:            3,
		`cpu{version=~"v1"}`:                 0,
		`cpu{version=~"v1.*|"}`:              5,
		`cpu{version!~"v1.*"}`:               6,
		`{zone=~".+"}`:                       10,
		`cpu{zone="a", version="v2.0"}`:      2,
		`cpu{zone="a", version="v1.2"}`:      0,
		`cpu{service="api"}`:                 7,
		`cpu{service="ap"}`:                  0,
		`cpu{no-such=""}`:                    7,
		`cpu{no-such="x"}`:                   0,
		`{kind=~"cpu|heap", version="v1.2"}`: 9,
	} {
		got := int64(0)
		for _, g := range merge(t, s, store.Query{Selector: selector(t, text), By: []string{"kind"}}) {
			got += g.Value
		}
		if got != value {
			t.Errorf("%s: got %d, want %d", text, got, value)
		}
	}
}

func testID(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "cpu", 1), record(t, 2, base, "cpu", 2), record(t, 3, base+minute, "cpu", 4))
	for _, p := range series(t, s, store.Query{})[0].Points {
		wantText(t, "Merge", groupLines(merge(t, s, store.Query{ID: p.ID})), fmt.Sprintf("{} %s %d of 1", when(p.Time), p.Value))
		wantText(t, "Series", pointLines(series(t, s, store.Query{ID: p.ID})), fmt.Sprintf("{} cpu %s=%d", when(p.Time), p.Value))
	}
	for _, q := range []store.Query{{ID: newID(4)}, {ID: newID(1), Selector: selector(t, "heap")}, {ID: newID(1), From: base + 1}} {
		if groups := merge(t, s, q); len(groups) > 0 {
			t.Errorf("%s: got\n%s", describe(q), groupLines(groups))
		}
	}
}

func testBy(t *testing.T, s store.Store) {
	put(t, s,
		record(t, 1, base+3, "cpu", 1, "version", "v1", "zone", "a"),
		record(t, 2, base+1, "cpu", 2, "version", "v1", "zone", "b"),
		record(t, 3, base+2, "cpu", 4, "version", "v2"),
		record(t, 4, base+2, "cpu", 8, "zone", "a"),
		record(t, 5, base+2, "cpu", 16),
	)
	// Groups are sorted by their first time, then labels. Labels that the profiles don't
	// have are not in the group's labels.
	for _, test := range []struct {
		by   []string
		want string
	}{
		{nil, `{} 1ns 31 of 5`},
		{[]string{"service"}, `{service="api"} 1ns 31 of 5`},
		{[]string{"no-such"}, `{} 1ns 31 of 5`},
		{[]string{"version"}, "{version=\"v1\"} 1ns 3 of 2\n{} 2ns 24 of 2\n{version=\"v2\"} 2ns 4 of 1"},
		{[]string{"zone", "version"}, `{version="v1", zone="b"} 1ns 2 of 1
{} 2ns 16 of 1
{version="v2"} 2ns 4 of 1
{zone="a"} 2ns 8 of 1
{version="v1", zone="a"} 3ns 1 of 1`},
	} {
		wantText(t, fmt.Sprint("Merge by ", test.by), groupLines(merge(t, s, store.Query{By: test.by})), test.want)
	}
	wantText(t, "Series by version", pointLines(series(t, s, store.Query{By: []string{"version"}})), `{} cpu 2ns=8 2ns=16
{version="v1"} cpu 1ns=2 3ns=1
{version="v2"} cpu 2ns=4`)
}

func testStep(t *testing.T, s store.Store) {
	at := func(m int64) int64 { return base + m*minute }
	put(t, s, record(t, 1, at(0), "cpu", 1, "zone", "a"), record(t, 2, at(1)-1, "cpu", 2, "zone", "b"), record(t, 3, at(1), "cpu", 4, "zone", "a"),
		record(t, 4, at(59), "cpu", 8, "zone", "a"), record(t, 5, at(60), "cpu", 16, "zone", "b"), record(t, 6, at(24*60), "cpu", 32, "zone", "a"))
	for _, test := range []struct {
		step int64
		want string
	}{
		{minute, "0s=3 1m0s=4 59m0s=8 1h0m0s=16 24h0m0s=32"},
		{60 * minute, "0s=15 1h0m0s=16 24h0m0s=32"},
		{24 * 60 * minute, "0s=31 24h0m0s=32"},
		{59 * minute, ""}, // its windows are not those of the day
	} {
		q := store.Query{Step: test.step}
		line := "{} cpu " + test.want
		if test.want == "" {
			first := store.Window(at(0), test.step)
			line = fmt.Sprintf("{} cpu %s=%d", when(first), sumBetween(t, s, first, first+test.step))
			for next := first + test.step; next <= at(24*60); next += test.step {
				if sum := sumBetween(t, s, next, next+test.step); sum > 0 {
					line += fmt.Sprintf(" %s=%d", when(next), sum)
				}
			}
		}
		wantText(t, fmt.Sprint("Series, step ", test.step), pointLines(series(t, s, q)), line)
		windows := merge(t, s, q)
		again := "{} cpu"
		for _, g := range windows {
			again += fmt.Sprintf(" %s=%d", when(g.Time), g.Value)
		}
		wantText(t, fmt.Sprint("Merge, step ", test.step), again, line)
	}
	wantText(t, "Merge by zone", groupLines(merge(t, s, store.Query{Step: 60 * minute, By: []string{"zone"}})), `{zone="a"} 0s 13 of 3
{zone="b"} 0s 2 of 1
{zone="b"} 1h0m0s 16 of 1
{zone="a"} 24h0m0s 32 of 1`)
	for _, g := range merge(t, s, store.Query{Step: 60 * minute}) {
		if g.Profile.TimeNanos != g.Time || g.Profile.DurationNanos != g.Duration {
			t.Errorf("a profile of %s says %s and lasts %d of %d", when(g.Time), when(g.Profile.TimeNanos), g.Profile.DurationNanos, g.Duration)
		}
	}
}

// A sample type is named as everywhere, and profiles without it are left out.
func testSampleType(t *testing.T, s store.Store) {
	heap := one("heap", "f", 1)
	for i := range heap.Values {
		heap.Values[i][0] = int64(10 + i)
	}
	heap.DefaultSampleType = "inuse_objects"
	ls := labels(t, "service", "api", "kind", "heap")
	put(t, s, store.Record{ID: newID(1), Labels: ls, Time: base, Profile: heap}, record(t, 2, base, "cpu", 100))
	for _, test := range []struct{ name, kind, column string }{
		{"alloc_space", "heap", "alloc_space 11"},
		{"inuse_space", "heap", "inuse_space 13"},
		{"0", "heap", "alloc_objects 10"},
		{"3", "heap", "inuse_space 13"},
		{"inuse_cpu", "cpu", "cpu 100"}, // as go tool pprof has it
		{"samples", "cpu", "samples 100"},
		{"3", "cpu", ""},
		{"cpu", "heap", ""},
		{"none", "cpu", ""},
	} {
		q := store.Query{Selector: selector(t, test.kind), SampleType: test.name}
		got := ""
		for _, g := range merge(t, s, q) {
			p := g.Profile
			if len(p.SampleTypes) != 1 || p.DefaultSampleType != "" && p.DefaultSampleType != p.SampleTypes[0].Type || len(p.Values) != 1 || len(p.Values[0]) != 1 || p.Values[0][0] != g.Value {
				t.Errorf("%s of %s: got %v (default %q) %v, total %d", test.name, test.kind, p.SampleTypes, p.DefaultSampleType, p.Values, g.Value)
			}
			got += fmt.Sprintf("%s %d", p.SampleTypes[0].Type, g.Value)
		}
		wantText(t, test.name+" of "+test.kind, got, test.column)
		got = ""
		for _, line := range series(t, s, q) {
			got += fmt.Sprintf("%s %d", line.Type.Type, line.Points[0].Value)
		}
		wantText(t, "Series of "+test.name+" of "+test.kind, got, test.column)
	}
	// The default is the profile's, and Merge keeps all columns.
	g := mergeOne(t, s, store.Query{Selector: selector(t, "heap")})
	if g.Value != 12 || len(g.Profile.SampleTypes) != 4 || g.Profile.DefaultSampleType != "inuse_objects" {
		t.Errorf("got %d and %v, %s", g.Value, g.Profile.SampleTypes, g.Profile.DefaultSampleType)
	}
	wantText(t, "Series", pointLines(series(t, s, store.Query{By: []string{"kind"}})), "{kind=\"cpu\"} cpu 0s=100\n{kind=\"heap\"} inuse_objects 0s=12")
	wantText(t, "Series of several types", pointLines(series(t, s, store.Query{Step: minute})), "{}  0s=0")
	// It is by name that profiles of several kinds add up.
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{SampleType: "cpu"})), "{} 0s 100 of 1")
}

// Profiles are reduced to the sample types they share, in their finest units.
func testSharedSampleTypes(t *testing.T, s store.Store) {
	put(t, s,
		store.Record{ID: newID(1), Labels: labels(t, "service", "api", "kind", "heap"), Time: base, Profile: one("heap", "f", 3)},
		store.Record{ID: newID(2), Labels: labels(t, "service", "api", "kind", "heap"), Time: base + 1, Profile: one("old-heap", "f", 4)},
		store.Record{ID: newID(3), Labels: labels(t, "service", "api", "kind", "cpu"), Time: base, Profile: one("cpu", "f", 5)},
		store.Record{ID: newID(4), Labels: labels(t, "service", "api", "kind", "cpu"), Time: base + 1, Profile: one("cpu-ms", "f", 6)},
	)
	wantProfile(t, "heap", mergeOne(t, s, store.Query{Selector: selector(t, "heap")}).Profile, timed(one("old-heap", "f", 7), base, 0))
	cpu := one("cpu", "f", 11)
	cpu.Values[1][0] = 5 + 6_000_000
	g := mergeOne(t, s, store.Query{Selector: selector(t, "cpu")})
	wantProfile(t, "cpu", g.Profile, timed(cpu, base, 0))
	if g.Value != 0 {
		t.Errorf("nanoseconds and milliseconds add up to %d", g.Value)
	}
	wantText(t, "Merge of samples", groupLines(merge(t, s, store.Query{Selector: selector(t, "cpu"), SampleType: "samples"})), "{} 0s 11 of 2")
}

func testNothingCommon(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "cpu", 1), record(t, 2, base, "goroutine", 2), record(t, 3, base, "mutex", 4))
	for _, q := range []store.Query{{}, {By: []string{"service"}}, {Step: minute}, {SampleType: "0"}} {
		if groups, err := s.Merge(t.Context(), q); !errors.Is(err, profile.ErrNothingCommon) {
			t.Errorf("%s: got %v, %v", describe(q), groups, err)
		}
	}
	wantText(t, "Merge by kind", groupLines(merge(t, s, store.Query{By: []string{"kind"}})), `{kind="cpu"} 0s 1 of 1
{kind="goroutine"} 0s 2 of 1
{kind="mutex"} 0s 4 of 1`)
}

// Some profiles have a duration, and some don't.
func testLasting(t *testing.T, s store.Store) {
	model := NewModel()
	for i, duration := range []int64{10 * second, 0, 0, 5 * second, 0} {
		r := record(t, i, base+int64(i)*second, "cpu", int64(1)<<i)
		r.Duration = duration
		put(t, s, r)
		put(t, model, r)
	}
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{Lasting: true})), "{} 0s 9 of 2")
	wantText(t, "Series, step", pointLines(series(t, s, store.Query{Lasting: true, Step: 4 * second})), "{} cpu 0s=9")
	wantText(t, "Series", pointLines(series(t, s, store.Query{Lasting: true})), "{} cpu 0s=1 3s=8")
	for _, q := range []store.Query{{Lasting: true}, {Lasting: true, Step: 3600 * second}, {Lasting: true, Top: 0.5}, {Lasting: true, From: base + second}} {
		wantAnswers(t, s, model, q)
	}
}

// Top keeps the most expensive profiles of each group and window.
func testTop(t *testing.T, s store.Store) {
	for i, v := range []int64{5, 9, 1, 9, 7, 3, 8, 2, 6, 4} {
		put(t, s, record(t, 10-i, base+int64(i)*second, "cpu", v, "zone", "a"), record(t, 100+i, base+int64(i)*second, "cpu", 10*v, "zone", "b"))
	}
	for _, test := range []struct {
		top  float64
		want string
	}{
		{0.05, "1s=9"},          // of equal ones the earlier
		{0.11, "1s=9 3s=9"},     // rounded up
		{0.3, "1s=9 3s=9 6s=8"}, // and not more than that
		{1, "0s=5 1s=9 2s=1 3s=9 4s=7 5s=3 6s=8 7s=2 8s=6 9s=4"},
		{2, "0s=5 1s=9 2s=1 3s=9 4s=7 5s=3 6s=8 7s=2 8s=6 9s=4"},
	} {
		q := store.Query{Top: test.top, Selector: selector(t, `{zone="a"}`)}
		wantText(t, fmt.Sprint("Series, top ", test.top), pointLines(series(t, s, q)), "{} cpu "+test.want)
	}
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{Top: 0.3, By: []string{"zone"}})), "{zone=\"a\"} 1s 26 of 3\n{zone=\"b\"} 1s 260 of 3")
	wantText(t, "Merge of all", groupLines(merge(t, s, store.Query{Top: 0.1})), "{} 1s 180 of 2")
	wantText(t, "Merge, step", groupLines(merge(t, s, store.Query{Top: 0.2, Step: 5 * second, By: []string{"zone"}})), `{zone="a"} 0s 9 of 1
{zone="b"} 0s 90 of 1
{zone="a"} 5s 8 of 1
{zone="b"} 5s 80 of 1`)
	wantText(t, "Series, step", pointLines(series(t, s, store.Query{Top: 0.2, Step: 5 * second, Selector: selector(t, `{zone="a"}`)})), "{} cpu 0s=9 5s=8")
	// At the same time it is the lower id that is earlier.
	put(t, s, record(t, 3, base-minute, "cpu", 50, "zone", "c"), record(t, 2, base-minute, "cpu", 50, "zone", "c"))
	g := mergeOne(t, s, store.Query{Top: 0.5, Selector: selector(t, `{zone="c"}`)})
	line := series(t, s, store.Query{Top: 0.5, Selector: selector(t, `{zone="c"}`)})
	if g.Profiles != 1 || len(line) != 1 || len(line[0].Points) != 1 || line[0].Points[0].ID != newID(2) {
		t.Errorf("got %d profiles, %v", g.Profiles, line)
	}
}

func testLimit(t *testing.T, s store.Store) {
	for i := range 6 {
		put(t, s, record(t, i, base+int64(i)*minute, "cpu", 1<<i, "zone", []string{"a", "b", "c"}[i%3]))
	}
	by := []string{"zone"}
	for _, test := range []struct {
		q    store.Query
		want string
	}{
		{store.Query{Limit: 1}, "{} cpu 5m0s=32"},
		{store.Query{Limit: 3}, "{} cpu 3m0s=8 4m0s=16 5m0s=32"},
		{store.Query{Limit: 4, By: by}, "{zone=\"a\"} cpu 3m0s=8\n{zone=\"b\"} cpu 4m0s=16\n{zone=\"c\"} cpu 2m0s=4 5m0s=32"},
		{store.Query{Limit: 1, By: by}, "{zone=\"c\"} cpu 5m0s=32"},
		{store.Query{Limit: 2, Step: 2 * minute}, "{} cpu 2m0s=12 4m0s=48"},
		{store.Query{Limit: 2, To: base + 2*minute}, "{} cpu 0s=1 1m0s=2"},
		{store.Query{Limit: 9}, "{} cpu 0s=1 1m0s=2 2m0s=4 3m0s=8 4m0s=16 5m0s=32"},
	} {
		wantText(t, describe(test.q), pointLines(series(t, s, test.q)), test.want)
	}
	// What is merged has no limit.
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{Limit: 1})), "{} 0s 63 of 6")
}

func testTotals(t *testing.T, s store.Store) {
	long := record(t, 1, base, "cpu", 5)
	long.Duration = 100 * second
	short := record(t, 2, base+minute, "cpu", 7)
	put(t, s, long, short)
	g := mergeOne(t, s, store.Query{})
	if w := (store.Total{Value: 12, Profiles: 2, Duration: 101 * second, Last: base + 100*second}); unversioned(g.Total) != w {
		t.Errorf("Merge: got %+v, want %+v", g.Total, w)
	}
	wantProfile(t, "Merge", g.Profile, timed(one("cpu", "f", 12), base, 101*second))
	line := series(t, s, store.Query{Step: 60 * minute})
	if w := g.Total; len(line) != 1 || len(line[0].Points) != 1 || unversioned(line[0].Points[0].Total) != unversioned(w) || line[0].Points[0].ID != (store.ID{}) {
		t.Errorf("Series: got %+v, want %+v", line, w)
	}
	line = series(t, s, store.Query{})
	w := store.Point{Time: base + minute, ID: newID(2), Total: store.Total{Value: 7, Profiles: 1, Duration: second, Last: base + minute + second}}
	got := line[0].Points[1]
	if got.Total = unversioned(got.Total); got != w {
		t.Errorf("Series: got %+v, want %+v", got, w)
	}
}

func testLabels(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "cpu", 1, "zone", "b", "version", "v1"), record(t, 2, base, "cpu", 1, "zone", "a"),
		record(t, 3, base+minute, "heap", 1, "zone", "c", "k8s.pod", "p"))
	for _, test := range []struct {
		q    store.Query
		want string
	}{
		{store.Query{}, "[{k8s.pod [p]} {kind [cpu heap]} {service [api]} {version [v1]} {zone [a b c]}]"},
		{store.Query{Selector: selector(t, "cpu")}, "[{kind [cpu]} {service [api]} {version [v1]} {zone [a b]}]"},
		{store.Query{From: base + 1}, "[{k8s.pod [p]} {kind [heap]} {service [api]} {zone [c]}]"},
		{store.Query{ID: newID(2)}, "[{kind [cpu]} {service [api]} {zone [a]}]"},
		{store.Query{Selector: selector(t, `{version="v1"}`), Step: minute, By: []string{"zone"}, SampleType: "none", Top: 0.1, Limit: 1}, "[{kind [cpu]} {service [api]} {version [v1]} {zone [b]}]"},
		{store.Query{To: base}, "[]"},
	} {
		got, err := s.Labels(t.Context(), test.q)
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, describe(test.q), fmt.Sprint(got), test.want)
	}
}

// Names of labels are any text.
func testLabelNames(t *testing.T, s store.Store) {
	names := []string{"a.b", "größe", "http/route", `"', a="b"`, "9 %s"}
	for i, name := range names {
		put(t, s, record(t, 10+i, base, "cpu", int64(1)<<i, name, "x"), record(t, 20+i, base, "cpu", int64(100)<<i, name, "y"))
	}
	for i, name := range names {
		sel := selector(t, fmt.Sprintf("{%q=\"x\"}", name))
		wantText(t, sel.String(), groupLines(merge(t, s, store.Query{Selector: sel})), fmt.Sprintf("{} 0s %d of 1", int64(1)<<i))
		present := selector(t, fmt.Sprintf("{%q!=\"\"}", name))
		x, y := store.Labels{{Name: name, Value: "x"}}, store.Labels{{Name: name, Value: "y"}}
		wantText(t, "by "+name, groupLines(merge(t, s, store.Query{Selector: present, By: []string{name}})), fmt.Sprintf("%s 0s %d of 1\n%s 0s %d of 1", x, int64(1)<<i, y, int64(100)<<i))
		got, err := s.Labels(t.Context(), store.Query{Selector: sel})
		if err != nil || !slices.ContainsFunc(got, func(l store.LabelValues) bool { return l.Name == name && slices.Equal(l.Values, []string{"x"}) }) {
			t.Errorf("labels of %s: %v, %v", sel, got, err)
		}
	}
}

// The version of a total changes when its profiles do, and only then.
func testVersion(t *testing.T, s store.Store) {
	q := store.Query{By: []string{"zone"}, From: base, To: base + minute}
	version := func(zone string) uint64 {
		t.Helper()
		for _, g := range merge(t, s, q) {
			if g.Labels.Get("zone") == zone {
				line := series(t, s, store.Query{Selector: selector(t, fmt.Sprintf("{zone=%q}", zone)), From: q.From, To: q.To, Step: 60 * minute})
				again := series(t, s, store.Query{Selector: selector(t, fmt.Sprintf("{zone=%q}", zone)), From: q.From, To: q.To, Step: 60 * minute})
				if line[0].Points[0].Version != again[0].Points[0].Version {
					t.Errorf("versions of Series differ without a change")
				}
				if g.Version != line[0].Points[0].Version {
					t.Errorf("Merge and Series tell versions of the same profiles that differ")
				}
				return g.Version
			}
		}
		t.Fatalf("no group of zone %s", zone)
		return 0
	}
	put(t, s, record(t, 1, base, "cpu", 1, "zone", "a"), record(t, 2, base, "cpu", 1, "zone", "b"))
	a, b := version("a"), version("b")
	same := func(why string) {
		t.Helper()
		if version("a") != a || version("b") != b {
			t.Errorf("%s: a version changed", why)
		}
	}
	same("nothing happened")
	put(t, s, record(t, 1, base, "cpu", 1, "zone", "a"))
	same("a record that was there")
	put(t, s, record(t, 3, base+minute, "cpu", 1, "zone", "a"), record(t, 4, base, "cpu", 1, "zone", "c"), record(t, 5, base-1, "cpu", 1, "zone", "a"))
	same("records of other times and groups")
	put(t, s, record(t, 6, base+1, "cpu", 1, "zone", "a"))
	if v := version("a"); v == a {
		t.Error("a new record changed no version")
	} else {
		a = v
	}
	same("a record of the other group")
	put(t, s, record(t, 7, base+1, "cpu", 0, "zone", "b"))
	if version("b") == b {
		t.Error("a new record of nothing changed no version")
	}
}

func testMergedProfilesAreTheCallers(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "cpu", 1))
	for range 2 {
		g := mergeOne(t, s, store.Query{})
		wantProfile(t, "Merge", g.Profile, timed(one("cpu", "f", 1), base, second))
		p := g.Profile
		for _, col := range p.Values {
			for i := range col {
				col[i] = 77
			}
		}
		for i := range p.Strings {
			p.Strings[i] = "overwritten"
		}
		clear(p.Lines)
		clear(p.Frames)
		p.SampleTypes[0].Type = "overwritten"
	}
	put(t, s, record(t, 2, base, "cpu", 1))
	wantProfile(t, "Merge", mergeOne(t, s, store.Query{}).Profile, timed(one("cpu", "f", 2), base, 2*second))
}

// calls are all methods, by name.
func calls(t *testing.T, s store.Store, ctx context.Context) map[string]error {
	_, mergeErr := s.Merge(ctx, store.Query{})
	_, seriesErr := s.Series(ctx, store.Query{})
	_, labelsErr := s.Labels(ctx, store.Query{})
	return map[string]error{
		"Put": s.Put(ctx, []store.Record{record(t, 9, base, "cpu", 1)}), "Merge": mergeErr, "Series": seriesErr, "Labels": labelsErr,
	}
}

func testCancelled(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "cpu", 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range calls(t, s, ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// The store lives, and what was refused can be put again.
	put(t, s, record(t, 9, base, "cpu", 1))
	wantText(t, "Merge", groupLines(merge(t, s, store.Query{})), "{} 0s 2 of 2")
}

func testClosed(t *testing.T, s store.Store) {
	put(t, s, record(t, 1, base, "cpu", 1))
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	for name, err := range calls(t, s, t.Context()) {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := s.Close(); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Close: got %v", err)
	}
}
