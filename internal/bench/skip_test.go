package bench

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
)

const skipping = `package m

import "testing"

func BenchmarkA(b *testing.B) {
	b.Log("of A")
	b.Run("n=1", func(b *testing.B) {})
	b.Run("n=1000", func(b *testing.B) {
		b.Log("counting")
		b.Skip("takes a disk,\nor two")
	})
}

func BenchmarkB(b *testing.B) {
	b.Skip("not here")
}

func BenchmarkQuiet(b *testing.B) { b.SkipNow() }
`

func TestMeasureSkips(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "m_test.go": skipping})
	b := quickBench(t, dir)
	b.CPU = []int{1, 2}
	var told []string
	b.Events = func(e Event) {
		if e.Warning != "" {
			told = append(told, e.Warning)
		}
	}
	report, err := b.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Skip{
		{Package: "example.com/m", Benchmark: "A/n=1000", Why: "takes a disk,"},
		{Package: "example.com/m", Benchmark: "B", Why: "not here"},
		{Package: "example.com/m", Benchmark: "Quiet"},
	}
	if !slices.Equal(report.Skipped, want) {
		t.Errorf("skipped %+v, want %+v", report.Skipped, want)
	}
	run, err := experiment.Open(t.Context(), report.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"example.com/m.BenchmarkA/n=1000: is skipped: takes a disk,", "example.com/m.BenchmarkB: is skipped: not here", "example.com/m.BenchmarkQuiet: is skipped"} {
		if !slices.Contains(told, line) || !slices.Contains(run.Notes, line) {
			t.Errorf("%q is not in what was told, %q, or kept, %q", line, told, run.Notes)
		}
	}

	b = quickBench(t, dir)
	b.Pattern = "kB$|Quiet"
	if _, err := b.Measure(t.Context()); !errors.Is(err, ErrNoBenchmarks) || !strings.HasSuffix(err.Error(), "BenchmarkB: is skipped: not here, and 1 more") {
		t.Errorf("all are skipped: %v", err)
	}
}

// What is skipped on a side is neither new nor gone.
func TestAgainstSkips(t *testing.T) {
	dir := t.TempDir()
	commit(t, dir, map[string]string{"go.mod": goMod, "m_test.go": skipping, "b_test.go": empty("m", "Then"), "c_test.go": empty("m", "Now")})
	edits := map[string]string{"m_test.go": skipping + "\nvar changed int\n"}
	edits["b_test.go"] = strings.Replace(empty("m", "Then"), "{}", `{ b.Skip("no longer") }`, 1)
	write(t, dir, edits)
	b := quickBench(t, dir)
	b.TestFiles = EachTests
	report, _ := against(t, b, "HEAD")
	got := make(map[string]string)
	for _, s := range report.Skipped {
		got[s.Benchmark] = s.Side
	}
	if want := map[string]string{"A/n=1000": "", "B": "", "Quiet": "", "Then": "head"}; !maps.Equal(got, want) {
		t.Errorf("skipped, by side: %v, want %v", got, want)
	}
	if len(report.New)+len(report.Gone) > 0 {
		t.Errorf("new %q, gone %q", report.New, report.Gone)
	}
}
