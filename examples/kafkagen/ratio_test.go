//go:build !race

package main

import (
	"math"
	"testing"

	"github.com/hone-go/hone/examples/internal/interleave"
)

// TestRatios checks what each step gives. All are timed in one run, and half
// of what README.md tells is enough: this finds a step that no longer is one,
// on any machine, and nothing smaller.
func TestRatios(t *testing.T) {
	wants := []interleave.Want{ // of places in versions
		{Slow: 0, Fast: 1, AtLeast: 2}, // the seed's step was worth 3.1 with a broker
		{Slow: 1, Fast: 2, AtLeast: 4},
		{Slow: 2, Fast: 3, AtLeast: 1.5},
		{Slow: 0, Fast: 3, AtLeast: 50}, // of 100
	}
	task := sampleTask(t, 5_000)
	var timed []interleave.Step
	for _, v := range versions {
		timed = append(timed, interleave.Step{Name: v.name, Run: func() { v.send(t.Context(), task, discard{}) }})
	}
	interleave.Check(t, timed, wants)
}

// TestAllocs counts exactly what the last two versions allocate for a message. The
// others depend on encoding/json, gjson and sjson.
func TestAllocs(t *testing.T) {
	allocs := func(i int) float64 { // without those before the loop, and few of the runtime's own
		count := func(devices int64) float64 {
			task := sampleTask(t, devices)
			return testing.AllocsPerRun(5, func() { versions[i].send(t.Context(), task, discard{}) })
		}
		return math.Round((count(2_000) - count(1_000)) / 1_000)
	}
	if got := allocs(2); got != 3 { // the record, its text, and the promise: a method with its receiver
		t.Errorf("split: %v allocations a message, want 3", got)
	}
	if got := allocs(3); got != 0 {
		t.Errorf("tuned: %v allocations a message, want 0", got)
	}
	for i, v := range versions[1:] {
		if before, after := allocs(i), allocs(i+1); after >= before {
			t.Errorf("%s: %v allocations a message, %s: %v", versions[i].name, before, v.name, after)
		}
	}
}
