// Package interleave compares the steps of a worked example in a test.
package interleave

import (
	"math"
	"testing"
	"time"
)

// A Step is one version of what an example does.
type Step struct {
	Name string
	Run  func()
}

// A Want is how many times as long the step Slow has to take as the step Fast;
// both are places in a list of steps.
type Want struct {
	Slow, Fast int
	AtLeast    float64
}

const (
	turn   = 10 * time.Millisecond
	rounds = 8
	limit  = 30 * time.Second
)

// Check times steps against each other and fails the test where a ratio is
// missed. Under -short it skips.
//
// Times are of the processor where the system tells them, so that it does not
// matter who else wants it. In each round every step has a turn, forwards and
// then backwards, so that a slow phase of the machine hits all of them, and the
// best turn of each counts. A machine busy with other things gets more rounds,
// up to a limit of time: best times only get better.
func Check(t *testing.T, steps []Step, wants []Want) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes a second, or longer on a busy machine")
	}
	best := measure(steps, func(best []float64) bool {
		for _, w := range wants {
			if best[w.Slow]/best[w.Fast] < w.AtLeast {
				return false
			}
		}
		return true
	})
	for i, step := range steps {
		t.Logf("%-15s %8.0f ns, %4.1f times as fast as at first", step.Name, best[i], best[0]/best[i])
	}
	for _, w := range wants {
		if ratio := best[w.Slow] / best[w.Fast]; ratio < w.AtLeast {
			t.Errorf("%s takes %.2f times as long as %s, want %v at least", steps[w.Slow].Name, ratio, steps[w.Fast].Name, w.AtLeast)
		}
	}
}

// measure returns the best time of each step, in nanoseconds a call, once there
// were all rounds and enough is content.
func measure(steps []Step, enough func(best []float64) bool) []float64 {
	begin := time.Now()
	calls := make([]int, len(steps)) // per turn, found out once
	best := make([]float64, len(steps))
	for i, step := range steps {
		// By its own time, as turns are: this process may have to wait for a processor.
		for calls[i] = 1; ; calls[i] *= 2 {
			start := processTime()
			for range calls[i] {
				step.Run()
			}
			if processTime()-start >= turn/2 {
				break
			}
		}
		best[i] = math.Inf(+1)
	}
	takeTurn := func(i int) {
		start := processTime()
		for range calls[i] {
			steps[i].Run()
		}
		best[i] = min(best[i], float64(processTime()-start)/float64(calls[i]))
	}
	for round := 1; ; round++ {
		for i := range steps {
			takeTurn(i)
		}
		for i := len(steps) - 1; i >= 0; i-- {
			takeTurn(i)
		}
		if round >= rounds && (enough(best) || time.Since(begin) > limit) {
			return best
		}
	}
}
