//go:build !race

package jsonreq

import (
	"testing"

	"github.com/hone-go/hone/examples/internal/interleave"
)

// TestRatios checks what each step gives. All are timed in one run, and half
// of what README.md tells is enough: this finds a step that no longer is one,
// on any machine, and nothing smaller.
func TestRatios(t *testing.T) {
	wants := []interleave.Want{ // of places in steps
		{Slow: 0, Fast: 1, AtLeast: 1.1},
		{Slow: 1, Fast: 2, AtLeast: 1.5},
		{Slow: 0, Fast: 2, AtLeast: 1.85}, // the seed's two steps: 3.7
		{Slow: 2, Fast: 3, AtLeast: 1.4},
		{Slow: 0, Fast: 3, AtLeast: 4}, // of 8
	}
	requests := batch(10)
	var timed []interleave.Step
	for _, step := range steps {
		timed = append(timed, interleave.Step{Name: step.name, Run: func() { _, _ = step.process(requests) }})
	}
	interleave.Check(t, timed, wants)
}

// TestAllocs counts exactly. Versions that call encoding/json depend on it.
func TestAllocs(t *testing.T) {
	requests := batch(10)
	allocs := func(i int) float64 {
		return testing.AllocsPerRun(100, func() { _, _ = steps[i].process(requests) })
	}
	// The slice of responses, and each response.
	if got := allocs(3); got != 11 {
		t.Errorf("pooled: %v allocations for 10 requests, want 11", got)
	}
	for i, step := range steps[1:] {
		if before, after := allocs(i), allocs(i+1); after >= before {
			t.Errorf("%s: %v allocations, %s: %v", steps[i].name, before, step.name, after)
		}
	}
}
