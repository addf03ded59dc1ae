package store

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"github.com/hone-go/hone/profile"
)

func TestGroups(t *testing.T) {
	all := []Labels{
		{{"service", "b"}, {"zone", "x"}},
		{{"service", "a"}},
		{{"service", "a"}, {"zone", "x"}},
		{{"service", "b"}, {"zone", "y"}},
	}
	for _, tt := range []struct {
		by     []string
		groups []Labels
		of     []int32
	}{
		{nil, []Labels{nil}, []int32{0, 0, 0, 0}},
		{[]string{"service"}, []Labels{{{"service", "a"}}, {{"service", "b"}}}, []int32{1, 0, 0, 1}},
		// A label that profiles don't have is not part of the group's, which come first.
		{[]string{"zone"}, []Labels{nil, {{"zone", "x"}}, {{"zone", "y"}}}, []int32{1, 0, 1, 2}},
	} {
		q := Query{By: tt.by}
		groups, of := q.Groups(all)
		if !reflect.DeepEqual(groups, tt.groups) || !slices.Equal(of, tt.of) {
			t.Errorf("by %v: got groups %v of %v, want %v of %v", tt.by, groups, of, tt.groups, tt.of)
		}
	}
	q := Query{}
	if groups, of := q.Groups(nil); len(groups) != 0 || len(of) != 0 {
		t.Errorf("without profiles: got groups %v of %v", groups, of)
	}
}

func TestWindowOf(t *testing.T) {
	for _, tt := range []struct{ step, t, want int64 }{
		{0, 123, 0}, {0, -123, 0}, {10, 0, 0}, {10, 9, 0}, {10, 10, 10}, {10, -1, -10}, {10, -10, -10}, {10, -11, -20},
	} {
		q := Query{Step: tt.step}
		if got := q.WindowOf(tt.t); got != tt.want {
			t.Errorf("step %d: %d is in the window of %d, want %d", tt.step, tt.t, got, tt.want)
		}
	}
}

func TestKeepTop(t *testing.T) {
	type item struct{ value, time int64 }
	value := func(i item) int64 { return i.value }
	earlier := func(a, b item) int { return cmp.Compare(a.time, b.time) }
	items := []item{{5, 4}, {7, 3}, {5, 2}, {1, 1}}
	for _, tt := range []struct {
		top  float64
		want []item // by time
	}{
		{0, []item{{1, 1}, {5, 2}, {7, 3}, {5, 4}}},
		{0.25, []item{{7, 3}}},
		{0.5, []item{{5, 2}, {7, 3}}}, // of equal values, the earlier one
		{0.01, []item{{7, 3}}},
		{1, []item{{1, 1}, {5, 2}, {7, 3}, {5, 4}}},
	} {
		got := KeepTop(&Query{Top: tt.top}, slices.Clone(items), value, earlier)
		slices.SortFunc(got, earlier)
		if !slices.Equal(got, tt.want) {
			t.Errorf("top %v: got %v, want %v", tt.top, got, tt.want)
		}
	}
}

func TestTally(t *testing.T) {
	cpu, heap := profile.ValueType{Type: "cpu", Unit: "ns"}, profile.ValueType{Type: "inuse", Unit: "bytes"}
	one := Total{Value: 3, Profiles: 1, Duration: 10, Last: -5, Version: 1}
	two := Total{Value: 4, Profiles: 2, Duration: 20, Last: -7, Version: 1<<64 - 1}
	sum := Total{Value: 7, Profiles: 3, Duration: 30, Last: -5, Version: 0}
	mixed := sum
	mixed.Value = 0
	for _, tt := range []struct {
		what string
		add  func(t *Tally)
		want Total
		typ  profile.ValueType
	}{
		{"nothing", func(*Tally) {}, Total{}, profile.ValueType{}},
		{"one type", func(t *Tally) { t.Add(one, cpu, -15); t.Add(two, cpu, -27) }, sum, cpu},
		{"the other order", func(t *Tally) { t.Add(two, cpu, -27); t.Add(one, cpu, -15) }, sum, cpu},
		{"two types", func(t *Tally) { t.Add(one, cpu, -15); t.Add(two, heap, -27) }, mixed, profile.ValueType{}},
		{"mixed first", func(t *Tally) { t.AddMixed(one, -15); t.Add(two, cpu, -27) }, mixed, profile.ValueType{}},
		{"mixed last", func(t *Tally) { t.Add(one, cpu, -15); t.AddMixed(two, -27) }, mixed, profile.ValueType{}},
	} {
		var tally Tally
		tt.add(&tally)
		if got, typ := tally.Total(); got != tt.want || typ != tt.typ {
			t.Errorf("%s: got %+v of %v, want %+v of %v", tt.what, got, typ, tt.want, tt.typ)
		}
		if first := tally.First(); tt.want.Profiles > 0 && first != -27 {
			t.Errorf("%s: the earliest time is %d, want -27", tt.what, first)
		}
	}
}

func TestSeriesOf(t *testing.T) {
	cpu, heap := profile.ValueType{Type: "cpu", Unit: "ns"}, profile.ValueType{Type: "inuse", Unit: "bytes"}
	labels := []Labels{{{"service", "a"}}, {{"service", "b"}}, {{"service", "c"}}}
	point := func(at int64) Point { return Point{Time: at, Total: Total{Profiles: 1}} }
	got := SeriesOf(labels, []GroupPoint{{0, cpu, point(1)}, {0, cpu, point(2)}, {2, cpu, point(1)}, {2, heap, point(2)}, {2, cpu, point(3)}})
	want := []Series{
		{Labels: labels[0], Type: cpu, Points: []Point{point(1), point(2)}},
		{Labels: labels[2], Points: []Point{point(1), point(2), point(3)}}, // its points don't agree
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNewGroup(t *testing.T) {
	var tally Tally
	tally.Add(Total{Profiles: 1, Duration: 5}, profile.ValueType{}, 42)
	for _, tt := range []struct{ step, want int64 }{{0, 42}, {20, 40}} {
		q := Query{Step: tt.step}
		p := new(profile.Profile)
		g := q.NewGroup(nil, GroupKey{Window: q.WindowOf(42)}, &tally, p)
		if g.Time != tt.want || p.TimeNanos != tt.want || p.DurationNanos != 5 {
			t.Errorf("step %d: got time %d, its profile %d and %d ns long, want %d and 5 ns", tt.step, g.Time, p.TimeNanos, p.DurationNanos, tt.want)
		}
	}
}
