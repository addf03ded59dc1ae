package schedule

import (
	"testing"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

func TestForecast(t *testing.T) {
	var f forecast
	a, b := &benchmark{}, &benchmark{}
	f.will(samplesOf(a), 4, time.Second)
	f.will(samplesOf(b), 2, 3*time.Second)
	f.may(samplesOf(b), 0.5)
	if got := f.rest(); got != 11500*time.Millisecond || f.total() != 6 {
		t.Errorf("%v left of %d processes, want 11.5 s of 6", got, f.total())
	}
	f.done(samplesOf(a), 2*time.Second) // the guess was wrong
	if got := f.rest(); got != 13500*time.Millisecond || f.finished != 1 {
		t.Errorf("%v left after %d, want 13.5 s after 1", got, f.finished)
	}
	f.will(samplesOf(b), 4, time.Minute) // what may come, came
	if got := f.rest(); got != 3*2*time.Second+6*time.Minute {
		t.Errorf("%v left, want 6 s and six times the new guess", got)
	}
	f.never(samplesOf(b))
	for range 3 {
		f.done(samplesOf(a), 2*time.Second)
	}
	f.done(work{what: linking}, time.Second)
	if f.rest() != 0 || f.total() != 4 || f.finished != 4 {
		t.Errorf("in the end %v left, %d of %d processes", f.rest(), f.finished, f.total())
	}
}

// What may be undecided at the first look counts by its chance: samples by benchmark,
// links once for all benchmarks of a binary.
func TestExpectMore(t *testing.T) {
	targets := []*benchmark{{binary: "p"}, {binary: "p"}}
	m := &outlook{Options: &Options{Options: experiment.DefaultOptions()}, links: map[string]*links{"p": {}}}
	for _, c := range []struct {
		spread                 [2]float64
		samples, atLeast, most float64 // of the first target; links
	}{
		{[2]float64{0, 0.001}, 0, 0, 0.01},
		{[2]float64{0.2, 0.2}, 20, 10, 10},
		{[2]float64{0, 0.2}, 0, 10, 10},
	} {
		m.expectMore(targets, func(t *benchmark) experiment.Floor {
			if t == targets[0] {
				return experiment.Floor{Spread: c.spread[0]}
			}
			return experiment.Floor{Spread: c.spread[1]}
		})
		if got := m.at(samplesOf(targets[0])).more; got != c.samples {
			t.Errorf("spread %v: %v samples, want %v", c.spread, got, c.samples)
		}
		if got := m.at(linksOf("p")).more; got < c.atLeast || got > c.most {
			t.Errorf("spread %v: %v links, want %v to %v", c.spread, got, c.atLeast, c.most)
		}
	}
	if got := calibratedNoise(targets); got.Spread != 0 {
		t.Errorf("two targets tell a spread of %v", got.Spread)
	}
}
