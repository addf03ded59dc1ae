//go:build !race

package main

import (
	"testing"

	"github.com/hone-go/hone/examples/internal/interleave"
)

// TestRatios checks what each step gives. All are timed in one run, and half
// of what README.md tells is enough: this finds a step that no longer is one,
// on any machine, and nothing smaller.
func TestRatios(t *testing.T) {
	wants := []interleave.Want{ // of places in steps
		{Slow: 0, Fast: 1, AtLeast: 2.5},
		{Slow: 1, Fast: 3, AtLeast: 1.2}, // the header and Fprintf are too little to tell on their own
		{Slow: 0, Fast: 3, AtLeast: 6.5}, // of 13
		{Slow: 3, Fast: 4, AtLeast: 1.4},
		{Slow: 0, Fast: 4, AtLeast: 13},
	}
	visits.Store(firstVisit)
	w, r := newDiscard(), request("?color=teal")
	var timed []interleave.Step
	for _, step := range steps {
		timed = append(timed, interleave.Step{Name: step.name, Run: func() { step.greet(w, r) }})
	}
	interleave.Check(t, timed, wants)
}

// TestAllocs counts exactly. The first version depends on package regexp.
func TestAllocs(t *testing.T) {
	w, r := newDiscard(), request("?color=teal")
	visits.Store(firstVisit)
	for i, want := range []float64{
		1: 4, // the header's value, the number in an interface and as text, the body
		2: 2, // Fprintf's arguments
		3: 0,
		4: 0,
	} {
		got := testing.AllocsPerRun(1_000, func() { steps[i].greet(w, r) })
		if i == 0 {
			if got < 10 {
				t.Errorf("%s: %v allocations; has regexp learnt to cache?", steps[i].name, got)
			}
		} else if got != want {
			t.Errorf("%s: %v allocations, want %v", steps[i].name, got, want)
		}
	}
}
