package advice

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Rule knows one pattern that costs time or memory, and what is better. Frames is what a profile
// shows below the line, and Match what the source has on it; a finding needs both.
type Rule struct {
	ID    string // what users see: "regexp-per-call"
	Title string // what is slow, in a few words
	// Doc says why the pattern is slow, what to do, and what isn't reported. It is for users, in
	// Markdown without headings.
	Doc   string
	Class Class // the best that Match offers

	// Conditions, for rules with rewrites, are what a rewrite needs. They are for users.
	Conditions Conditions

	// Frames matches functions below a line, by their names in profiles. With nil, the line itself is
	// enough.
	Frames *lazyregexp.Regexp
	// Except matches functions below those of Frames that do work which stays after a change, such as a
	// method of an argument. With it, the user's own code further down doesn't count either.
	Except *lazyregexp.Regexp
	// Allocates means that a share of the bytes or objects allocated by the line itself is evidence,
	// too: heap profiles have no frames of the runtime.
	Allocates bool
	// Own means that only the line's own work, and the runtime's for it, is evidence, not what the
	// line calls.
	Own bool
	// Waits means that the evidence is a mutex or block profile. AlsoWaits means that one is evidence, too.
	Waits, AlsoWaits bool
	// Holds means that the evidence is the heap in use: what the line, and functions that it calls,
	// allocated and the program still refers to.
	Holds bool

	// Generic means that the rule only says that something is allocated or called there. Other rules
	// about the same line take precedence.
	Generic bool

	// Rest means that the rule only looks at lines on which no other rule reports anything, and only at
	// what a line itself runs: what it does and what it calls, up to the next line of the user's. Its
	// findings are of class Look.
	Rest bool
	// Facts, for rules with Rest, returns sentences about a line on which another rule reports a finding: what that
	// doesn't say.
	Facts func(*Site, *Finding) []string

	// Since is the go line of go.mod that the rewrite needs, such as "1.24"; "" for any.
	Since string
	// Gain is how much faster an operation typically gets with the rewrite, 2 for half the time. It
	// ranks findings and isn't a promise.
	Gain float64

	// Match returns the patterns at a site. Nodes belong to the site's files.
	Match func(*Site) []Match
	// Analyzer is the analyzer whose reports Match uses, if any. It is for users.
	Analyzer *analysis.Analyzer
	// Examine, for rules without Match, returns what it finds in a program as a whole: the title if it
	// differs from the rule's, reason, place if there is one, evidence and bound. The rest is filled
	// in.
	Examine func(*Program) []Finding
}

// Conditions say when a rewrite is possible, as the ends of sentences for users, in Markdown.
type Conditions struct {
	Offered string // "The rewrite is offered if …": what the rule has verified
	Review  string // "The rewrite needs review (class B) unless the rule can tell that …", several separated by "; "; "" if it never needs review
}

// Explanation is what users read of a rule, in Markdown: its Doc, and what its rewrite needs.
func (r *Rule) Explanation() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(r.Doc) + "\n")
	if r.Conditions.Offered != "" {
		fmt.Fprintf(&b, "\nThe rewrite is offered if %s.\n", strings.ReplaceAll(r.Conditions.Offered, "; ", ", and "))
	}
	unless, which := "The rewrite needs review (class B) unless the rule can tell", " all of this:"
	if r.Class == Review {
		unless, which = "The rewrite needs review (class B): check", " what the finding names of this:"
	}
	if all := strings.Split(r.Conditions.Review, "; "); len(all) > 1 {
		fmt.Fprintf(&b, "\n%s%s\n\n", unless, which)
		for _, condition := range all {
			fmt.Fprintf(&b, "- %s\n", condition)
		}
	} else if all[0] != "" {
		fmt.Fprintf(&b, "\n%s that %s.\n", unless, all[0])
	}
	if a := r.Analyzer; a != nil {
		fmt.Fprintf(&b, "\nThe pattern and the rewrite are those of the analyzer [%s](%s); what is found elsewhere than on a hot line is not reported.\n", a.Name, a.URL)
	}
	if r.Since != "" {
		fmt.Fprintf(&b, "\nThe rewrite needs go %s in go.mod.\n", r.Since)
	}
	return b.String()
}

// A Match is a pattern that a rule found at a site.
type Match struct {
	Node  ast.Node // the place; it decides which line is shown
	Title string   // for this place; "" is the rule's
	Why   string   // what makes it slow here, and what to do; one or two sentences
	Class Class    // 0 is the rule's
	// Frames narrows the rule's Frames, if a match is only about one of several functions.
	Frames *lazyregexp.Regexp
	Gain   float64 // 0 is the rule's
	// Allocated is the share of the line's allocated bytes that the match is about, if the line
	// allocates for several reasons. 0 means all.
	Allocated float64

	// Blocks, for rules with Holds, says which of the blocks that the line itself allocated the match is about, by
	// their size. nil means all, also those of functions that it calls, which Frames narrows. Saves is the share of their bytes that
	// the change saves at most. 0 means all.
	Blocks func(size int64) bool
	Saves  float64

	// Since is the go line that the change needs, by hand or as a rewrite. "" is the rule's for a rewrite, and any for a
	// change by hand.
	Since   string
	Edits   []Edit   // the rewrite; none: advice only
	Imports []string // packages that the edits use; what they no longer use is removed
	Adds    []NewFile
}

// A NewFile is a file that a rewrite adds to the folder of the file that it changes, such as a test.
type NewFile struct{ Name, Text string }

// An Edit replaces the source between two positions, which may be equal.
type Edit struct {
	Pos, End token.Pos
	New      string
}

// about returns the part of a line's values that a match is about; m may be nil.
func (r *Rule) about(m *Match) about {
	a := about{frames: r.Frames, allocates: r.Allocates, own: r.Own, folded: r.Rest, except: r.Except}
	if m != nil {
		a.part = m.Allocated
		if m.Frames != nil {
			a.frames = m.Frames
		}
	}
	return a
}
