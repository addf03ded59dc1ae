package compare

import (
	"io"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
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
	experiment.Column
	run      *experiment.Run // nil for files
	side     experiment.Side // of run
	explicit bool            // the label was given
	warnings []string
}

// A Comparison is of the first input with each of the others. It may be written
// any number of times, by one goroutine at a time.
type Comparison struct {
	inputs []*input
	tables []experiment.Table
	notes  []string // of the runs

	// Sides are the comparisons of two, in the order of the inputs; none for
	// a single input.
	Sides []*Sides
	// Warnings says what makes figures doubtful, or could not be compared, each
	// thing once. Text and CSV do not have them: who writes those tells them too.
	// They may quote files: not to be printed to a terminal as they are.
	Warnings []string
}

// Sides is a comparison of two inputs.
type Sides struct {
	base, head *input
	explained  []*explanation

	// Family is the verdicts. Who measured may put in place the one that was
	// judged meanwhile, of the same series, before anything is explained or
	// written.
	*experiment.Family

	Unmeasured []Unmeasured // of both sides
}

// Unmeasured is a gap of an input.
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
