package agent

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"
)

func TestBudgetStretchesTheMostExpensive(t *testing.T) {
	type costs map[string]time.Duration
	for _, test := range []struct {
		costs costs
		want  map[string]int
	}{
		{costs{"a": 300 * time.Millisecond, "b": 300 * time.Millisecond}, map[string]int{"a": 1, "b": 1}}, // 600 ms a minute are 1 %
		{costs{"a": 900 * time.Millisecond, "b": 100 * time.Millisecond}, map[string]int{"a": 2, "b": 1}},
		{costs{"a": 10 * time.Second, "b": 100 * time.Millisecond}, map[string]int{"a": 32, "b": 1}},
		{costs{"a": time.Hour, "b": time.Hour}, map[string]int{"a": 16384, "b": 16384}},
		{costs{"a": 0}, map[string]int{"a": 1}},
	} {
		b := newBudget(0.01, time.Minute)
		for name, d := range test.costs {
			b.spent(name, d)
		}
		got := make(map[string]int)
		for name, c := range b.costs {
			got[name] = c.every
		}
		if !maps.Equal(got, test.want) {
			t.Errorf("%v: every %v, want %v", test.costs, got, test.want)
		}
	}
}

// TestBudgetIsKept simulates hours of rounds in which costs rise and fall.
func TestBudgetIsKept(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newBudget(0.01, time.Minute)
		const rounds = 2000
		base := map[string]time.Duration{}
		for i := range 6 {
			base[fmt.Sprint(i)] = time.Duration(random.ExpFloat64() * float64(500*time.Millisecond))
		}
		var total time.Duration
		uses := 0
		for range rounds {
			for name, d := range base {
				if b.due(name, 0) {
					d = time.Duration(float64(d) * (0.8 + 0.2*random.Float64()))
					b.spent(name, d)
					total += d
					uses++
				}
			}
		}
		if share := total.Seconds() / (rounds * 60); share > 0.0101 {
			t.Errorf("seed %d: %.4f of one CPU", seed, share)
		}
		if uses == 0 {
			t.Error("nothing was done")
		}
		// It gets cheap: everything is back in every round.
		for range 5000 {
			for name := range base {
				if b.due(name, 0) {
					b.spent(name, time.Millisecond)
				}
			}
		}
		for name, c := range b.costs {
			if c.every != 1 {
				t.Errorf("seed %d: %s only every %d rounds after it got cheap", seed, name, c.every)
			}
		}
	}
}

func TestBudgetForeseesGoroutines(t *testing.T) {
	b := newBudget(0.01, time.Minute)
	b.foresee("g", 1_000_000, 10*time.Microsecond) // 10 s
	if b.of("g").every != 32 {
		t.Errorf("every %d", b.of("g").every)
	}
	b.spent("g", time.Second) // it was not that bad
	b.foresee("g", 1000, 10*time.Microsecond)
	if c := b.of("g"); c.every != 1 || c.expected > 10*time.Millisecond {
		t.Errorf("every %d, expected %v", c.every, c.expected)
	}
}

func TestAgentKeepsItsBudget(t *testing.T) {
	r := newReceiver(t)
	c := testConfig(t, r.server.URL, KindHeap, KindGoroutine)
	c.Period, c.CPUDuration, c.WallDuration = 10*time.Millisecond, 1, 1
	c.Budget = 0.5
	h := testHooks
	h.cost = func(source string) time.Duration { // a heap profile costs a round and a half, which is allowed every fourth round
		if source == "memory" {
			return 15 * time.Millisecond
		}
		return time.Millisecond
	}
	a := mustStart(t, c, h)
	eventually(t, "100 goroutine profiles", func() bool { return len(r.all(KindGoroutine)) >= 100 })
	stopAgent(t, a)
	s := a.Stats()
	heaps, goroutines := len(r.all(KindHeap)), len(r.all(KindGoroutine))
	if heaps == 0 || heaps > goroutines/4+1 || s.Stretched[KindHeap] < 50 || s.Stretched[KindGoroutine] > 1 {
		t.Errorf("%d heap and %d goroutine profiles; %+v", heaps, goroutines, s)
	}
	if s.Share > 0.5 {
		t.Errorf("a share of %.2f", s.Share)
	}
}

func TestTooManyGoroutines(t *testing.T) {
	r := newReceiver(t)
	c := testConfig(t, r.server.URL, KindGoroutine, KindWall, KindHeap)
	c.MaxGoroutines = 1
	a := mustStart(t, c, testHooks)
	eventually(t, "rounds", func() bool { return len(r.all(KindHeap)) >= 3 })
	s := a.Stats()
	if n := len(r.all(KindGoroutine)) + len(r.all(KindWall)); n != 0 || s.Stretched[KindGoroutine] == 0 || s.Stretched[KindWall] == 0 {
		t.Errorf("%d profiles of %d goroutines; %+v", n, runtime.NumGoroutine(), s)
	}
}

func TestPlanIsSpreadAndNeverTwoAtOnce(t *testing.T) {
	c := Config{}.mustDefaults(t)
	a := &collector{taker: &taker{cfg: c, budget: newBudget(1e9, time.Minute)}}
	var early int
	const rounds = 2000
	for round := range rounds {
		steps := a.plan(a.wanted())
		want := 7
		if round%10 == 0 && pprof.Lookup("goroutineleak") != nil {
			want++
		}
		if len(steps) != want {
			t.Fatalf("%d steps, want %d", len(steps), want)
		}
		end := time.Duration(0)
		for _, s := range steps {
			if s.at < end {
				t.Fatalf("%s begins at %v, before %v", s.source.name, s.at, end)
			}
			end = s.at + s.source.lasts
			if s.source.name == "cpu" && s.at < 25*time.Second {
				early++
			}
			a.budget.spent(s.source.name, 0)
		}
		if end > time.Minute {
			t.Fatalf("it ends after %v", end)
		}
	}
	if early < rounds*4/10 || early > rounds*6/10 {
		t.Errorf("%d of %d CPU profiles begin in the first half", early, rounds)
	}
}

func TestOwnCPUIsMeasured(t *testing.T) {
	busy := measure(func() {
		for start := time.Now(); time.Since(start) < 30*time.Millisecond; {
			burned(1)
		}
	})
	if busy <= 0 {
		t.Errorf("work took %v of CPU time", busy)
	}
	before := processCPU()
	burned(100_000)
	for start := time.Now(); processCPU() == before && time.Since(start) < time.Minute; {
		burned(1)
	}
	if processCPU() <= before {
		t.Error("the CPU time of the process stands still")
	}
	runtime.GC()
	if one, two := collectionCPU(1_000_000), collectionCPU(2_000_000); one <= 0 || two <= one {
		t.Errorf("collecting a megabyte costs %v, two %v", one, two)
	}
	if runtime.GOOS == "linux" {
		if slept := measure(func() { time.Sleep(50 * time.Millisecond) }); slept > 40*time.Millisecond {
			t.Errorf("sleeping took %v of CPU time", slept)
		}
	}
}

func TestBudgetRarely(t *testing.T) {
	b := newBudget(1, time.Minute)
	for round := range 31 {
		due := b.due("leaks", 10)
		if want := round%10 == 0; due != want {
			t.Errorf("round %d: due %v, want %v", round, due, want)
		}
		if due {
			b.spent("leaks", time.Millisecond)
		}
		if b.stretched("leaks") {
			t.Errorf("round %d: taken to be left out for its cost", round)
		}
	}
	b.spent("leaks", time.Hour)
	if !b.stretched("leaks") || b.due("leaks", 10) {
		t.Error("it costs more than the budget allows, and is used all the same")
	}
}
