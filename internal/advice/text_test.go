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
		{Bound{Time: 0.002, Error: 0.015, Speedup: 1.033}, "hardly any (0.2 ±2.9 % of the time)"},
		{Bound{Time: 0.01, Speedup: 1.0101}, "at most 1.01 times as fast (1.0 % of the time)"},
		{Bound{Time: 0.67, Error: 0.014, Speedup: 3.305}, "at most 3.31 times as fast (67.0 ±2.7 % of the time)"},
		{Bound{Time: 0.8966, GC: 0.505, Error: 0.02, Speedup: 15.6}, "at most 16 times as fast (89.7 ±3.9 % of the time: 39.2 % here, 50.5 % collecting its garbage)"},
		{Bound{Time: 0.995, Speedup: 200}, "up to nearly all of the time (99.5 %)"},
		{Bound{Time: 0.966, GC: 0.356, Error: 0.0128}, "up to nearly all of the time (96.6 ±2.5 %: 61.0 % here, 35.6 % collecting its garbage)"},
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
		_, text, _ := strings.Cut(b.String(), "\n\n") // the summary
		text, _, _ = strings.Cut(text, "\n\n")
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

// TestTogether: the sum of findings says what it leaves out. It may be less than a finding's bound, which
// includes garbage collection, and less than their shares add up to, which it says, too.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		shares [2]float64
		want   string
	}{
		{[2]float64{0.3, 0.17}, "\nall findings together: 47 % of the CPU time of Count, apart from garbage collection\n"},
		{[2]float64{0.3, 0.27}, "\nall findings together: 47 % of the CPU time of Count, apart from garbage collection; some of it belongs to several findings\n"},
	} {
		r := &Report{Together: map[string]float64{"Count": 0.47}, Findings: make([]Finding, 2)}
		for i := range r.Findings {
			r.Findings[i].File = "a.go"
			r.Findings[i].Evidence = Evidence{Subject: "Count", Subjects: []string{"Count"}, CPU: &Share{Share: c.shares[i]}}
		}
		var b strings.Builder
		if err := r.WriteText(&b, "."); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%q", b.String())
		}
	}
}
