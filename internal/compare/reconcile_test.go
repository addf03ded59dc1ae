package compare

import (
	"testing"

	"github.com/hone-go/hone/internal/experiment"
)

// TestReconcile checks that no row shows a change that its base and head contradict.
func TestReconcile(t *testing.T) {
	for _, tt := range []struct {
		base, head, change float64
		changed            bool
		want, verdict      string
	}{
		{3.056, 2.183, 1.5797, false, "~", "inconclusive"},
		{3.056, 2.183, 1.5797, true, "+57.97%", "slower, by pairs: the medians differ the other way"},
		{3.056, 2.183, 0.7143, true, "-28.57%", "slower"},
		{3.056, 3.056, 1.0003, false, "+0.03%", "inconclusive"},
	} {
		c := &experiment.Comparison{Change: tt.change}
		c.Base.Center, c.Head.Center = tt.base, tt.head
		r := Row{Base: Tidied(tt.base, "gcs"), Head: Tidied(tt.head, "gcs"), Change: changeText(c), changed: tt.changed, Verdict: "inconclusive"}
		if tt.changed {
			r.Verdict = "slower"
		}
		if r.reconcile(c); r.Change != tt.want || r.Verdict != tt.verdict {
			t.Errorf("%v: %s, %s", tt, r.Change, r.Verdict)
		}
	}
}
