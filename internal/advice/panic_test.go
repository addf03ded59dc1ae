package advice

import (
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// TestRulePanics: a rule that panics is named, and what other rules find is still there.
func TestRulePanics(t *testing.T) {
	sound := &Rule{ID: "sound", Frames: lazyregexp.New(`^lib\.slow$`), Match: FromAnalyzer(fastFor("fast"), "slow is slow.", nil), Class: Safe}
	var none []int
	for name, c := range map[string]struct {
		rule *Rule
		want string
	}{
		"at a line": {
			&Rule{Match: func(*Site) []Match { return []Match{{}, {}}[none[0]:] }},
			"rule broken panicked (p.go:8): runtime error: index out of range [0] with length 0: please report this",
		},
		"at a program": {
			&Rule{Examine: func(*Program) []Finding { panic("no") }},
			"rule broken panicked (a profile): no: please report this",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.rule.ID = "broken"
			report := examineWith(t, "go1.24", c.rule, sound)
			if len(report.Findings) != 1 || report.Findings[0].Rule != "sound" || report.Findings[0].Fix == nil {
				t.Errorf("findings %+v, want that of the sound rule", report.Findings)
			}
			if !slices.Contains(report.Unexamined, c.want) {
				t.Errorf("not examined: %q, want %q", report.Unexamined, c.want)
			}
		})
	}
}
