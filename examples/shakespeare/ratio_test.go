//go:build !race

package main

import (
	"testing"

	"github.com/hone-go/hone/examples/internal/interleave"
)

// TestRatios checks what each step gives. All are timed in one run, over a part
// of the works, and half of what README.md tells is enough.
func TestRatios(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var steps []interleave.Step
	for i, c := range opened(t, 2) {
		steps = append(steps, interleave.Step{Name: versions[i].name, Run: func() {
			for _, q := range queries[:3] {
				if _, err := c(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
		}})
	}
	interleave.Check(t, steps, []interleave.Want{
		{Slow: 0, Fast: 1, AtLeast: 3},
		{Slow: 1, Fast: 2, AtLeast: 3},
		{Slow: 0, Fast: 2, AtLeast: 13},
		{Slow: 0, Fast: 3, AtLeast: 80},
	})
}
