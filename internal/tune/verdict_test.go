package tune

import (
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
)

// TestJudgeClock: where CPU time decides about a benchmark, it does so about the rewrite
// or setting, and the clock that was too noisy says nothing.
func TestJudgeClock(t *testing.T) {
	wall := experiment.Comparison{Key: experiment.Key{Benchmark: "Length", Unit: "ns/op"}, Scale: experiment.Ratio, Change: 0.9, Verdict: experiment.OtherClock, JudgedBy: experiment.CPUTime}
	for _, c := range []struct {
		verdict      experiment.Verdict
		confirmation experiment.Confirmation
		change       float64
		want         advice.State
		why          string
	}{
		{experiment.Better, experiment.Agreed, 0.88, advice.Confirmed, "Length CPU time −12.0 %"},
		{experiment.Worse, experiment.Agreed, 1.12, advice.Refuted, "Length CPU time +12.0 %"},
		{experiment.Inconclusive, experiment.Disagreed, 0.95, advice.Inconclusive, "could not tell"},
		{experiment.NoChange, 0, 1, advice.Refuted, "no faster"},
	} {
		cpu := experiment.Comparison{Key: experiment.Key{Benchmark: "Length", Unit: experiment.CPUTime}, Scale: experiment.Ratio, Change: c.change, Verdict: c.verdict, Confirmation: c.confirmation, Gated: true}
		family := &experiment.Family{Comparisons: []experiment.Comparison{wall, cpu}}
		var r Result
		judge(&r, &capture.BenchReport{Family: family})
		if r.State != c.want || !strings.Contains(r.Why, c.why) {
			t.Errorf("rewrite, CPU time %v: %s, %q; want %s, %q", c.verdict, r.State, r.Why, c.want, c.why)
		}
		var s SettingTrial
		s.judge(family)
		if s.State != c.want || !strings.Contains(s.Why, c.why) {
			t.Errorf("setting, CPU time %v: %s, %q; want %s, %q", c.verdict, s.State, s.Why, c.want, c.why)
		}
	}
}
