package experiment

import (
	"slices"
	"strings"
	"testing"
)

// clocks returns a benchmark's series of both clocks: the time of the samples, and the
// CPU time that share gives of it, by side and turn.
func clocks(base, head []float64, share func(side Side, i int, wall float64) float64, beside Beside) []Series {
	wall := blocksOf("ns/op", base, head)
	cpu := Series{Key: Key{Benchmark: wall.Benchmark, Unit: CPUTime}}
	var turn [2]int
	for i := range wall.Samples {
		s := &wall.Samples[i]
		s.Beside = beside
		c := *s
		c.Value = share(s.Side, turn[s.Side], s.Value)
		turn[s.Side]++
		cpu.Samples = append(cpu.Samples, c)
	}
	return []Series{wall, cpu}
}

// loaded is what the time of samples becomes beside a load: one in four has its core to
// itself, the others wait for it.
func loaded(values []float64) []float64 {
	l := make([]float64, len(values))
	for i, wait := range around(1.6+values[0]/1e9, .35, len(values)) {
		if l[i] = values[i]; i%4 != 0 {
			l[i] *= wait
		}
	}
	return l
}

func TestClocks(t *testing.T) {
	equal := func(_ Side, _ int, wall float64) float64 { return wall }
	times := func(f float64) func(Side, int, float64) float64 {
		return func(_ Side, _ int, wall float64) float64 { return f * wall }
	}
	base, head := around(500, .01, 20), around(550, .01, 20)
	steady := func(side Side, i int, _ float64) float64 { return [2][]float64{base, head}[side][i] }
	same := [2][]float64{around(500, .01, 20), around(500.1, .01, 20)}
	unchanged := func(side Side, i int, _ float64) float64 { return 2 * same[side][i] }
	crowd := Beside{Others: 1.5}
	for _, c := range []struct {
		name      string
		series    []Series
		judge     string
		wall, cpu string
		regressed bool
	}{
		{"quiet", clocks(base, head, equal, Beside{Idle: 1}), "ns/op", "slower", "judged by sec/op", true},
		{"beside a load", clocks(loaded(base), loaded(head), steady, crowd), CPUTime, "judged by user+sys-sec/op", "slower", true},
		{"on two cores", clocks(loaded(same[0]), loaded(same[1]), times(2), Beside{}), "ns/op", "inconclusive", "judged by sec/op", false},
		{"waiting", clocks(base, head, func(side Side, i int, _ float64) float64 { return same[side][i] / 100 }, Beside{Idle: 1}), "ns/op", "slower", "judged by sec/op", true},
		{"slower by the crowd alone", clocks(same[0], head, unchanged, crowd), "ns/op", "inconclusive: the machine was busy", "judged by sec/op", false},
		{"slower by both, in a crowd", clocks(base, head, equal, crowd), "ns/op", "slower", "judged by sec/op", true},
		{"in a crowd, with one clock", clocks(base, head, equal, crowd)[:1], "ns/op", "inconclusive: the machine was busy", "", false},
		{"with others, and cores left", clocks(same[0], head, unchanged, Beside{Others: 3, Idle: 4}), "ns/op", "slower", "judged by sec/op", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := DefaultOptions()
			f := compared(t, c.series, opts)
			if early := compared(t, firstPairs(c.series, 10), opts); strings.HasSuffix(c.wall, "busy") && len(early.Undecided(opts.Looks)) == 0 {
				t.Error("what a busy machine leaves open is not measured any longer")
			}
			f = f.Confirm(repeat(t, f, c.series, opts))
			for i := range f.Comparisons {
				got := &f.Comparisons[i]
				want := map[string]string{"ns/op": c.wall, CPUTime: c.cpu}[got.Unit]
				if !strings.HasPrefix(got.Words(), want) {
					t.Errorf("%s: %s, want %s; %v %v", got.Unit, got.Words(), want, got.Change, got.Interval)
				}
				if got.Gated != (got.Unit == c.judge) {
					t.Errorf("%s can fail a run: %v; %s is to judge", got.Unit, got.Gated, c.judge)
				}
			}
			if r := f.Regressions(); (len(r) > 0) != c.regressed || len(r) > 0 && r[0].Unit != c.judge {
				t.Errorf("regressions %v, want %v", r, c.regressed)
			}
		})
	}
}

// firstPairs cuts series after n pairs.
func firstPairs(series []Series, n int) []Series {
	cut := slices.Clone(series)
	for i := range cut {
		cut[i].Samples = cut[i].Samples[:2*n]
	}
	return cut
}

// A second run is judged by the clock of the first, whichever is quieter in the second.
func TestClockOfSecondRun(t *testing.T) {
	base, head := around(500, .01, 20), around(550, .01, 20)
	noisy := func(side Side, i int, _ float64) float64 { return loaded([2][]float64{base, head}[side])[i] }
	steady := func(side Side, i int, _ float64) float64 { return [2][]float64{base, head}[side][i] }
	still := [2][]float64{around(500, .001, 20), around(550, .001, 20)}
	stiller := func(side Side, i int, _ float64) float64 { return still[side][i] }
	byTime := clocks(base, head, noisy, Beside{Idle: 1})
	byCPU := clocks(loaded(base), loaded(head), steady, Beside{Others: 1})
	for _, c := range []struct {
		first, second []Series
		judge         string
		confirmed     bool
	}{
		{byTime, byTime, "ns/op", true},
		{byCPU, byCPU, CPUTime, true},
		{byTime, clocks(base, head, stiller, Beside{Idle: 1}), "ns/op", true},
		{byTime, clocks(around(500, .01, 20), around(500.1, .01, 20), steady, Beside{Idle: 1}), "ns/op", false},
		{byCPU, clocks(still[0], still[1], steady, Beside{Idle: 1}), CPUTime, true},
	} {
		opts := DefaultOptions()
		first := compared(t, c.first, opts)
		f := first.Confirm(repeat(t, first, c.second, opts))
		if got := f.Of(Key{Benchmark: "B", Unit: c.judge}); got == nil || !got.Gated || (got.Confirmation == Agreed) != c.confirmed {
			t.Errorf("judged by %s: %+v", c.judge, got)
		}
	}
}

func TestSlotText(t *testing.T) {
	for _, s := range []Slot{{Block: 3, Order: 14}, {Block: 3, Order: 14, Layout: 1007}, {Block: 0, Order: 0, Beside: Beside{1.25, 0.5}}} {
		if got, ok := parseSlot(slotText(&s)); !ok || got != s {
			t.Errorf("%q is %+v, %v; want %+v", slotText(&s), got, ok, s)
		}
	}
	for _, line := range []string{"# slot block=3\n", "# slot block=x order=2\n", "# slot block=1 order=2 layout=x\n", "# slot block=1 order=2 more\n"} {
		if s, ok := parseSlot(line); ok {
			t.Errorf("%q is %+v", line, s)
		}
	}
}
