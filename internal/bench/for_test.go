package bench

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// The looks of a run are in it: whoever reads it comes to the same verdicts. What there is
// nothing to compare with comes last, and so takes no time from what can be compared.
func TestAgainstFor(t *testing.T) {
	dir := t.TempDir()
	files := allocating("3")
	files["go.mod"] = goMod
	commit(t, dir, files)
	write(t, dir, allocating("5"))
	write(t, dir, map[string]string{"a/new_test.go": empty("a", "New")})
	b := quickBench(t, dir)
	b.Comparisons = 5
	b.Count, b.For, b.Benchtime, b.TestFiles = 0, time.Hour, Length{Iterations: 10_000}, EachTests
	var order []string
	b.Events = func(e Event) {
		if e.Stage != "" && (len(order) == 0 || order[len(order)-1] != e.Stage+" "+e.What) {
			order = append(order, e.Stage+" "+e.What)
		}
	}
	report, run := against(t, b, "HEAD")
	procs := strconv.Itoa(runtime.GOMAXPROCS(0))
	if got, want := order[len(order)-3:], []string{"measure Make-" + procs, "confirm Make-" + procs, "measure New-" + procs}; !slices.Equal(got, want) {
		t.Errorf("at the end %q, want %q", got, want)
	}
	if !slices.ContainsFunc(report.Family.Comparisons, func(c experiment.Comparison) bool { return strings.HasPrefix(c.Benchmark, "New") }) {
		t.Errorf("New is not in the family: %+v", report.Family)
	}
	if !slices.Equal(run.Looks(), experiment.BudgetLooks) {
		t.Errorf("looks %v", run.Looks())
	}
	if want := 0.05 / 5; report.Family.Alpha != want || run.Comparisons != 5 {
		t.Errorf("level %v of %d comparisons, want %v", report.Family.Alpha, run.Comparisons, want)
	}
	if len(report.Changed) != 1 || report.Timing == nil {
		t.Errorf("changed %v, timing %v", report.Changed, report.Timing)
	}

	b.For = time.Nanosecond
	if _, err := b.Against(t.Context(), "HEAD"); err == nil || !strings.Contains(err.Error(), "-for 1ns is too short") {
		t.Errorf("a nanosecond: %v", err)
	}
}
