package compare

import (
	"io"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchstat"
)

// Inputs are runs and files as they were read, in the order of their names.
type Inputs struct {
	root  string
	stdin io.Reader
	named int // how many names they were read by
	all   []*input
	units benchfmt.UnitMetadataMap
}

// An input is one side of a comparison.
type input struct {
	benchstat.Column
	run      *experiment.Run // nil for files
	side     experiment.Side // of run
	explicit bool            // the label was given
	warnings []string
}

// A Comparison compares the first input with each of the others. It may be written several times,
// but not concurrently.
type Comparison struct {
	inputs []*input
	tables []benchstat.Table
	notes  []string // of the runs

	restored *restored // of one that was read from JSON: it has no tables

	// Sides has a comparison of the first input with each other one, in their order.
	Sides []*Sides
	// Warnings say what makes figures doubtful, and what could not be compared. Text and CSV
	// don't contain them, so callers print them as well. They may quote files: use Printable
	// for terminals.
	Warnings []string
	// Links are pages with more, for Markdown.
	Links []Link
}

// Sides is a comparison of two inputs.
type Sides struct {
	base, head *input
	explained  []*explanation

	// Family has the verdicts. Before anything is explained or written, a caller may replace it
	// by the verdicts on the same series that the measurement made.
	*experiment.Family

	Unmeasured []Unmeasured // of both sides
}

// Unmeasured is something that an input should have, but doesn't.
type Unmeasured struct {
	In string `json:"in"` // label
	experiment.Gap
}

func (u Unmeasured) String() string { return u.In + ": " + u.Gap.String() }

// eachOnce returns the strings without repetitions.
func eachOnce(all []string) []string {
	var some []string
	for _, s := range all {
		if !slices.Contains(some, s) {
			some = append(some, s)
		}
	}
	return some
}
