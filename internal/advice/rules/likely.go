package rules

import (
	_ "embed"
	"fmt"
	"strings"
)

// outcomes has, for each rule with findings about the commits of bench/advice, how many of them were what
// the author changed, and how many there were. TestOutcomes makes it of bench/advice/outcomes.jsonl.
//
//go:embed outcomes.txt
var outcomes string

// priorFindings is for how many findings the average of all rules counts for a rule: one with few measured
// findings is likely to be as the others are.
const priorFindings = 4

// Likely is how probable it is that a finding of a rule leads to a change that makes a program faster. It is
// the share of the rule's measured findings that did.
func Likely(rule string) float64 {
	var right, all, ruleRight, ruleAll int
	for line := range strings.Lines(outcomes) {
		var name string
		var r, n int
		if k, _ := fmt.Sscan(line, &name, &r, &n); k != 3 {
			continue // a comment
		}
		right, all = right+r, all+n
		if name == rule {
			ruleRight, ruleAll = r, n
		}
	}
	if all == 0 {
		return 1
	}
	average := float64(right) / float64(all)
	return (float64(ruleRight) + priorFindings*average) / (float64(ruleAll) + priorFindings)
}
