package reports_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/servertest"
)

// figures are what a report of a comparison says of a function: by how much it
// changed itself, and with all it calls.
type figures struct{ flat, cum int64 }

// TestFiguresOfOneComparison asks every report for the same comparison. What one
// says of a function, the others have to say, too.
func TestFiguresOfOneComparison(t *testing.T) {
	for _, kind := range []string{"cpu", "allocs"} {
		s := servertest.NewSite(t, nil, kind+".wordcount-v2.pb.gz", kind+".wordcount-v1.pb.gz")
		for _, options := range []string{
			"", "normalize=1", "normalize=1&base_total=1.7", "sample_index=0&normalize=1", "focus=main", "focus=main&normalize=1",
			"focus=main&normalize=1&base_total=0.4", "ignore=mallocgc&relative_percentages=1&normalize=1", "ignore=gc",
		} {
			t.Run(kind+" "+options, func(t *testing.T) {
				site := *s
				site.T = t
				compareFigures(t, &site, options+"&base="+s.IDs[1])
			})
		}
	}
}

func compareFigures(t *testing.T, s *servertest.Site, options string) {
	const whole = "&nodecount=0&trim=false&limit=0"
	diff := servertest.Decode[struct{ Report report.Diff }](t, s.Get(s.Report("diff", options+whole))).Report
	// What percentages in flame graphs are of, those in tables have to be of, too.
	flame := servertest.Decode[struct{ Report report.FlameWindow }](t, s.Get(s.Report("flame", options))).Report
	all := flame.Whole.Base
	share := func(name string, q report.Quantity) {
		t.Helper()
		if want := 100 * float64(q.Value) / float64(all); math.Abs(q.Percent-want) > 0.001*math.Abs(want)+0.001 {
			t.Errorf("%s: %d is %v%%, want %v%% of what there was", name, q.Value, q.Percent, want)
		}
	}
	top := servertest.Decode[struct{ Report report.Top }](t, s.Get(s.Report("top", options+whole))).Report
	want := map[string]figures{}
	for _, r := range top.Rows {
		want[r.Name] = figures{r.Flat.Value, r.Cum.Value}
		share(r.Name, r.Flat)
		share(r.Name, r.Cum)
	}
	if len(diff.Rows) < 5 || len(want) < 5 {
		t.Fatalf("%d functions in top, %d in diff", len(want), len(diff.Rows))
	}
	same := func(name, report string, got figures) {
		t.Helper()
		// Tables scale sample by sample, the others sums.
		near := func(a, b int64) bool { return math.Abs(float64(a-b)) <= 0.01*math.Abs(float64(b))+3 }
		if w := want[name]; !near(got.flat, w.flat) || !near(got.cum, w.cum) {
			t.Errorf("%s: %s has %+v, top %+v", name, report, got, w)
		}
	}
	for i := range diff.Rows {
		r := &diff.Rows[i]
		same(r.Name, "diff", figures{r.Flat.Delta, r.Cum.Delta})
	}
	names := slices.SortedFunc(maps.Keys(want), func(a, b string) int {
		size := func(f figures) int64 { return max(f.cum, -f.cum) + max(f.flat, -f.flat) }
		return cmp.Or(cmp.Compare(size(want[b]), size(want[a])), cmp.Compare(a, b))
	})
	for _, name := range names[:min(len(names), 12)] {
		match := "&match=" + url.QueryEscape("^"+regexp.QuoteMeta(name)+"$")
		peek := servertest.Decode[struct{ Report report.Tree }](t, s.Get(s.Report("peek", options+match))).Report
		for _, r := range peek.Rows {
			if r.Name == name {
				same(name, "peek", figures{r.Flat.Value, r.Cum.Value})
				share(name, r.Cum)
			}
		}
		// A function has a listing for each place that its code is in.
		source := servertest.Decode[struct{ Report report.WebListing }](t, s.Get(s.Report("source", options+match))).Report
		var listed figures
		for _, f := range source.Funcs {
			listed.flat, listed.cum = listed.flat+f.Flat.Value, listed.cum+f.Cum.Value
			share(name, f.Cum)
		}
		same(name, "source", listed)
		same(name, "flame", flameFigures(t, s, options, name))
	}
}

// flameFigures are those of the stacks with a function, as a flame graph of them
// has them, whichever side frames are as wide as.
func flameFigures(t *testing.T, s *servertest.Site, options, name string) (both figures) {
	t.Helper()
	for _, widths := range []string{"both", "head", "base"} {
		query := fmt.Sprintf("%s&width=65536&widths=%s&pivot=%s", options, widths, url.QueryEscape(name))
		w := servertest.Decode[struct{ Report report.FlameWindow }](t, s.Get(s.Report("flame", query))).Report
		n := &w.Nodes
		change := func(head, base int64) int64 {
			return head*w.Scale - int64(math.Round(float64(base*w.Scale)*w.BaseScale))
		}
		cum := change(n.Total[0], n.BaseTotal[0])
		if widths != "both" {
			if cum != both.cum {
				t.Errorf("%s: %d as wide as %s, %d as wide as both", name, cum, widths, both.cum)
			}
			continue // what the other side has has no width: its own values are not all here
		}
		var self, baseSelf int64
		for i, frame := range n.Frame {
			if frame >= 0 && w.Frames.Name[frame] == name {
				self, baseSelf = self+n.Self[i], baseSelf+n.BaseSelf[i]
			}
		}
		both = figures{change(self, baseSelf), cum}
	}
	return both
}
