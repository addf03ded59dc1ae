package bench

import (
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/bench/schedule"
	"github.com/hone-go/hone/internal/experiment"
)

// TestLayouts: both sides of a pair are linked in the same order, each pair in its own,
// and what is confirmed in others again.
func TestLayouts(t *testing.T) {
	long(t)
	dir := t.TempDir()
	files := allocating("10")
	files["go.mod"] = goMod
	commit(t, dir, files)
	write(t, dir, allocating("20"))
	b := &Bench{Dir: dir, Packages: []string{"./..."}, Store: t.TempDir(), Count: 6, PreCheck: 2, Benchtime: Length{Iterations: 300000}, Layouts: AllLayouts}
	report, run := against(t, b, "HEAD")
	if len(report.Changed) != 1 {
		t.Fatalf("changed: %v", report.Changed)
	}
	for phase, first := range map[experiment.Phase]int{experiment.Measure: 1, experiment.Repeat: schedule.RepeatLayouts} {
		var layouts [2][]int
		timed := 0
		for _, side := range []experiment.Side{experiment.Base, experiment.Head} {
			for _, r := range run.Results(phase, side) {
				layouts[side] = append(layouts[side], r.Layout)
				if v, ok := r.Value("user+sys-sec/op"); ok && v > 0 && v < 1e-3 {
					timed++ // but for one whose start took more than usual
				}
			}
		}
		if timed == 0 {
			t.Errorf("phase %d: CPU time of no sample", phase)
		}
		want := []int{first, first + 1, first + 2, first + 3, first + 4, first + 5}
		if !slices.Equal(layouts[0], want) || !slices.Equal(layouts[1], want) {
			t.Errorf("phase %d has layouts %v, want %v of both sides", phase, layouts, want)
		}
	}
	for _, r := range run.Results(experiment.PreCheck, experiment.Head) {
		if r.Layout != 0 {
			t.Errorf("pre-check in layout %d", r.Layout)
		}
	}
}

func TestWithLayout(t *testing.T) {
	got := withLayout([]string{"-tags=x", "-ldflags=-X main.v=1", "-pgo=off"}, 7)
	want := []string{"-tags=x", "-pgo=off", "-vet=off", "-ldflags=-X main.v=1 -w -randlayout=7"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
