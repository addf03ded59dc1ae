package rules

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestOutcomes: outcomes.txt is the sums of what was measured.
func TestOutcomes(t *testing.T) {
	f, err := os.Open("../../../bench/advice/outcomes.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type sum struct{ right, all int }
	sums := make(map[string]sum)
	for in := bufio.NewScanner(f); in.Scan(); {
		var o struct{ Rule, Outcome string }
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			t.Fatal(err)
		}
		s := sums[o.Rule]
		s.all++
		if o.Outcome == "right" {
			s.right++
		}
		sums[o.Rule] = s
	}
	if len(sums) == 0 {
		t.Fatal("there are no outcomes")
	}
	var b strings.Builder
	b.WriteString("# rule, findings that were what the author changed, all findings: sums of bench/advice/outcomes.jsonl\n")
	for _, rule := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s %d %d\n", rule, sums[rule].right, sums[rule].all)
	}
	if *update {
		if err := os.WriteFile("outcomes.txt", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != outcomes {
		t.Errorf("outcomes.txt is not the sums of outcomes.jsonl: run this test with -update")
	}
}

// TestLikely: a rule without measured findings is as likely as the average, and no rule is certain or
// impossible.
func TestLikely(t *testing.T) {
	average := Likely("no rule at all")
	if !(average > 0 && average < 1) {
		t.Errorf("on average a finding is right with probability %v", average)
	}
	above, below := 0, 0
	for _, r := range All() {
		switch p := Likely(r.ID); {
		case !(p > 0 && p < 1):
			t.Errorf("%s is right with probability %v", r.ID, p)
		case p > average:
			above++
		case p < average:
			below++
		}
	}
	if above == 0 || below == 0 {
		t.Errorf("%d rules are above average and %d below", above, below)
	}
}
