package tune

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/experiment"
)

// TestJudgeProfile: of a profile the mean of all times decides, unless something is slower.
func TestJudgeProfile(t *testing.T) {
	type change struct {
		lo, ratio, hi float64
		worse         bool
	}
	for _, c := range []struct {
		changes []change
		want    advice.State
		why     string
	}{
		{[]change{{0.90, 0.93, 0.96, false}, {0.98, 1, 1.02, false}}, advice.Confirmed, "time of 2 benchmarks, geometric mean −3.6 %"},
		{[]change{{0.80, 0.83, 0.86, false}, {1.03, 1.06, 1.09, true}}, advice.Refuted, "but worse: B +6.0 %"},
		{[]change{{0.998, 1, 1.002, false}}, advice.Refuted, "geometric mean +0.0 %"},
		{[]change{{0.90, 0.97, 1.04, false}}, advice.Inconclusive, "more samples"},
		{nil, advice.Inconclusive, "too few samples"},
	} {
		family := new(experiment.Family)
		for _, m := range c.changes {
			n := experiment.Comparison{Key: experiment.Key{Benchmark: "B", Unit: "ns/op"}, Scale: experiment.Ratio, Change: m.ratio, Interval: experiment.Interval{Lo: m.lo, Hi: m.hi}, Pairs: 10, Verdict: experiment.NoChange}
			if m.worse {
				n.Gated, n.Beyond, n.Verdict, n.Confirmation = true, true, experiment.Worse, experiment.Agreed
			}
			family.Comparisons = append(family.Comparisons, n)
		}
		j := judgeProfile(&bench.Report{Family: family})
		if j.state != c.want || !strings.Contains(j.why, c.why) {
			t.Errorf("%+v: %s, %q; want %s, %q", c.changes, j.state, j.why, c.want, c.why)
		}
	}
	j := judgeProfile(&bench.Report{Unchanged: []string{"example.com/m"}})
	if j.state != advice.Refuted || !strings.Contains(j.why, "the same program") {
		t.Errorf("nothing differs: %+v", j)
	}
}

// TestJudgePromise: no change refutes what promised one that would have been seen.
func TestJudgePromise(t *testing.T) {
	for _, c := range []struct {
		verdict experiment.Verdict
		lo      []float64 // of the intervals of times
		promise float64
		want    advice.State
		why     string
	}{
		{experiment.NoChange, []float64{0.992}, 0.02, advice.Refuted, "no faster"},
		{experiment.NoChange, []float64{0.992}, 0.002, advice.Inconclusive, "rule out the expected 0.2 %"},
		{experiment.NoChange, []float64{0.998, 0.992}, 0.004, advice.Inconclusive, "rule out the expected"},
		{experiment.NoChange, []float64{0.998, 0.997}, 0.004, advice.Refuted, "no faster"},
		{experiment.NoChange, []float64{0.992}, 0, advice.Refuted, "no faster"}, // it said nothing of time
		{experiment.WithinBudget, []float64{0.98}, 0.01, advice.Inconclusive, "rule out the expected"},
		{experiment.WithinBudget, []float64{1.004}, 0.01, advice.Refuted, "no faster"},
		{experiment.NoChange, nil, 0.004, advice.Inconclusive, "no time was measured"},
	} {
		family := new(experiment.Family)
		for _, lo := range c.lo {
			family.Comparisons = append(family.Comparisons, experiment.Comparison{
				Key: experiment.Key{Benchmark: "B", Unit: "ns/op"}, Scale: experiment.Ratio, Change: 1,
				Interval: experiment.Interval{Lo: lo, Hi: lo + 0.01}, Pairs: 10, Verdict: c.verdict,
			})
		}
		j := judge(&bench.Report{Family: family}, c.promise)
		if (j.more == again) != (c.want == advice.Refuted) {
			t.Errorf("%+v: a second run has to say so: %v", c, j.more)
		}
		if j.state != c.want || !strings.Contains(j.why, c.why) {
			t.Errorf("%+v: %s, %q", c, j.state, j.why)
		}
	}
}

// TestJudgeNoSlower: what allocates less counts once each time is known to be no slower,
// known to be faster or not.
func TestJudgeNoSlower(t *testing.T) {
	type clock struct {
		lo, hi       float64
		confirmation experiment.Confirmation
		busy         bool
		budget       float64
	}
	const fewer, open = "no slower: B allocs/op −10.0 %", "but may be slower"
	for _, c := range []struct {
		times []clock
		why   string
	}{
		{[]clock{{0.94, 1.01, 0, false, 0.02}}, fewer},
		{[]clock{{0.94, 1.01, 0, false, 0.02}, {0.97, 1.019, 0, false, 0.02}}, fewer},
		{[]clock{{0.94, 1.01, 0, false, 0.02}, {0.97, 1.021, 0, false, 0.02}}, open},
		{[]clock{{0.94, 1.01, 0, false, 0}}, open},
		{[]clock{{0.94, 1.01, 0, true, 0.02}}, open},
		{[]clock{{0.94, 0.98, experiment.Disagreed, false, 0.02}}, open}, // faster, and then who knows
		{[]clock{{0.94, 0.98, experiment.NotRepeated, false, 0.02}}, open},
		{[]clock{{1.005, 1.015, experiment.Disagreed, false, 0.02}}, open}, // slower, and then not
	} {
		fewerAllocs := experiment.Comparison{
			Key: experiment.Key{Benchmark: "B", Unit: "allocs/op"}, Direction: experiment.LowerIsBetter, Scale: experiment.Ratio,
			Change: 0.9, Interval: experiment.Interval{Lo: 0.9, Hi: 0.9}, Verdict: experiment.Better, Confirmation: experiment.Agreed, Gated: true,
		}
		family := &experiment.Family{Comparisons: []experiment.Comparison{fewerAllocs}}
		for _, m := range c.times {
			family.Comparisons = append(family.Comparisons, experiment.Comparison{
				Key: experiment.Key{Benchmark: "B", Unit: "ns/op"}, Direction: experiment.LowerIsBetter, Scale: experiment.Ratio, Change: (m.lo + m.hi) / 2,
				Interval: experiment.Interval{Lo: m.lo, Hi: m.hi}, Budget: m.budget, Busy: m.busy, Confirmation: m.confirmation, Pairs: 20, Gated: true,
			})
		}
		for failures, why := range map[string]string{"base head": c.why, "head": "fails only with the rewrite: B: panic"} {
			report := &bench.Report{Family: family}
			for side := range strings.FieldsSeq(failures) {
				report.Failures = append(report.Failures, bench.Failure{Package: "p", Benchmark: "B", Side: side, What: "panic"})
			}
			if j := judge(report, 0.05); !strings.Contains(j.why, why) {
				t.Errorf("%+v, fails in %s: %s, %q", c.times, failures, j.state, j.why)
			}
		}
		j := judge(&bench.Report{Family: family}, 0.05)
		if want := c.why == fewer; (j.state == advice.Confirmed) != want || !want && j.state != advice.Inconclusive || !strings.Contains(j.why, c.why) {
			t.Errorf("%+v: %s, %q", c.times, j.state, j.why)
		}
		family.Comparisons = family.Comparisons[1:] // the times alone
		if j = judge(&bench.Report{Family: family}, 0.05); j.state != advice.Inconclusive {
			t.Errorf("%+v, and nothing else: %s, %q", c.times, j.state, j.why)
		}
	}
}

// TestKeptAnyway: what allocates less is kept without a decision about time only if no measured time is
// likely to be slower, and only once no more is measured.
func TestKeptAnyway(t *testing.T) {
	type clock struct {
		lo, change, hi float64
		verdict        experiment.Verdict
		busy           bool
	}
	for _, c := range []struct {
		times []clock
		kept  bool
	}{
		{[]clock{{0.96, 1, 1.04, 0, false}}, true},
		{[]clock{{0.96, 1.01, 1.04, 0, false}, {0.9, 0.96, 1.03, 0, false}}, true},
		{[]clock{{0.96, 1.011, 1.04, 0, false}}, false},                           // likely slower
		{[]clock{{0.96, 1, 1.051, 0, false}}, false},                              // may hide too much
		{[]clock{{1.001, 1.005, 1.04, 0, false}}, false},                          // slower, if only by little
		{[]clock{{0.96, 1, 1.04, 0, true}}, false},                                // time says nothing on a busy machine
		{[]clock{{0.96, 1, 1.04, experiment.Worse, false}}, false},                // seen once
		{[]clock{{0.96, 1, 1.04, 0, false}, {0.96, 1.02, 1.04, 0, false}}, false}, // one of two
		{nil, false},
	} {
		family := func(fewer bool) *experiment.Family {
			f := new(experiment.Family)
			if fewer {
				f.Comparisons = append(f.Comparisons, experiment.Comparison{
					Key: experiment.Key{Benchmark: "B", Unit: "allocs/op"}, Direction: experiment.LowerIsBetter, Scale: experiment.Ratio,
					Change: 0.9, Interval: experiment.Interval{Lo: 0.9, Hi: 0.9}, Verdict: experiment.Better, Confirmation: experiment.Agreed, Gated: true,
				})
			}
			for _, m := range c.times {
				f.Comparisons = append(f.Comparisons, experiment.Comparison{
					Key: experiment.Key{Benchmark: "B", Unit: "ns/op"}, Direction: experiment.LowerIsBetter, Scale: experiment.Ratio, Change: m.change,
					Interval: experiment.Interval{Lo: m.lo, Hi: m.hi}, Verdict: m.verdict, Budget: 0.02, Busy: m.busy, Pairs: 20, Gated: true,
				})
			}
			return f
		}
		for _, count := range []int{0, 10} {
			var stages []string
			j, err := twice(count, func(stage string, _ time.Duration) (judgement, error) {
				stages = append(stages, stage)
				return judge(&bench.Report{Family: family(true)}, 0.05), nil
			})
			want := advice.Inconclusive
			if c.kept {
				want = advice.Confirmed
			}
			if err != nil || j.state != want || c.kept && !strings.Contains(j.why, "it allocates less (B allocs/op −10.0 %), and no slowdown was measured: B ") {
				t.Errorf("%+v, count %d: %s, %q (%v)", c.times, count, j.state, j.why, err)
			}
			if count == 0 && len(stages) != 2 || count > 0 && len(stages) != 1 {
				t.Errorf("%+v, count %d: measured in %q", c.times, count, stages)
			}
		}
		if j := judge(&bench.Report{Family: family(false)}, 0.05).settled(); j.state == advice.Confirmed {
			t.Errorf("%+v, and nothing else: %s, %q", c.times, j.state, j.why)
		}
	}
}

// TestJudgeUngated: a clock that can't fail a run, as CPU time where a benchmark reports no
// other, is never confirmed by a second series: what it says alone decides nothing.
func TestJudgeUngated(t *testing.T) {
	for _, fewer := range []bool{false, true} {
		for _, verdict := range []experiment.Verdict{experiment.Better, experiment.Worse} {
			ratio := 0.9
			if verdict == experiment.Worse {
				ratio = 1.01
			}
			family := &experiment.Family{Comparisons: []experiment.Comparison{{
				Key: experiment.Key{Benchmark: "B", Unit: experiment.CPUTime}, Direction: experiment.LowerIsBetter, Scale: experiment.Ratio, Change: ratio,
				Interval: experiment.Interval{Lo: ratio - 0.005, Hi: ratio + 0.005}, Budget: 0.02, Verdict: verdict,
			}}}
			want := advice.Inconclusive
			if fewer {
				family.Comparisons = append(family.Comparisons, experiment.Comparison{
					Key: experiment.Key{Benchmark: "B", Unit: "allocs/op"}, Direction: experiment.LowerIsBetter, Scale: experiment.Ratio, Change: 0.9,
					Interval: experiment.Interval{Lo: 0.9, Hi: 0.9}, Verdict: experiment.Better, Confirmation: experiment.Agreed, Gated: true,
				})
				if verdict == experiment.Better {
					want = advice.Confirmed
				}
			}
			if j := judge(&bench.Report{Family: family}, 0.05); j.state != want {
				t.Errorf("%v, fewer allocations %v: %s, %q", verdict, fewer, j.state, j.why)
			}
		}
	}
}

// TestRemedy: more samples decide nothing if other programs use the CPU and CPU time is unknown, as
// it is of processes that hardly do anything but start.
func TestRemedy(t *testing.T) {
	wall := func(base, head float64, busy bool) experiment.Comparison {
		return experiment.Comparison{
			Key: experiment.Key{Package: "p", Benchmark: "B", Unit: "ns/op"}, Scale: experiment.Ratio, Change: head / base, Busy: busy,
			Base: benchmath.Summary{Center: base}, Head: benchmath.Summary{Center: head}, Interval: experiment.Interval{Lo: 0.01, Hi: 0.2}, Gated: true,
		}
	}
	cpu := wall(1000, 50, false)
	cpu.Unit, cpu.JudgedBy, cpu.Gated = experiment.CPUTime, "ns/op", false
	unknown := wall(1000, 50, true)
	unknown.Base.Center, unknown.Head.Center = math.NaN(), math.NaN()
	seconds := wall(3e-3, 0.7e-3, true)
	seconds.Unit = "sec/op"
	for _, c := range []struct {
		name string
		all  []experiment.Comparison
		want string
	}{
		{"busy, no CPU time", []experiment.Comparison{wall(1000, 50, true)}, "B ran too few iterations to compare CPU time instead: use more iterations (-benchtime 10000000x)"},
		{"the base is faster", []experiment.Comparison{wall(60, 1000, true)}, "-benchtime 9000000x"},
		{"in seconds", []experiment.Comparison{seconds}, "-benchtime 800x"},
		{"slow", []experiment.Comparison{wall(9e9, 2e9, true)}, "-benchtime 1x"},
		{"busy, with CPU time", []experiment.Comparison{wall(1000, 50, true), cpu}, "more samples (-count)"},
		{"noisy", []experiment.Comparison{wall(1000, 990, false)}, "more samples (-count)"},
		{"unknown time", []experiment.Comparison{unknown}, "more samples (-count)"},
	} {
		j := judge(&bench.Report{Family: &experiment.Family{Comparisons: c.all}}, 0.05)
		if j.state != advice.Inconclusive || !strings.Contains(j.why, c.want) {
			t.Errorf("%s: %s, %q; want %q", c.name, j.state, j.why, c.want)
		}
	}
}

// TestTwice: what one run says is no faster is refuted if another says so, too; what it
// can't tell is measured for longer, unless somebody said how many samples are enough.
func TestTwice(t *testing.T) {
	report := func(v experiment.Verdict, confirmation experiment.Confirmation, change float64) *bench.Report {
		return &bench.Report{Family: &experiment.Family{Comparisons: []experiment.Comparison{{
			Key: experiment.Key{Benchmark: "B", Unit: "ns/op"}, Scale: experiment.Ratio, Change: change,
			Interval: experiment.Interval{Lo: change - 0.01, Hi: change + 0.01}, Pairs: 10, Verdict: v, Confirmation: confirmation, Gated: true,
		}}}}
	}
	same := report(experiment.NoChange, 0, 1)
	better := report(experiment.Better, experiment.Agreed, 0.9)
	worse := report(experiment.Worse, experiment.Agreed, 1.1)
	open := report(experiment.Inconclusive, 0, 0.97)
	for _, c := range []struct {
		name    string
		count   int
		reports []*bench.Report
		stages  []string
		want    advice.State
		changes int
	}{
		{"no faster, twice", 0, []*bench.Report{same, same}, []string{"measure", "measure again"}, advice.Refuted, 1},
		{"no faster, then faster", 0, []*bench.Report{same, better}, []string{"measure", "measure again"}, advice.Confirmed, 1},
		{"no faster, then who knows", 0, []*bench.Report{same, open}, []string{"measure", "measure again"}, advice.Inconclusive, 1},
		{"no faster, then not measured", 0, []*bench.Report{same, {}}, []string{"measure", "measure again"}, advice.Inconclusive, 0},
		{"faster", 0, []*bench.Report{better}, []string{"measure"}, advice.Confirmed, 1},
		{"slower", 0, []*bench.Report{worse}, []string{"measure"}, advice.Refuted, 1},
		{"who knows, then faster", 0, []*bench.Report{open, better}, []string{"measure", "measure for longer"}, advice.Confirmed, 1},
		{"who knows, then slower", 0, []*bench.Report{open, worse}, []string{"measure", "measure for longer"}, advice.Refuted, 1},
		{"who knows, then still", 0, []*bench.Report{open, open}, []string{"measure", "measure for longer"}, advice.Inconclusive, 1},
		{"who knows, of so many", 10, []*bench.Report{open}, []string{"measure"}, advice.Inconclusive, 1},
	} {
		var stages []string
		j, err := twice(c.count, func(stage string, atMost time.Duration) (judgement, error) {
			if len(stages) == len(c.reports) {
				t.Fatalf("%s: measured once too often", c.name)
			}
			if (atMost > 0) != (stage == "measure for longer") {
				t.Errorf("%s: %s takes %v", c.name, stage, atMost)
			}
			stages = append(stages, stage)
			return judge(c.reports[len(stages)-1], 0.05), nil
		})
		if err != nil || j.state != c.want || len(j.changes) != c.changes || !slices.Equal(stages, c.stages) {
			t.Errorf("%s: %s after %q, %d changes (%v)", c.name, j.state, stages, len(j.changes), err)
		}
	}
	calls := 0
	if _, err := twice(0, func(string, time.Duration) (judgement, error) {
		calls++
		return judgement{more: again}, context.Canceled
	}); err == nil || calls != 1 {
		t.Errorf("cancelled: %v after %d calls", err, calls)
	}
}

// TestJudgeClock: where CPU time decides about a benchmark, it does so about the rewrite
// or setting, and the clock that was too noisy says nothing.
func TestJudgeClock(t *testing.T) {
	wall := experiment.Comparison{Key: experiment.Key{Benchmark: "Length", Unit: "ns/op"}, Scale: experiment.Ratio, Change: 0.9, Verdict: experiment.OtherClock, JudgedBy: experiment.CPUTime}
	for _, c := range []struct {
		verdict      experiment.Verdict
		confirmation experiment.Confirmation
		change       float64
		want         advice.State
		why          string
	}{
		{experiment.Better, experiment.Agreed, 0.88, advice.Confirmed, "Length CPU time −12.0 %"},
		{experiment.Worse, experiment.Agreed, 1.12, advice.Refuted, "Length CPU time +12.0 %"},
		{experiment.Inconclusive, experiment.Disagreed, 0.95, advice.Inconclusive, "too noisy to tell"},
		{experiment.NoChange, 0, 1, advice.Refuted, "no faster"},
	} {
		cpu := experiment.Comparison{Key: experiment.Key{Benchmark: "Length", Unit: experiment.CPUTime}, Scale: experiment.Ratio, Change: c.change, Interval: experiment.Interval{Lo: c.change - 0.01, Hi: c.change + 0.01}, Verdict: c.verdict, Confirmation: c.confirmation, Gated: true}
		family := &experiment.Family{Comparisons: []experiment.Comparison{wall, cpu}}
		j := judge(&bench.Report{Family: family}, 0.1)
		if j.state != c.want || !strings.Contains(j.why, c.why) {
			t.Errorf("rewrite, CPU time %v: %s, %q; want %s, %q", c.verdict, j.state, j.why, c.want, c.why)
		}
		s := judgeSetting(family)
		if s.State != c.want || !strings.Contains(s.Why, c.why) {
			t.Errorf("setting, CPU time %v: %s, %q; want %s, %q", c.verdict, s.State, s.Why, c.want, c.why)
		}
	}
}
