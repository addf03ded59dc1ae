package bench

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// budgetOf is a measurement with so much time, of targets calibrated to samples of half a
// second, but for the last, whose iterations take ten.
func budgetOf(t *testing.T, limit time.Duration, n int) (*bencher, []*target) {
	t.Helper()
	run, err := experiment.Create(t.TempDir(), experiment.Info{Base: new(experiment.Revision)})
	if err != nil {
		t.Fatal(err)
	}
	m := &bencher{Bench: &Bench{For: limit, Benchtime: Length{Duration: DefaultBenchtime}}, run: run, report: new(Report)}
	m.budget.end = time.Now().Add(limit)
	var targets []*target
	for i := range n {
		one := &target{ID: ID{"p", string(rune('A' + i))}, nanos: [2]float64{1e6, 1e6}, samples: Length{Iterations: 500}, overhead: 10 * time.Millisecond}
		if i == n-1 {
			one.nanos, one.samples.Iterations = [2]float64{1e10, 1e10}, 1
		}
		targets = append(targets, one)
	}
	return m, targets
}

func TestFit(t *testing.T) {
	const pre, first = 6, 10 // 32 samples
	for _, c := range []struct {
		limit      time.Duration
		names      string
		iterations int // of the first
		warning    string
	}{
		{time.Hour, "ABC", 500, ""},
		{4 * time.Minute, "AB", 500, "1 benchmarks: p.C"}, // no sample of C gets shorter
		{25 * time.Second, "AB", 283, "1 benchmarks: p.C"},
		{2 * time.Second, "B", 50, "2 benchmarks: p.C, p.A"},
	} {
		m, targets := budgetOf(t, c.limit, 3)
		fitting, err := m.fit(targets, pre, first)
		if err != nil {
			t.Fatal(err)
		}
		names := ""
		for _, one := range fitting {
			names += one.Benchmark
		}
		if names != c.names || fitting[0].samples.Iterations > c.iterations || fitting[0].samples.Iterations < c.iterations*9/10 {
			t.Errorf("%v: %s of %d iterations, want %s of %d or hardly fewer, as the clock runs", c.limit, names, fitting[0].samples.Iterations, c.names, c.iterations)
		}
		if err := m.run.Close(); err != nil {
			t.Fatal(err)
		}
		run, err := experiment.Open(t.Context(), m.run.Dir())
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(run.Warnings, "\n"); !strings.Contains(got, c.warning) || (c.warning == "") != (got == "") {
			t.Errorf("%v: warnings %q, want %q", c.limit, got, c.warning)
		}
	}
}

// A block begins only if there is time for all of it.
func TestMayGoOn(t *testing.T) {
	m, targets := budgetOf(t, time.Minute, 2)
	short, long := targets[0], targets[1]
	for _, one := range targets {
		m.forecast.will(sampleOf(one), 20, one.cost(one.samples))
	}
	m.budget.keep = 25 * time.Second // 35 s are left; a block of long takes 40
	for block := range 2 {
		if !m.mayGoOn(short, experiment.Measure, 4) || m.mayGoOn(long, experiment.Measure, 4) || !m.mayGoOn(long, experiment.Measure, 2) {
			t.Errorf("block %d: goes on %v and %v", block, !short.late, !long.late)
		}
	}
	m.budget.keep = 0
	if !m.mayGoOn(long, experiment.Repeat, 4) {
		t.Error("a new phase has time, but does not begin")
	}
	m.budget.end = time.Now()
	if m.mayGoOn(long, experiment.Repeat, 2) {
		t.Error("goes on when time is up")
	}
	m.budget.end = time.Time{}
	if !m.mayGoOn(long, experiment.Repeat, 4) {
		t.Error("does not go on without a limit")
	}
}

func TestConfirmable(t *testing.T) {
	m, targets := budgetOf(t, 40*time.Second, 4) // of a half second each, ten pairs take 10 s
	for _, one := range targets {
		m.forecast.will(sampleOf(one), 20, one.cost(one.samples))
	}
	f := &experiment.Family{Comparisons: []experiment.Comparison{{Key: experiment.Key{Package: "p", Benchmark: "C"}, Verdict: experiment.Worse}}}
	got, err := m.confirmable(slices.Clone(targets), f)
	if err != nil || len(got) != 3 || got[0] != targets[2] {
		t.Errorf("%d are confirmed, first %+v, %v; want the regression and two more", len(got), got[0], err)
	}
}

// The looks of a run are in it: whoever reads it comes to the same verdicts. What there is
// nothing to compare with comes last, and so takes no time from what can be compared.
func TestAgainstFor(t *testing.T) {
	dir := t.TempDir()
	files := allocating("3")
	files["go.mod"] = goMod
	commit(t, dir, files)
	write(t, dir, allocating("5"))
	write(t, dir, map[string]string{"a/new_test.go": empty("a", "New")})
	b := quickBench(t, dir)
	b.Count, b.For, b.Benchtime, b.TestFiles = 0, time.Hour, Length{Iterations: 10_000}, EachTests
	var order []string
	b.Events = func(e Event) {
		if e.Stage != "" && (len(order) == 0 || order[len(order)-1] != e.Stage+" "+e.What) {
			order = append(order, e.Stage+" "+e.What)
		}
	}
	report, run := against(t, b, "HEAD")
	procs := strconv.Itoa(runtime.GOMAXPROCS(0))
	if got, want := order[len(order)-3:], []string{"measure Make-" + procs, "confirm Make-" + procs, "measure New-" + procs}; !slices.Equal(got, want) {
		t.Errorf("at the end %q, want %q", got, want)
	}
	if !slices.ContainsFunc(report.Family.Comparisons, func(c experiment.Comparison) bool { return strings.HasPrefix(c.Benchmark, "New") }) {
		t.Errorf("New is not in the family: %+v", report.Family)
	}
	if !slices.Equal(run.Looks(), experiment.BudgetLooks) {
		t.Errorf("looks %v", run.Looks())
	}
	if len(report.Changed) != 1 || report.Timing == nil {
		t.Errorf("changed %v, timing %v", report.Changed, report.Timing)
	}

	b.For = time.Nanosecond
	if _, err := b.Against(t.Context(), "HEAD"); err == nil || !strings.Contains(err.Error(), "-for 1ns is too short") {
		t.Errorf("a nanosecond: %v", err)
	}
}

// A part of the time is kept for what comes last.
func TestBudgetKept(t *testing.T) {
	m, targets := budgetOf(t, 80*time.Second, 2)
	short, alone := targets[0], targets[1]
	m.beginBudget(&pairing{both: targets[:1], head: []*target{alone}}, 20)
	if m.budget.alone <= 0 || m.budget.alone > 10*time.Second {
		t.Errorf("kept %v of 80 s", m.budget.alone)
	}
	if _, err := m.fit([]*target{short}, 0, 10); err != nil {
		t.Fatal(err)
	}
	if m.budget.keep < m.budget.alone+15*time.Second {
		t.Errorf("kept %v, of that %v for what is measured last", m.budget.keep, m.budget.alone)
	}
	m.keepFor(experiment.Measure, nil, nil, 20)
	if m.budget.keep != m.budget.alone {
		t.Errorf("kept %v, want %v: nothing changed", m.budget.keep, m.budget.alone)
	}
}

// What took long to be seen takes long to be seen again.
func TestBudgetToConfirm(t *testing.T) {
	m, targets := budgetOf(t, time.Hour, 7)
	for _, one := range targets {
		m.forecast.will(sampleOf(one), 20, one.cost(one.samples))
	}
	changed, open := targets[0], targets[1:6]
	changed.seen = 20
	m.keepFor(experiment.Measure, []*target{changed}, nil, 40)
	if got, want := m.budget.keep, 20*m.pairCost(changed, experiment.Repeat); got != want {
		t.Errorf("kept %v for what changed after 20 pairs, want %v", got, want)
	}
	m.keepFor(experiment.Measure, []*target{changed}, []*target{changed}, 40)
	if got, want := m.budget.keep, 40*m.pairCost(changed, experiment.Repeat); got != want {
		t.Errorf("kept %v for what changed in one metric and is open in another, want %v", got, want)
	}
	m.keepFor(experiment.Measure, open[:1], nil, 40)
	if got := m.budget.keep; got != 0 {
		t.Errorf("kept %v for a change that nobody confirms", got)
	}
	var all time.Duration
	for _, one := range open {
		all += 40 * m.pairCost(one, experiment.Repeat)
	}
	m.keepFor(experiment.Measure, nil, open, 40)
	if got := m.budget.keep; got != all/4 {
		t.Errorf("kept %v for what is open, want a quarter of %v", got, all)
	}
	m.keepFor(experiment.Measure, nil, open[:1], 40)
	if got, want := m.budget.keep, 40*m.pairCost(open[0], experiment.Repeat); got != want {
		t.Errorf("kept %v for the only one that is open, want %v", got, want)
	}
}
