//go:build !race

package strjoin

import (
	"runtime"
	"testing"

	"github.com/hone-go/hone/examples/internal/interleave"
)

// TestRatios checks what each step gives. All are timed in one run, and half
// of what README.md tells is enough: this finds a step that no longer is one,
// on any machine, and nothing smaller.
func TestRatios(t *testing.T) {
	wants := []interleave.Want{ // of places in steps
		{Slow: 0, Fast: 1, AtLeast: 1},
		{Slow: 1, Fast: 3, AtLeast: 1.1},
		{Slow: 0, Fast: 3, AtLeast: 1.3},
		{Slow: 0, Fast: 4, AtLeast: 1.3},
	}
	table := newTable()
	var timed []interleave.Step
	for _, step := range steps {
		timed = append(timed, interleave.Step{Name: step.name, Run: func() { step.find(table, "GET", "/users") }})
	}
	interleave.Check(t, timed, wants)
}

// TestAllocs counts exactly: for a key of 10 bytes, one of more than 32 and
// one of more than 128.
func TestAllocs(t *testing.T) {
	table := newTable()
	long := "/users/somebody-with-a-long-name"
	for i, want := range [][3]float64{
		{2, 2, 2},
		{1, 1, 1},
		{1, 1, 1},
		{0, 1, 1},
		{0, 0, 1},
	} {
		for j, path := range []string{"/users", long, longPath} {
			got := testing.AllocsPerRun(100, func() { steps[i].find(table, "GET", path) })
			if got != want[j] {
				t.Errorf("%s: %v allocations for a path of %d bytes, want %v", steps[i].name, got, len(path), want[j])
			}
		}
	}
}

// TestBytes checks how many bytes a lookup allocates.
func TestBytes(t *testing.T) {
	const calls = 10_000
	table := newTable()
	for i, want := range []uint64{48, 16, 16, 0, 0} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			steps[i].find(table, "GET", "/users")
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) / calls; got != want {
			t.Errorf("%s: %d bytes, want %d", steps[i].name, got, want)
		}
	}
}
