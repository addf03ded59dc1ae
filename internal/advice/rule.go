package advice

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Rule knows one pattern that costs time or memory, and what is better. It needs
// both legs of a finding: Frames is what a profile shows below the line, Match what
// the source has on it.
type Rule struct {
	ID    string // what users see: "regexp-per-call"
	Title string // what is slow, in a few words
	// Doc says why it is slow, what to do, and where the rule keeps silent; for
	// users, in Markdown without headings.
	Doc   string
	Class Class // the best that Match offers

	// Conditions are what a rewrite needs, of rules that have one; for users.
	Conditions Conditions

	// Frames matches functions called below a line, by the names that profiles
	// have. nil asks for nothing below it: the line itself is enough.
	Frames *lazyregexp.Regexp
	// Allocates is set where a share of the bytes or objects allocated on the line
	// itself is evidence, too: heap profiles have no frames of the runtime.
	Allocates bool
	// Own is set where what the line calls is not evidence, but only what it does itself,
	// and what the runtime does for it.
	Own bool
	// Waits is set where the evidence is a mutex or block profile.
	Waits bool

	// Generic is set where the rule says no more than that something is allocated or
	// called there: of a line that another rule knows it is silent.
	Generic bool

	// Since is the go line of go.mod that the rewrite needs, "1.24"; "" if any will do.
	Since string
	// Gain is by how much an operation typically gets faster where the rewrite is
	// done, 2 for half the time. It ranks findings, and promises nothing.
	Gain float64

	// Match returns what it recognises at a site. Nodes belong to the site's files.
	Match func(*Site) []Match
	// Analyzer is the one whose reports Match takes over, where there is one; for users.
	Analyzer *analysis.Analyzer
	// Examine, of rules without Match, returns what it recognises in a program as a
	// whole: title if it is another than the rule's, reason, place if there is one,
	// evidence and bound. All else is filled in.
	Examine func(*Program) []Finding
}

// Conditions say when a rule's rewrite may be done: they end sentences for users, in Markdown.
type Conditions struct {
	Offered string // "The rewrite is offered where …": what the rule has seen to hold
	Review  string // "To review, where the rule can't see it: …", what is left to somebody where it can't be seen; "" where nothing is
}

// A Match is what a rule recognises at a site.
type Match struct {
	Node  ast.Node // the place; it decides which line is shown
	Title string   // for this place; "" is the rule's
	Why   string   // what makes it slow here, and what to do; one or two sentences
	Class Class    // 0 is the rule's
	// Frames narrows down the rule's Frames, where a match is about one of several.
	Frames *lazyregexp.Regexp
	Gain   float64 // 0 is the rule's
	// Allocated is, where a line allocates for more than one reason, the part of its
	// bytes that a match is about. 0 is all of them.
	Allocated float64

	Edits   []Edit   // the rewrite; none: advice only
	Imports []string // packages that the edits use; what they no longer use is removed
}

// An Edit replaces the source between two positions, which may be equal.
type Edit struct {
	Pos, End token.Pos
	New      string
}

// about is what a rule's match is about; m may be nil.
func (r *Rule) about(m *Match) about {
	a := about{frames: r.Frames, allocates: r.Allocates, own: r.Own}
	if m != nil {
		a.part = m.Allocated
		if m.Frames != nil {
			a.frames = m.Frames
		}
	}
	return a
}
