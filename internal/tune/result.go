package tune

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/differ"
)

// A Result is the outcome of trying a rewrite.
type Result struct {
	Finding string       `json:"finding"`
	Rule    string       `json:"rule"`
	File    string       `json:"file"`
	State   advice.State `json:"state"`
	Why     string       `json:"why"` // a sentence
	Caveat  string       `json:"caveat,omitempty"`
	// Tests is a sentence of what tests execute of the functions that change, and Coverage
	// the same in numbers. NoCoverage is why that is not known.
	Tests      string     `json:"tests,omitempty"`
	Coverage   []Coverage `json:"coverage,omitempty"`
	NoCoverage string     `json:"noCoverage,omitempty"`
	// Compared says whether exported functions return the same as before; nil if that wasn't tried.
	Compared *differ.Compared `json:"compared,omitempty"`
	Time     time.Time        `json:"time"`
	Run      string           `json:"run,omitempty"` // with the measurement
	Changes  []Change         `json:"changes,omitempty"`
	// Settings are the trials for a finding about settings of the collector.
	Settings []SettingTrial `json:"settings,omitempty"`
	Kept     bool           `json:"kept"`
	Output   string         `json:"output,omitempty"` // of a build or test that failed, its end
	Patch    string         `json:"patch,omitempty"`  // the file of the patch
}

// errNoFix: the finding is advice only.
var errNoFix = errors.New("this finding has no rewrite: change the code yourself")

// errOnlyLook: the finding only says what is known about a hot line.
var errOnlyLook = errors.New("this finding has no rewrite, only facts about a hot line: make the line run less often or do less, and measure your change with hone bench -against HEAD")

// ErrUncommitted means that the file of a rewrite has uncommitted changes.
var ErrUncommitted = errors.New("has uncommitted changes")

// ErrOutside means that a symbolic link on the way to a file leads out of the module.
var ErrOutside = errors.New("leads out of the module by a symbolic link, so it is not rewritten: others may use the file; change it where it is")

// A Benchmark is bench.ID.
type Benchmark struct{ Package, Benchmark string }

// Coverage is what tests execute of a function that a rewrite changes. Tests that pass say
// nothing of a function that none of them calls.
type Coverage struct {
	Function   string `json:"function"` // "addLine", "(*Parser).addLine"
	Statements int    `json:"statements"`
	Executed   int    `json:"executed"`
	// ChangedExecuted reports whether one of the statements that changed was executed.
	ChangedExecuted bool `json:"changedExecuted"`
}

func (c *Coverage) String() string {
	switch {
	case c.Executed == 0:
		return "no test executes " + c.Function
	case !c.ChangedExecuted:
		return fmt.Sprintf("tests execute %d of %d statements of %s, but none of those that changed", c.Executed, c.Statements, c.Function)
	}
	return fmt.Sprintf("tests execute %d of %d statements of %s", c.Executed, c.Statements, c.Function)
}

// tested says in a sentence what tests execute of what changed.
func (r *Result) tested() string {
	var parts []string
	for i := range r.Coverage {
		parts = append(parts, r.Coverage[i].String())
	}
	if len(parts) == 0 {
		return r.NoCoverage
	}
	return strings.Join(parts, "; ")
}

// untested returns the names of the changed functions that no test executes; why is set where
// that isn't known.
func (r *Result) untested() (names []string, why string) {
	for i := range r.Coverage {
		if r.Coverage[i].Executed == 0 {
			names = append(names, r.Coverage[i].Function)
		}
	}
	return names, r.NoCoverage
}

// A SettingTrial is what a setting of the collector did to benchmarks.
type SettingTrial struct {
	Setting string       `json:"setting"`         // variables of the environment: "GOGC=200"
	State   advice.State `json:"state,omitempty"` // "" if it was not tried
	Why     string       `json:"why"`
	Run     string       `json:"run,omitempty"`
	// Changes have the time of each benchmark and the largest resident set of its
	// process, in the unit experiment.PeakRSS.
	Changes []Change `json:"changes,omitempty"`
}
