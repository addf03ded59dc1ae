package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A tally counts.
type tally struct {
	fixes, known         int // commits; of these, those whose pattern is in the rules
	hits, right          int // among the first three: the place; and the reason
	knownRight           int
	frozen, rightThen    int // commits whose rules were written before hone was asked; right by these
	byWords              int // of the right ones: by the words of a hot line, which no rule knows
	mechanical, rewrote  int // commits of classes A and B; of these, those that hone rewrites for the right reason
	outcomes             []outcome
	silent, spoken, rest int // places to be silent at; spoken of; not measured
}

// judge counts a case.
func (t *tally) judge(ctx context.Context, o *options, c *testCase, m *measured) {
	found, dir, took := m.found, m.dir, m.took
	if m.err != nil {
		t.rest++
		fmt.Printf("%-28s not measured: %v (%v)\n", c.ID, m.err, took)
		return
	}
	if c.Expected != "" {
		t.judgeSilent(c, found, dir, took)
		return
	}
	t.fixes++
	t.outcomes = append(t.outcomes, c.outcomesOf(found, dir)...)
	verdict, i := c.verdict(found, c.rules, dir)
	t.count(c, verdict)
	if verdict == right && found[i].Class == "look" {
		t.byWords++
	}
	if c.Class == "A" || c.Class == "B" {
		t.mechanical++
		if verdict == right && slices.ContainsFunc(found[:min(3, len(found))], func(f finding) bool {
			return f.rewritten() && c.at(f, dir) && f.saysOneOf(c.rules)
		}) {
			t.rewrote++
		}
	}
	if c.frozen {
		t.frozen++
		if then, _ := c.verdict(found, c.rulesThen, dir); then == right {
			t.rightThen++
		}
	}
	rank := ""
	if i >= 0 {
		rank = fmt.Sprintf("#%d %s %s", i+1, found[i].ID, found[i].Class)
		if !c.changed(found[i].Function, found[i].File, found[i].Line, dir) {
			rank += " ^"
		}
	}
	fmt.Printf("%-28s %-8s %-22s %-44s of %d (%v)\n", c.ID, verdict, c.Pattern, rank, len(found), took)
	if verdict != right {
		for _, f := range found[:min(3, len(found))] {
			fmt.Printf("    %s %s:%d %s\n", f.ID, relative(dir, f.File), f.Line, f.Function)
		}
	}
	if o.gains && i >= 0 && found[i].rewritten() {
		if err := gains(ctx, o, c, found[i], dir); err != nil {
			fmt.Printf("    not measured: %v\n", err)
		}
	}
}

// Verdicts of a case.
const (
	right  = "right"   // the place, and the reason
	place  = "place"   // that alone
	tooLow = "too low" // found, but not among the first three findings
	missed = "missed"
)

// verdict judges findings by the rules that say what the author did, and returns the one
// that counts, -1 for none.
func (c *testCase) verdict(found []finding, rules []string, dir string) (verdict string, i int) {
	said := slices.IndexFunc(found, func(f finding) bool { return c.at(f, dir) && f.saysOneOf(rules) })
	at := slices.IndexFunc(found, func(f finding) bool { return c.at(f, dir) })
	switch {
	case said >= 0 && said < 3:
		return right, said
	case at >= 0 && at < 3:
		return place, at
	case at >= 0:
		return tooLow, at
	}
	return missed, -1
}

// count counts a case by its verdict.
func (t *tally) count(c *testCase, verdict string) {
	if len(c.rules) > 0 {
		t.known++
	}
	switch verdict {
	case right:
		t.hits++
		t.right++
		t.knownRight++
	case place:
		t.hits++
	}
}

func (t *tally) judgeSilent(c *testCase, found []finding, dir string, took time.Duration) {
	t.silent++
	for i, f := range found {
		if !c.same(f.File, dir) || f.Line < c.Line-1 || f.Line > c.Line+1 {
			continue
		}
		if f.rewritten() || f.saysOneOf(c.looksLike) && (c.Expected == "silent" || i < 3) {
			t.spoken++
			fmt.Printf("%-28s spoken   %-22s #%d %s %s (%v)\n", c.ID, c.LooksLike, i+1, f.ID, f.Class, took)
			return
		}
	}
	fmt.Printf("%-28s silent   %-22s of %d (%v)\n", c.ID, c.LooksLike, len(found), took)
}

func (t *tally) print() {
	fmt.Printf("\nplace and reason among the first three: %s; of patterns in the rules: %s\n", share(t.right, t.fixes), share(t.knownRight, t.known))
	fmt.Printf("of these by the words of a hot line: %s; rewritten, of edits that are mechanical: %s\n", share(t.byWords, t.right), share(t.rewrote, t.mechanical))
	fmt.Printf("the same without reasons from after hone was asked, of cases frozen before: %s\n", share(t.rightThen, t.frozen))
	fmt.Printf("place alone: %s\nspoken of though it only looks like it: %s\nnot measured: %d\n", share(t.hits, t.fixes), share(t.spoken, t.silent), t.rest)
}
