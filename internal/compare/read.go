package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchstat"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// Read reads runs and files. A name is a run below root, the directory of a run, a file in the Go
// benchmark format, or "-" for stdin. LABEL=NAME sets a label. RUN:base and RUN:head are one side
// of a run. If a run is the only name, both of its sides are read. It is an error to have no names,
// or files without results; lines that can't be read become warnings.
func Read(ctx context.Context, root string, stdin io.Reader, names []string) (*Inputs, error) {
	if len(names) == 0 {
		return nil, errors.New("no runs or files to read")
	}
	in := &Inputs{root: root, stdin: stdin, named: len(names), units: make(benchfmt.UnitMetadataMap)}
	for _, name := range names {
		some, err := in.read(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, one := range some {
			in.add(one)
		}
	}
	numberEqual(in.all)
	return in, nil
}

// add adds an input. As benchstat does it, files of one label are one column.
func (in *Inputs) add(one *input) {
	if one.explicit {
		for _, other := range in.all {
			if other.explicit && other.Label == one.Label && other.run == nil && one.run == nil {
				other.Join(&one.Column)
				other.warnings = append(other.warnings, one.warnings...)
				return
			}
		}
	}
	in.all = append(in.all, one)
}

// numberEqual tells apart columns that would be called the same, as benchstat
// does: a.txt#0, a.txt#1.
func numberEqual(inputs []*input) {
	count, next := make(map[string]int), make(map[string]int)
	for _, in := range inputs {
		if !in.explicit {
			count[in.Label]++
		}
	}
	for _, in := range inputs {
		if l := in.Label; !in.explicit && count[l] > 1 {
			in.Label = fmt.Sprintf("%s#%d", l, next[l])
			next[l]++
		}
	}
}

// read reads what one name means.
func (in *Inputs) read(ctx context.Context, name string) ([]*input, error) {
	label, explicit := name, false
	if !infile.Exists(name) && name != "-" {
		if l, rest, ok := strings.Cut(name, "="); ok {
			label, name, explicit = l, rest, true
		}
	}
	run, side, both, err := openRun(ctx, in.root, name)
	if err != nil {
		return nil, err
	}
	var some []*input
	switch {
	case run == nil:
		one, err := in.readFile(ctx, name, label)
		if err != nil {
			return nil, err
		}
		some = []*input{one}
	case both && in.named == 1 && run.Base != nil:
		some = in.bothSides(run)
	default:
		if !explicit {
			label = run.ID
			if side == experiment.Base {
				label += ":base"
			}
		}
		one := in.ofRun(run, side, label)
		if len(one.Results) == 0 {
			return nil, fmt.Errorf("run %s has no results for the side %s", run.ID, side)
		}
		some = []*input{one}
	}
	for _, one := range some {
		one.explicit = explicit
	}
	return some, nil
}

// readFile reads a file in the Go benchmark format.
func (in *Inputs) readFile(ctx context.Context, name, label string) (*input, error) {
	var r io.Reader
	if name == "-" {
		r = infile.Reader(ctx, in.stdin)
	} else {
		f, err := infile.OpenAny(ctx, name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	one := new(input)
	var err error
	if one.Column, one.warnings, err = benchstat.ReadColumn(label, name, r, in.units); err != nil {
		return nil, err
	}
	if len(one.Results) == 0 {
		why := ": no benchmark results in it"
		if gaps := one.Gaps(nil); len(gaps) > 0 {
			why += "; " + gaps[0].String()
		}
		if len(one.warnings) > 0 {
			why += "; " + one.warnings[0]
		}
		return nil, errors.New(name + why)
	}
	return one, nil
}

// bothSides returns the sides of a run that was measured with -against.
func (in *Inputs) bothSides(run *experiment.Run) []*input {
	base := in.ofRun(run, experiment.Base, sideLabel(*run.Base, "base"))
	base.warnings = nil // those of the run, which head has as well
	return []*input{base, in.ofRun(run, experiment.Head, sideLabel(run.Head, "head"))}
}

func sideLabel(r experiment.Revision, fallback string) string {
	if text := RevisionText(r); text != "-" {
		return text
	}
	return fallback
}

// ofRun returns a side of a run.
func (in *Inputs) ofRun(run *experiment.Run, side experiment.Side, label string) *input {
	for unit, metadata := range run.Units() {
		if in.units[unit] == nil {
			in.units[unit] = metadata
		}
	}
	one := &input{Column: benchstat.RunColumn(run, label, side), run: run, side: side}
	one.warnings = append(one.warnings, run.Skipped...)
	one.warnings = append(one.warnings, run.Warnings...)
	for _, p := range run.Problems {
		one.warnings = append(one.warnings, fmt.Sprintf("run %s is partial: %s", run.ID, p))
	}
	if run.State == experiment.Partial && len(run.Problems) == 0 {
		one.warnings = append(one.warnings, fmt.Sprintf("run %s was not measured to its end", run.ID))
	}
	return one
}

// runName leaves out what hosts and drives are called: ids begin with the year.
var runName = lazyregexp.New(`^(latest(~\d+)?|\d{4,}(-\w*)*)$`)

// IsRunName reports whether a name has the form of a run's: latest, latest~1, or the beginning of an
// ID. The run need not exist.
func IsRunName(name string) bool { return runName.MatchString(name) }

// Newest replaces latest, or latest~1, by the folder of that run, whatever the run has. It
// returns other names as they are. Other verbs skip runs without results, but a gate must
// not fall back to an older run because the newest one has no results. Skipped says which
// newer runs are partial.
func Newest(ctx context.Context, root, name string) (dir string, skipped []string, err error) {
	run, side, hasSide := strings.Cut(name, ":")
	if !strings.HasPrefix(run, "latest") || !IsRunName(run) || infile.Exists(name) {
		return name, nil, nil
	}
	dir, skipped, err = experiment.Resolve(ctx, root, run)
	if err == nil && hasSide {
		dir += ":" + side
	}
	return dir, skipped, err
}

// openRun opens the run that an argument names, nil if it is none. both says
// that no side of it was named.
func openRun(ctx context.Context, root, arg string) (run *experiment.Run, side experiment.Side, both bool, err error) {
	side, both = experiment.Head, true
	if arg == "-" || infile.Exists(arg) && !infile.IsDir(arg) {
		return nil, side, both, nil
	}
	name := arg
	for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
		if n, ok := strings.CutSuffix(arg, ":"+s.String()); ok && !infile.Exists(arg) {
			name, side, both = n, s, false
		}
	}
	run, err = experiment.Find(ctx, root, name, needs(side))
	if errors.As(err, new(*experiment.NoRunError)) {
		if IsRunName(name) || infile.IsDir(name) || !strings.ContainsAny(name, "./\\") {
			return nil, side, both, err
		}
		return nil, side, both, nil // a file that is not there
	}
	if err == nil && !both && run.Base == nil && side == experiment.Base {
		err = fmt.Errorf("run %s has no base: it was not measured with -against", run.ID)
	}
	return run, side, both, err
}

// needs is what latest has to have to be compared: results, or a base. A run with -against
// that found no change has one and no results.
func needs(side experiment.Side) experiment.Need {
	if side == experiment.Base {
		return experiment.Need{What: "base (hone bench -against)", In: func(r *experiment.Run) bool { return r.Base != nil }}
	}
	return experiment.Need{What: "results", In: func(r *experiment.Run) bool {
		return r.Base != nil || len(r.Results(experiment.Measure, side)) > 0
	}}
}
