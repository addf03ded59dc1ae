package stored_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/servertest"
)

// TestVerdict checks that the flame graph, the diff, the summary and the history say the same
// about a change between versions, in values per second: what more samples or more instances
// would say.
func TestVerdict(t *testing.T) {
	type instance struct{ before, after int64 } // samples of main.work per minute
	for _, tt := range []struct {
		name      string
		rest      int64 // samples of main.rest
		instances []instance
		changed   bool
	}{
		// 2000 and 2400 samples are 6 standard deviations apart, 67 and 80 per second 1.
		{"many samples", 5000, []instance{{1000, 1200}}, true},
		{"few samples", 50, []instance{{10, 12}}, false},
		// The samples differ by as much, but so do the instances of a version.
		{"instances that differ", 5000, []instance{{700, 900}, {1300, 1500}, {1000, 1200}}, false},
		{"instances that are alike", 5000, []instance{{990, 1200}, {1010, 1190}, {1000, 1210}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := servertest.NewLive(t, nil)
			for i, in := range tt.instances {
				for minute := range 4 {
					version, samples := "v1", in.before
					if minute >= 2 {
						version, samples = "v2", in.after
					}
					l.PutProfile(took(map[string]int64{"main.work": samples, "main.rest": tt.rest}), minute, 30*time.Second,
						"service", "shop", "kind", "cpu", "version", version, "instance", fmt.Sprint(i))
					l.PutProfile(took(map[string]int64{"main.work": samples, "main.rest": tt.rest}), minute, 30*time.Second,
						"service", "unversioned", "kind", "cpu", "instance", fmt.Sprint(i))
				}
			}
			side := func(version string) string {
				return servertest.Sel(servertest.Between(`cpu{service="shop",version="`+version+`"}`, 0, 10, "per", "second"))
			}
			of := "profile=" + side("v2") + "&base=" + side("v1")

			diff := servertest.Decode[struct{ Report report.Diff }](t, l.Get("/api/v1/report/diff?"+of)).Report
			i := slices.IndexFunc(diff.Rows, func(r report.DiffRow) bool { return r.Name == "main.work" })
			if i < 0 || diff.Rows[i].Noise == nil || diff.Rows[i].Noise.Flat == tt.changed || diff.Rows[i].Noise.Cum == tt.changed {
				t.Errorf("the diff has %+v", diff.Rows)
			}
			if several := len(tt.instances) > 1; several != (diff.Instances != nil) {
				t.Errorf("the diff is based on instances: %v", diff.Instances)
			}
			if len(diff.Warnings) != 0 {
				t.Errorf("the diff warns: %q", diff.Warnings)
			}

			flame := servertest.Decode[struct{ Report report.FlameWindow }](t, l.Get("/api/v1/report/flame?"+of)).Report
			if got := flameVerdict(&flame, "main.work"); got != tt.changed {
				t.Errorf("the flame graph says %v: %+v", got, flame.Frames)
			}
			if got := flameVerdict(&flame, ""); got == diff.Total.Noise {
				t.Errorf("the root of the flame graph says %v, the diff %+v", got, diff.Total)
			}

			summary := servertest.Decode[struct{ Report report.Summary }](t, l.Get("/api/v1/report/summary?"+of)).Report
			j := slices.IndexFunc(summary.Lines, func(line report.SummaryLine) bool { return line.Func == "main.work" })
			if j < 0 || summary.Lines[j].Noise == tt.changed || summary.Lines[j].Margin == nil {
				t.Errorf("the summary has %+v", summary.Lines)
			} else if m := summary.Lines[j].Margin; (m.Low > 0) != tt.changed {
				t.Errorf("the margin is %+v", m)
			}

			switch c := summary.Change; {
			case c == nil || c.Total == nil || c.Total.Margin == nil:
				t.Errorf("the summary has the change %+v", c)
			case c.Changed != diff.Changed || slices.ContainsFunc(c.Rows, func(r report.DiffRow) bool { return r.Name == "main.work" }) != tt.changed:
				t.Errorf("%d functions changed in the summary, %d in the diff: %+v", c.Changed, diff.Changed, c.Rows)
			case c.Total.Noise != (c.Total.Margin.Low <= 0):
				t.Errorf("the total is %+v, %+v", c.Total, c.Total.Margin)
			case (c.Basis == "instances") != (len(tt.instances) > 1):
				t.Errorf("the summary is based on %s", c.Basis)
			}

			for _, service := range []string{"shop", "unversioned"} {
				history := historyOf(t, l, `cpu{service="`+service+`"}`, "rank", "change")
				for _, f := range history.Functions {
					if f.Name == "main.work" && (f.Change == nil || (f.Change.Sure != 0) != tt.changed || (f.Change.Cost == 1) != tt.changed) {
						t.Errorf("the history of %s has %+v", service, f.Change)
					}
					if f.Name == "main.rest" && (f.Change == nil || f.Change.Cost != 0) {
						t.Errorf("the history of %s says that main.rest costs another amount: %+v", service, f.Change)
					}
				}
			}
		})
	}
}

// flameVerdict reports whether a page shows that a function, or the root, changed, from what it is told.
func flameVerdict(w *report.FlameWindow, function string) bool {
	at := slices.Index(w.Frames.Name, function)
	n := slices.Index(w.Nodes.Frame, int64(at)) // the root has frame -1
	base := report.Measured{Value: float64(w.Nodes.BaseTotal[n] * w.Scale), Event: w.BaseEvent}
	head := report.Measured{Value: float64(w.Nodes.Total[n] * w.Scale), Event: w.Event}
	switch f := w.Frames; {
	case f.Spread == nil:
	case at < 0:
		head.Spread, base.Spread = float64(f.RootSpread[0])/1e6, float64(f.RootSpread[1])/1e6
	default:
		head.Spread, base.Spread = float64(f.Spread[at])/1e6, float64(f.BaseSpread[at])/1e6
	}
	return report.SureChange(base, head) != 0
}

// TestSummaryOfRates checks that a summary of values per second counts the samples that were
// taken, as that of the sum does.
func TestSummaryOfRates(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for minute := range 4 {
		l.PutProfile(took(map[string]int64{"main.work": 1000, "main.rest": 5000}), minute, 30*time.Second, "service", "shop", "kind", "cpu")
	}
	summary := func(per string) report.Summary {
		sel := servertest.Sel(servertest.Between(`cpu{service="shop"}`, 0, 10, "per", per))
		return servertest.Decode[struct{ Report report.Summary }](t, l.Get("/api/v1/report/summary?profile="+sel)).Report
	}
	sum := summary("sum")
	for _, per := range []string{"second", "profile"} {
		got := summary(per)
		if got.Samples != 24_000 || sum.Samples != 24_000 || math.Abs(got.Lines[0].Margin.Low-sum.Lines[0].Margin.Low) > 1e-6 {
			t.Errorf("per %s: %d samples, %+v; of the sum: %d, %+v", per, got.Samples, got.Lines[0].Margin, sum.Samples, sum.Lines[0].Margin)
		}
	}
}
