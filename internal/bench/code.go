package bench

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/samecode"
	"github.com/hone-go/hone/internal/workspace"
)

// codeTimeout bounds how long hone compiles once more to compare what benchmarks run:
// as many benchmarks are measured in as much time, whatever is found.
const codeTimeout = 5 * time.Minute

// takeOutSame takes benchmarks out of a plan that run the same machine code on both
// sides, and reports them, and the changes that none of the benchmarks runs. packages
// are those whose test binaries differ. Where the code can't be compared, everything
// is measured.
func (m *planner) takeOutSame(ctx context.Context, plan *pairing, packages []string, rev *workspace.Base) error {
	if len(packages) == 0 {
		return nil
	}
	m.event(Event{Stage: "compare code"})
	limited, cancel := context.WithTimeout(ctx, codeTimeout)
	defer cancel()
	var states [2]samecode.State
	for s := range states {
		var err error
		if states[s], err = m.codeState(experiment.Side(s)); err != nil {
			return err
		}
	}
	code, err := samecode.Load(limited, states[experiment.Base], states[experiment.Head], m.BuildFlags, packages)
	if err != nil {
		if ctx.Err() == nil {
			m.found.uncompared = workspace.FirstLine([]byte(err.Error()))
		}
		return ctx.Err()
	}
	var all []samecode.Benchmark
	for _, t := range slices.Concat(plan.both, plan.head) {
		all = append(all, t.source())
	}
	changed, notRun := code.Changed(all)
	m.found.notBenchmarked, m.found.otherChanges = notRun, len(changed) > len(notRun)

	data := make(map[string][]workspace.FileChange) // by package, what its benchmarks may read
	for _, t := range plan.both {
		if _, known := data[t.Package]; !known {
			if data[t.Package], err = dataChanged(ctx, rev, t.at[experiment.Head].dir, t.at[experiment.Head].shared); err != nil {
				return err
			}
		}
	}
	var different []*target
	for _, t := range plan.both {
		same, why := code.Same(t.source().Package, t.source().Function)
		if changed := data[t.Package]; same && len(changed) > 0 {
			same, why = false, "files in its folder changed: "+listed(changed)
		}
		switch {
		case !same:
			different = append(different, t)
			if why != "" {
				m.found.measuredOnly = append(m.found.measuredOnly, experiment.Doubt{BenchmarkName: experiment.BenchmarkName(t.ID), Why: why})
			}
		default:
			m.found.sameCode = append(m.found.sameCode, t.ID)
			if m.MeasureUnchanged {
				plan.head = append(plan.head, t)
			}
		}
	}
	plan.both = different
	return nil
}

// listed names the first of some files.
func listed(changed []workspace.FileChange) string {
	const most = 3
	var names []string
	for _, c := range changed[:min(most, len(changed))] {
		names = append(names, c.String())
	}
	more := ""
	if n := len(changed) - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// source is the function that a benchmark is in.
func (t *target) source() samecode.Benchmark {
	return samecode.Benchmark{Package: t.Package, Function: topLevel("Benchmark" + t.Benchmark)}
}

// codeState is a side, with the tests that it borrows.
func (m *planner) codeState(s experiment.Side) (samecode.State, error) {
	var flags []string
	if len(m.lent[s]) > 0 {
		file := filepath.Join(m.Scratch.Path, s.String()+"-overlay.json")
		if err := gocmd.WriteOverlay(file, m.lent[s]); err != nil {
			return samecode.State{}, err
		}
		flags = []string{"-overlay=" + file}
	}
	side := m.Sides[s]
	run := func(ctx context.Context, stderr io.Writer, args ...string) ([]byte, error) {
		if args[0] == "list" {
			args = slices.Insert(slices.Clone(args), 1, flags...)
		}
		c := m.Go(side, args...)
		c.Stderr = stderr
		return c.Output(ctx)
	}
	return samecode.State{Go: run, Overlay: m.lent[s]}, nil
}
