package advice

import (
	"strings"
	"testing"
)

func TestBoundString(t *testing.T) {
	for _, c := range []struct {
		bound Bound
		want  string
	}{
		{Bound{Time: 0.0001, Speedup: 1.0001}, ""},
		{Bound{Time: 0.002, Error: 0.015, Speedup: 1.002}, "hardly faster without it (0.2 ±1.5 % of the time"},
		{Bound{Time: 0.01, Speedup: 1.0101}, "at most 1.01 times as fast without it (1.0 % of the time"},
		{Bound{Time: 0.67, Error: 0.014, Speedup: 3.0303}, "at most 3.03 times as fast without it (67.0 ±1.4 % of the time"},
		{Bound{Time: 0.995, Speedup: 200}, "affects nearly all of the time (99.5 %)"},
	} {
		if got := c.bound.String(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", c.bound, got, c.want)
		}
	}
}

// TestTextRewrite: a finding says its class, and what to do: apply the rewrite, review it
// too, measure settings, or read why there is none.
func TestTextRewrite(t *testing.T) {
	fix := &Fix{Diff: "--- a/p.go\n+++ b/p.go\n@@ -1 +1 @@\n-slow\n+fast\n"}
	for _, c := range []struct {
		finding Finding
		last    string
	}{
		{Finding{Class: Safe, Fix: fix}, "hone fix slow-1    tests it and keeps it if it is faster"},
		{Finding{Class: Review, Fix: fix}, "hone fix slow-1    tests it and keeps it if it is faster (review the change)"},
		{Finding{Class: AdviceOnly, Try: BySetting}, "hone fix slow-1    measures garbage collector settings; changes no files"},
		{Finding{Class: AdviceOnly}, "no rewrite here; see hone advise -explain slow"},
	} {
		f := c.finding
		f.ID, f.Rule, f.Title, f.Why = "slow-1", "slow", "it is slow", "Because."
		var b strings.Builder
		if err := (&Report{Findings: []Finding{f}}).WriteText(&b, "/src"); err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(b.String(), "\n\n")
		if first := "slow-1  it is slow (class " + f.Class.String() + ")\n"; !strings.HasPrefix(text, first) || !strings.HasSuffix(text, "\n    "+c.last) {
			t.Errorf("want %q at the start, and %q at the end of\n%s", first, c.last, text)
		}
	}
}

// TestExplanation: several conditions are a list, not a sentence with semicolons.
func TestExplanation(t *testing.T) {
	r := Rule{Doc: "Slow."}
	r.Conditions.Offered, r.Conditions.Review = "a holds; b holds", "c holds; d holds"
	const want = "Slow.\n\nThe rewrite is offered if a holds, and b holds.\n\n" +
		"The rewrite needs review (class B) unless the rule can tell all of this:\n\n- c holds\n- d holds\n"
	if got := r.Explanation(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Conditions.Review = "c holds"
	if got := r.Explanation(); !strings.HasSuffix(got, "unless the rule can tell that c holds.\n") {
		t.Errorf("%q", got)
	}
}

// TestTogether: the sum of overlapping findings says what it leaves out. It may be less than a
// finding's bound, which includes garbage collection.
func TestTogether(t *testing.T) {
	r := &Report{Together: map[string]float64{"Count": 0.47}, Findings: make([]Finding, 2)}
	for i := range r.Findings {
		r.Findings[i].Evidence.Subjects = []string{"Count"}
	}
	var b strings.Builder
	if err := r.WriteText(&b, "."); err != nil {
		t.Fatal(err)
	}
	if want := "\ntogether 47 % of the CPU time of Count, without garbage collection (findings overlap)\n"; !strings.Contains(b.String(), want) {
		t.Errorf("%q", b.String())
	}
}
