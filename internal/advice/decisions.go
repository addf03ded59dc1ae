package advice

import (
	"regexp"
	"slices"
	"sync"
)

// Decisions has what the compiler decided, by file and line, with its reasons: what it keeps on the
// heap, which functions and calls it doesn't inline, and which indexes it checks.
type Decisions map[lineOf][]Decision

// A Decision is what the compiler decided about something on a line.
type Decision struct {
	Kind DecisionKind
	// Text is what the compiler says: "x escapes to heap", or why a function isn't inlined. Checks
	// have none.
	Text string
	// Steps lead from a value on the heap to what keeps it, for Escapes.
	Steps []Step
}

// A DecisionKind is what a decision is about, as the compiler calls it.
type DecisionKind string

// The kinds of decisions that are kept.
const (
	Escapes            DecisionKind = "escape"
	FunctionNotInlined DecisionKind = "cannotInlineFunction" // on the line of its name
	IndexChecked       DecisionKind = "isInBounds"
	SliceChecked       DecisionKind = "isSliceInBounds"
)

// A Step is a use of a value that passes it on.
type Step struct {
	Line int
	Code string // "return &x", as the compiler writes it
	How  string // "return", "call parameter", "assign", …
}

// At returns the decisions about a line.
func (d Decisions) At(file string, line int) []Decision { return d[lineOf{file, line}] }

// Add adds a decision about a line.
func (d Decisions) Add(file string, line int, what Decision) {
	at := lineOf{file, line}
	if !slices.ContainsFunc(d[at], func(k Decision) bool { return k.Kind == what.Kind && k.Text == what.Text }) {
		d[at] = append(d[at], what)
	}
}

// flowStep matches "escflow:      from return &x (return)". Between the steps are the places that the
// value is in: "escflow:    flow: ~r0 ← &x:".
var flowStep = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^escflow:\s+from (.+) \(([^()]+)\)$`) })

// steps are the uses of a value in the order of its way to the heap.
func (r *remark) steps() (all []Step) {
	for _, i := range r.RelatedInformation {
		if m := flowStep().FindStringSubmatch(i.Message); m != nil {
			all = append(all, Step{i.Location.Range.Start.Line, m[1], m[2]})
		}
	}
	return all
}
