package bench

import (
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
)

const namedLikeCounts = `package m

import "testing"

func BenchmarkSort(b *testing.B) {
	for _, size := range []string{"size-2", "size"} {
		b.Run(size, func(b *testing.B) { b.ReportMetric(float64(len(size)), "letters") })
	}
}
`

// Package testing prints size-2 on one CPU and size on two as the same name.
func TestMeasureNamesLikeCPUCounts(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "m_test.go": namedLikeCounts})
	b := quickBench(t, dir)
	b.CPU, b.Count = []int{1, 2}, 2
	report, err := b.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run, err := experiment.Open(t.Context(), report.Dir)
	if err != nil {
		t.Fatal(err)
	}
	letters := make(map[string][]float64)
	for _, s := range run.Series(experiment.Measure) {
		for _, x := range s.Samples {
			if s.Unit == "letters" {
				letters[s.Benchmark] = append(letters[s.Benchmark], x.Value)
			}
		}
	}
	for name, want := range map[string]float64{"Sort/size-2-1": 6, "Sort/size-2-2": 6, "Sort/size": 4, "Sort/size-2": 4} {
		if !slices.Equal(letters[name], []float64{want, want}) {
			t.Errorf("%s: %v, want %v twice", name, letters[name], want)
		}
	}
}
