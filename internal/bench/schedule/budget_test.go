package schedule

import (
	"slices"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

var begin = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// outlookOf is an outlook with so much time, and benchmarks calibrated to samples of half a
// second, but for the last, whose iterations take ten.
func outlookOf(limit time.Duration, n int) (*outlook, []*benchmark) {
	o := &outlook{Options: &Options{Options: experiment.DefaultOptions(), For: limit, Benchtime: Length{Duration: time.Second / 2}}, end: begin.Add(limit)}
	var some []*benchmark
	for i := range n {
		one := &benchmark{ID: ID{"p", string(rune('A' + i))}, samples: Length{Iterations: 500}, costs: Costs{Nanos: [2]float64{1e6, 1e6}, Overhead: 10 * time.Millisecond}}
		if i == n-1 {
			one.costs.Nanos, one.samples.Iterations = [2]float64{1e10, 1e10}, 1
		}
		some = append(some, one)
	}
	return o, some
}

func TestFit(t *testing.T) {
	const pre, first = 6, 10 // 32 samples
	for _, c := range []struct {
		limit      time.Duration
		names      string
		iterations int // of the first
		told       []Step
	}{
		{time.Hour, "ABC", 500, nil},
		{4 * time.Minute, "AB", 500, []Step{Warn{"-for 4m0s is too short to measure 1 benchmark: p.C"}}}, // no sample of C gets shorter
		{25 * time.Second, "AB", 262, []Step{
			Warn{"-for 25s is too short to measure 1 benchmark: p.C"},
			Note{"each sample takes 263ms, to fit in -for 25s"},
		}},
		{2 * time.Second, "B", 50, []Step{
			Warn{"-for 2s is too short to measure 2 benchmarks: p.C, p.A"},
			Note{"each sample takes 50ms, to fit in -for 2s"},
		}},
	} {
		o, some := outlookOf(c.limit, 3)
		fitting, told := o.fit(begin, some, pre, first)
		names := ""
		for _, one := range fitting {
			names += one.Benchmark
		}
		if names != c.names || fitting[0].samples.Iterations != c.iterations {
			t.Errorf("%v: %s of %d iterations, want %s of %d", c.limit, names, fitting[0].samples.Iterations, c.names, c.iterations)
		}
		if !slices.Equal(told, c.told) {
			t.Errorf("%v: told %q, want %q", c.limit, told, c.told)
		}
	}
}

// A block begins only if there is time for all of it.
func TestMayGoOn(t *testing.T) {
	m, targets := outlookOf(time.Minute, 2)
	short, long, now := targets[0], targets[1], begin
	for _, one := range targets {
		m.will(samplesOf(one), 20, one.takes(one.samples))
	}
	m.keep = 25 * time.Second // 35 s are left; a block of long takes 40
	for block := range 2 {
		if !m.allowsBlock(now, short, experiment.Measure, 4) || m.allowsBlock(now, long, experiment.Measure, 4) || !m.allowsBlock(now, long, experiment.Measure, 2) {
			t.Errorf("block %d: it goes on with the wrong ones", block)
		}
	}
	m.keep = 0
	if !m.allowsBlock(now, long, experiment.Repeat, 4) {
		t.Error("a new phase has time, but does not begin")
	}
	now = m.end
	if m.allowsBlock(now, long, experiment.Repeat, 2) {
		t.Error("goes on when time is up")
	}
	m.end = time.Time{}
	if !m.allowsBlock(now, long, experiment.Repeat, 4) {
		t.Error("does not go on without a limit")
	}
}

func TestConfirmable(t *testing.T) {
	m, targets := outlookOf(40*time.Second, 4) // of a half second each, ten pairs take 10 s
	for _, one := range targets {
		m.will(samplesOf(one), 20, one.takes(one.samples))
	}
	got, told := m.confirmable(begin, targets, map[ID]bool{targets[2].ID: true})
	if len(got) != 3 || got[0] != targets[2] || len(told) != 1 {
		t.Errorf("%d are confirmed, first %+v, told %q; want the regression and two more", len(got), got[0], told)
	}
}

// A part of the time is kept for what comes last.
func TestBudgetKept(t *testing.T) {
	m, targets := outlookOf(80*time.Second, 2)
	short := targets[0]
	m.begin(begin, 1, 1, 20)
	if m.alone <= 0 || m.alone > 10*time.Second {
		t.Errorf("kept %v of 80 s", m.alone)
	}
	m.fit(begin, []*benchmark{short}, 0, 10)
	if m.keep < m.alone+15*time.Second {
		t.Errorf("kept %v, of that %v for what is measured last", m.keep, m.alone)
	}
	m.keepFor(begin, experiment.Measure, nil, nil, 20)
	if m.keep != m.alone {
		t.Errorf("kept %v, want %v: nothing changed", m.keep, m.alone)
	}
}

// What took long to be seen takes long to be seen again.
func TestBudgetToConfirm(t *testing.T) {
	m, targets := outlookOf(time.Hour, 7)
	for _, one := range targets {
		m.will(samplesOf(one), 20, one.takes(one.samples))
	}
	changed, open := targets[0], targets[1:6]
	changed.seen = 20
	m.keepFor(begin, experiment.Measure, []*benchmark{changed}, nil, 40)
	if got, want := m.keep, 20*m.pairCost(changed, experiment.Repeat); got != want {
		t.Errorf("kept %v for what changed after 20 pairs, want %v", got, want)
	}
	m.keepFor(begin, experiment.Measure, []*benchmark{changed}, []*benchmark{changed}, 40)
	if got, want := m.keep, 40*m.pairCost(changed, experiment.Repeat); got != want {
		t.Errorf("kept %v for what changed in one metric and is open in another, want %v", got, want)
	}
	m.keepFor(begin, experiment.Measure, open[:1], nil, 40)
	if got := m.keep; got != 0 {
		t.Errorf("kept %v for a change that nobody confirms", got)
	}
	var all time.Duration
	for _, one := range open {
		all += 40 * m.pairCost(one, experiment.Repeat)
	}
	m.keepFor(begin, experiment.Measure, nil, open, 40)
	if got := m.keep; got != all/4 {
		t.Errorf("kept %v for what is open, want a quarter of %v", got, all)
	}
	m.keepFor(begin, experiment.Measure, nil, open[:1], 40)
	if got, want := m.keep, 40*m.pairCost(open[0], experiment.Repeat); got != want {
		t.Errorf("kept %v for the only one that is open, want %v", got, want)
	}
}
