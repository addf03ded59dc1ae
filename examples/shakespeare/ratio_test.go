//go:build !race

package main

import (
	"testing"

	"github.com/hone-go/hone/examples/internal/interleave"
)

// TestRatios checks what each step gives: half of what README.md tells is
// enough. The first versions are timed over one work, as they read all of them
// line by line. An index of few works has nearly as many words as lines, so the
// last step is timed over a third of the works.
func TestRatios(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Run("one work", func(t *testing.T) {
		interleave.Check(t, steps(t, 1, 3)[:3], []interleave.Want{
			{Slow: 0, Fast: 1, AtLeast: 5},
			{Slow: 1, Fast: 2, AtLeast: 4},
			{Slow: 0, Fast: 2, AtLeast: 60},
		})
	})
	t.Run("a third of the works", func(t *testing.T) {
		interleave.Check(t, steps(t, 14, len(queries))[2:], []interleave.Want{{Slow: 0, Fast: 1, AtLeast: 1.5}})
	})
}

// steps returns all versions over so many works, each asked the first questions.
func steps(t *testing.T, files, questions int) []interleave.Step {
	var all []interleave.Step
	for i, count := range opened(t, files, allLines) {
		all = append(all, interleave.Step{Name: versions[i].name, Run: func() {
			for _, q := range queries[:questions] {
				if _, err := count(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
		}})
	}
	return all
}
