package tune

import (
	"bytes"
	"context"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/temporary"
)

// A Tuner tries rewrites, one after the other.
type Tuner struct {
	Dir string // a folder of the module
	// Bench is how to measure; Packages and Pattern are set for each trial.
	Bench bench.Bench
	// TestFlags go to go test, "-short" for one.
	TestFlags []string
	// Dirty allows changing files with uncommitted changes.
	Dirty bool
	// Untested allows keeping a rewrite of class A in a function that no test executes.
	Untested bool
	// CheckOnly ends a trial with Patched: nothing is measured or kept.
	CheckOnly bool
	// Stage receives what is being done. It may be nil.
	Stage func(stage, what string)

	written map[string][]byte          // files that this tuner has changed, as it left them
	first   map[string][]byte          // and as they were before; nil for those that it added
	covered map[string]packageCoverage // by package, as the source is now
}

func (t *Tuner) stage(stage, what string) {
	if t.Stage != nil {
		t.Stage(stage, what)
	}
}

// runGo runs the go command in the module, and returns all it prints.
func (t *Tuner) runGo(ctx context.Context, args ...string) ([]byte, error) {
	return gocmd.Command{Dir: t.Dir, Args: args, Run: temporary.Run}.CombinedOutput(ctx)
}

// A block is a line of a coverage profile: statements that are executed one after the other.
type block struct {
	startLine, startColumn, endLine, endColumn int
	statements                                 int
	executed                                   bool
}

type packageCoverage struct {
	blocks map[string][]block // by file
	err    error
}

// tail returns the end of what a command printed.
func tail(out []byte) string {
	const most = 2000
	out = bytes.TrimSpace(out)
	if len(out) > most {
		out = append([]byte("…"), out[len(out)-most:]...)
	}
	return string(out)
}
