package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/profile"
)

// Kept are the runs below a folder, and others given by their directories. Its
// figures are those that hone runs, compare and check print.
type Kept struct {
	root   string
	others map[string]string // directories of runs elsewhere, by ID

	empty bool // there were none when it was opened
	// The values of each run that lists need.
	medians  derived[*runMedians]
	verdicts derived[*api.RunVerdict]

	objectives func(context.Context) []objective.Objective
	load       func(file string) func(context.Context) (*profile.Profile, error)
}

// Empty reports whether there were no runs when they were opened.
func (k *Kept) Empty() bool { return k.empty }

// Open returns the runs below root, a folder that may be missing, and those in other
// directories. objectives returns the module's current objectives, or nil if there
// are none. load returns a function that loads a profile file.
func Open(ctx context.Context, root string, dirs []string, objectives func(context.Context) []objective.Objective, load func(file string) func(context.Context) (*profile.Profile, error)) (*Kept, error) {
	k := &Kept{root: root, others: make(map[string]string), objectives: objectives, load: load}
	entries, err := experiment.List(ctx, root)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		run, err := experiment.Open(ctx, dir)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(entries, func(e experiment.Entry) bool { return e.ID == run.ID }) {
			k.others[run.ID] = dir
		}
	}
	k.empty = len(entries) == 0 && len(k.others) == 0
	return k, nil
}

// entries lists all runs, newest first.
func (k *Kept) entries(ctx context.Context) ([]experiment.Entry, error) {
	all, err := experiment.List(ctx, k.root)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(k.others)) {
		below, err := experiment.List(ctx, filepath.Dir(k.others[id]))
		if err != nil {
			return nil, err
		}
		for _, e := range below {
			if filepath.Base(e.Dir) == filepath.Base(k.others[id]) {
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b experiment.Entry) int { return b.Created.Compare(a.Created) })
	return all, nil
}

// A noRunError reports an unknown name of a run.
type noRunError struct{ text string }

func (e *noRunError) Error() string { return e.text }

func (e *noRunError) Unwrap() error { return fs.ErrNotExist }

// dir returns the directory of a run by its name: an ID, or latest and the like. A
// request can't name other directories.
func (k *Kept) dir(ctx context.Context, name string) (string, error) {
	if dir, ok := k.others[name]; ok {
		return dir, nil
	}
	if strings.ContainsAny(name, `/\`) || name == "" || strings.HasPrefix(name, ".") {
		return "", &noRunError{fmt.Sprintf("invalid run name %q", name)}
	}
	if compare.IsRunName(name) {
		if dir, _, err := experiment.Resolve(ctx, k.root, name); err == nil {
			return dir, nil
		}
	}
	entries, err := experiment.List(ctx, k.root)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.ID == name {
			return e.Dir, nil
		}
	}
	return "", &noRunError{fmt.Sprintf("no run %s in %s: it may have been removed", name, k.root)}
}

// Find returns a run by its name.
func (k *Kept) Find(ctx context.Context, name string) (*experiment.Run, error) {
	dir, err := k.dir(ctx, name)
	if err != nil {
		return nil, err
	}
	return openRun(ctx, dir)
}

// openRun opens a run. Errors in its files don't mean that the run doesn't exist.
func openRun(ctx context.Context, dir string) (*experiment.Run, error) {
	run, err := experiment.Open(ctx, dir)
	var corrupt *experiment.CorruptError
	if errors.As(err, &corrupt) {
		return nil, errors.New(compare.OneLine(err))
	}
	return run, err
}

// List returns the list that hone runs prints.
func (k *Kept) List(ctx context.Context) (*api.RunList, error) {
	entries, err := k.entries(ctx)
	if err != nil {
		return nil, err
	}
	list := &api.RunList{Dir: k.root, Runs: []api.RunRow{}}
	for _, e := range entries {
		row := api.RunRow{ListedRun: api.ListedRun{ID: e.ID, Dir: e.Dir, Created: e.Created, State: e.State}, Packages: []string{}, Names: []string{}}
		if e.Info != nil {
			row.Head, row.Base, row.Command, row.Warnings = &e.Info.Head, e.Info.Base, e.Info.Command, e.Info.Warnings
			row.Took, row.Line = e.Info.Took, compare.CommandLine(row.Command)
			row.Environment, row.Revision = &e.Info.Environment, compare.RevisionsText(row.Head, row.Base)
			names, err := e.Measured(ctx)
			if err != nil {
				row.State, e.Err = experiment.Corrupt, err
			}
			row.Benchmarks = len(names)
			for _, n := range names {
				if !slices.Contains(row.Packages, n.Package) && n.Package != "" {
					row.Packages = append(row.Packages, n.Package)
				}
				row.Names = append(row.Names, n.Benchmark)
			}
		}
		if e.Err != nil {
			row.Error = compare.OneLine(e.Err)
		}
		list.Runs = append(list.Runs, row)
	}
	return list, nil
}

// Run returns a run's facts and its profiles.
func (k *Kept) Run(ctx context.Context, name string) (*api.RunAbout, error) {
	run, err := k.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	about := &api.RunAbout{
		ListedRun: api.ListedRun{
			ID: run.ID, Dir: run.Dir, Created: run.Created, State: run.State, Head: &run.Head, Base: run.Base,
			Command: run.Command, Took: run.Took,
		},
		Revision: compare.RevisionsText(&run.Head, run.Base), Environment: run.Environment,
		Notes: append(append([]string{}, run.Notes...), run.CodeNotes(false)...), Problems: append([]string{}, run.Problems...),
		Line: compare.CommandLine(run.Command), Profiles: []api.RunProfile{}, Load: run.HasLoad(),
	}
	measured := make(map[[2]string]bool)
	for _, r := range run.Results(experiment.Measure, experiment.Head) {
		measured[[2]string{r.GetConfig("pkg"), r.Result.Name.String()}] = true
	}
	about.Benchmarks = len(measured)
	for _, f := range run.Profiles() {
		about.Profiles = append(about.Profiles, api.RunProfile{
			ID: ProfileID(run, f), Package: f.Package, Benchmark: f.Benchmark, Side: f.Side.String(), Kind: f.Kind,
		})
	}
	for _, w := range slices.Concat(run.Warnings, run.Environment.Warnings()) {
		if !slices.Contains(about.Warnings, w) {
			about.Warnings = append(about.Warnings, w)
		}
	}
	return about, nil
}

// Load returns the course of a load test.
func (k *Kept) Load(ctx context.Context, name string) (*api.RunLoad, error) {
	run, err := k.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	l, err := run.Load()
	var corrupt *experiment.CorruptError
	switch {
	case errors.Is(err, experiment.ErrNoLoad):
		return nil, &noRunError{run.ID + ": " + err.Error()}
	case errors.As(err, &corrupt):
		return nil, errors.New(compare.OneLine(err))
	case err != nil:
		return nil, err
	}
	return &api.RunLoad{ID: run.ID, Load: l}, nil
}

// ProfileID returns the permanent ID of a run's profile.
func ProfileID(run *experiment.Run, f experiment.ProfileFile) string {
	return run.ID + ":" + run.ProfileName(f)
}

// Compare returns the output of hone compare.
func (k *Kept) Compare(ctx context.Context, names []string, format string) ([]byte, error) {
	args := make([]string, len(names))
	for i, name := range names {
		side := ""
		for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
			if n, ok := strings.CutSuffix(name, ":"+s.String()); ok {
				name, side = n, ":"+s.String()
			}
		}
		dir, err := k.dir(ctx, name)
		if err != nil {
			return nil, err
		}
		args[i] = dir + side
	}
	inputs, err := compare.Read(ctx, k.root, nil, args)
	if err != nil {
		return nil, err
	}
	c, err := inputs.Compare(k.objectives(ctx))
	if err != nil {
		return nil, err
	}
	if err := c.Explain(ctx, format == string(compare.HTML)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if f := compare.Format(format); f != compare.JSON {
		err = c.Write(&b, f)
		return b.Bytes(), err
	}
	shown := api.Comparison{Document: c.Document(), Shown: [][]compare.Row{}, Command: compare.CommandLine(append([]string{"hone", "compare"}, names...))}
	for _, s := range c.Sides {
		shown.Shown = append(shown.Shown, append([]compare.Row{}, s.Rows()...))
	}
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err = enc.Encode(shown)
	return b.Bytes(), err
}

// Profile returns the profile that RUN:Benchmark/kind names.
func (k *Kept) Profile(ctx context.Context, name string) (reports.Source, error) {
	id, rest, _ := strings.Cut(name, ":")
	run, err := k.Find(ctx, id)
	if err != nil {
		return reports.Source{}, err
	}
	f, err := run.Profile(rest)
	if err != nil {
		return reports.Source{}, &noRunError{err.Error()}
	}
	return Source(run, f, k.load(f.Path)), nil
}

// Source returns a profile of a run as an open profile.
func Source(run *experiment.Run, f experiment.ProfileFile, load func(context.Context) (*profile.Profile, error)) reports.Source {
	id := ProfileID(run, f)
	return reports.Source{ID: id, Name: id, Paths: []string{f.Path}, Build: buildOf(run, f), Load: load}
}

// buildOf returns what a run recorded of the code of a profile's side; nil outside a repository.
func buildOf(run *experiment.Run, f experiment.ProfileFile) *api.Build {
	of := &run.Info.Head
	if f.Side == experiment.Base {
		of = run.Info.Base
	}
	if of == nil || of.Commit == "" {
		return nil
	}
	return &api.Build{Revision: of.Commit, Modified: of.Dirty, Go: run.Info.Environment.Go}
}
