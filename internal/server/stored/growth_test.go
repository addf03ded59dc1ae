package stored_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/profile"
)

// held is a profile of the heap in use, in MB by line.
func held(lines map[int64]float64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "inuse_objects", Unit: "count"}, profile.ValueType{Type: "inuse_space", Unit: "bytes"})
	f := b.Function("main.keep", "main.keep", "keep.go", 1)
	for line, mb := range lines {
		b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: f, Line: line})}, nil, int64(mb), int64(mb*1e6))
	}
	p := b.Profile()
	p.PeriodType, p.Period = profile.ValueType{Type: "space", Unit: "bytes"}, 1<<19
	p.DefaultSampleType = "inuse_space"
	return p
}

// TestGrowth checks that a history tells which lines of two instances hold more and more
// memory, by how much, and that a line that rises and falls doesn't.
func TestGrowth(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for minute := range 60 {
		for i, instance := range []string{"a", "b"} {
			l.PutProfile(held(map[int64]float64{
				10: 50 + float64(minute), // 60 MB an hour
				20: 200 + 40*float64((minute+3*i)%5),
				30: 100,
				40: 90 - float64(minute)/2,
			}), minute, 0, "service", "shop", "kind", "heap", "instance", instance)
		}
	}
	q := servertest.Between(`heap{service="shop"}`, 0, 60, "rank", "growth", "granularity", "lines", "step", "2m")
	h := servertest.Decode[api.History](t, l.Get("/api/v1/history?"+q.Encode()))
	if len(h.Functions) != 4 || len(h.Time) != 30 || len(h.Versions) != 0 || h.Unit != "bytes" {
		t.Fatalf("%+v", h)
	}
	for i, want := range []struct {
		line                 string
		slope, before, after float64 // MB
		sure                 float64 // its sign
	}{
		{":10", 60, 59.5, 99.5, 1}, {":20", math.NaN(), 280, 280, 0}, {":30", 0, 100, 100, 0}, {":40", -30, 85.25, 65.25, -1},
	} {
		f := h.Functions[i]
		near := func(got, want, within float64) bool { return math.IsNaN(want) || math.Abs(got/1e6-want) <= within }
		if i == 1 || i == 2 { // chance decides which of them is first
			if f.Growth.Sure != 0 || math.Abs(f.Growth.Slope) > 10e6 {
				t.Errorf("%s: %+v, want no growth", f.Name, *f.Growth)
			}
			continue
		}
		if !strings.HasSuffix(f.Name, want.line) || !near(f.Growth.Slope, want.slope, 0.01) ||
			!near(f.Growth.Before, want.before, 0.01) || !near(f.Growth.After, want.after, 0.01) || f.Growth.Sure*want.sure <= 0 {
			t.Errorf("%d: %s: %+v, want %+v", i, f.Name, *f.Growth, want)
		}
	}
	few := servertest.Decode[api.History](t, l.Get("/api/v1/history?"+servertest.Between(`heap{service="shop"}`, 0, 4, "rank", "growth", "step", "1m").Encode()))
	if few.Functions[0].Growth != nil {
		t.Errorf("four windows tell of growth: %+v", few.Functions[0].Growth)
	}
}

// TestLargestFirst checks that functions rank by what they have in all windows together, as
// their mean share counts them: a small window must not outweigh a large one.
func TestLargestFirst(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.PutProfile(held(map[int64]float64{10: 9, 20: 1}), 0, 0, "service", "shop", "kind", "heap")
	l.PutProfile(held(map[int64]float64{10: 200, 20: 800}), 1, 0, "service", "shop", "kind", "heap")
	q := servertest.Between(`heap{service="shop"}`, 0, 2, "granularity", "lines", "step", "1m")
	h := servertest.Decode[api.History](t, l.Get("/api/v1/history?"+q.Encode()))
	if len(h.Time) != 2 || len(h.Functions) != 2 || !strings.HasSuffix(h.Functions[0].Name, ":20") {
		t.Errorf("%+v", h)
	}
}
