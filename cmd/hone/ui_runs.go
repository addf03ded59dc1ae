package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/shell"
)

// keptRuns shows the web UI runs: those below root, and others by their
// directories. Every figure is one that the verbs runs, compare and check print.
type keptRuns struct {
	a      *app
	inv    *shell.Invocation
	compat bool
	root   string
	others map[string]string // directories of runs elsewhere, by id

	medians medianCache
}

// newKeptRuns returns the runs that a UI shows, nil if there are none: those below
// root, and those that the command line names.
func (a *app) newKeptRuns(inv *shell.Invocation, compat bool, root string) (*keptRuns, error) {
	k := &keptRuns{a: a, inv: inv, compat: compat, root: root, others: make(map[string]string)}
	entries, err := experiment.List(root)
	if err != nil {
		return nil, err
	}
	dirs, _ := uiRunDirs(root, inv.Sources)
	for _, dir := range dirs {
		run, err := experiment.Open(dir)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(entries, func(e experiment.Entry) bool { return e.ID == run.ID }) {
			k.others[run.ID] = dir
		}
	}
	if len(entries) == 0 && len(k.others) == 0 {
		return nil, nil
	}
	return k, nil
}

// entries lists all runs, newest first.
func (k *keptRuns) entries() ([]experiment.Entry, error) {
	all, err := experiment.List(k.root)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(k.others)) {
		below, err := experiment.List(filepath.Dir(k.others[id]))
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

// A noRunError says that a name means no run.
type noRunError struct{ text string }

func (e *noRunError) Error() string { return e.text }
func (e *noRunError) Unwrap() error { return fs.ErrNotExist }

// dir returns the directory of a run by its name, which is an id or latest and
// the like: a page can't name other directories.
func (k *keptRuns) dir(name string) (string, error) {
	if dir, ok := k.others[name]; ok {
		return dir, nil
	}
	if strings.ContainsAny(name, `/\`) || name == "" || strings.HasPrefix(name, ".") {
		return "", &noRunError{fmt.Sprintf("no run is called %q", name)}
	}
	if compare.LikeRun(name) {
		if dir, err := experiment.Resolve(k.root, name); err == nil {
			return dir, nil
		}
	}
	entries, err := experiment.List(k.root)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.ID == name {
			return e.Dir, nil
		}
	}
	return "", &noRunError{fmt.Sprintf("there is no run %s in %s: it may have been removed", name, k.root)}
}

func (k *keptRuns) open(name string) (*experiment.Run, error) {
	dir, err := k.dir(name)
	if err != nil {
		return nil, err
	}
	return openKept(dir)
}

// openKept opens a run. What is wrong with its files is an error of the run, not
// that there is none.
func openKept(dir string) (*experiment.Run, error) {
	run, err := experiment.Open(dir)
	var corrupt *experiment.CorruptError
	if errors.As(err, &corrupt) {
		return nil, errors.New(oneLine(err))
	}
	return run, err
}

// A runRow is a run in the list, as doc/api.md describes it.
type runRow struct {
	listedRun
	Packages    []string                `json:"packages"`
	Names       []string                `json:"names"` // of benchmarks, without their packages
	Revision    string                  `json:"revision"`
	Environment *experiment.Environment `json:"environment,omitempty"`
}

type runList struct {
	Dir  string   `json:"dir"`
	Runs []runRow `json:"runs"`
}

// List is that of hone runs.
func (k *keptRuns) List(context.Context) (any, error) {
	entries, err := k.entries()
	if err != nil {
		return nil, err
	}
	list := runList{Dir: k.root, Runs: []runRow{}}
	for _, e := range entries {
		row := runRow{listedRun: listedRun{ID: e.ID, Dir: e.Dir, Created: e.Created, State: e.State}, Packages: []string{}, Names: []string{}}
		if e.Info != nil {
			row.Head, row.Base, row.Command, row.Warnings = &e.Info.Head, e.Info.Base, e.Info.Command, e.Info.Warnings
			row.Environment, row.Revision = &e.Info.Environment, compare.RevisionsText(row.Head, row.Base)
			names, err := e.Measured()
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
			row.Error = oneLine(e.Err)
		}
		list.Runs = append(list.Runs, row)
	}
	return list, nil
}

// A runAbout is what is known of a run but for its results.
type runAbout struct {
	listedRun
	Revision    string                 `json:"revision"`
	Environment experiment.Environment `json:"environment"`
	Notes       []string               `json:"notes"`
	Problems    []string               `json:"problems"`
	Line        string                 `json:"line"` // the command as a shell takes it
	Profiles    []runProfile           `json:"profiles"`
}

type runProfile struct {
	ID        string `json:"id"` // as parameters profile and base take it
	Package   string `json:"package,omitempty"`
	Benchmark string `json:"benchmark"`
	Side      string `json:"side"`
	Kind      string `json:"kind"`
}

// Run returns a run's facts and its profiles.
func (k *keptRuns) Run(_ context.Context, name string) (any, error) {
	run, err := k.open(name)
	if err != nil {
		return nil, err
	}
	about := runAbout{
		listedRun: listedRun{
			ID: run.ID, Dir: run.Dir, Created: run.Created, State: run.State, Head: &run.Head, Base: run.Base,
			Command: run.Command,
		},
		Revision: compare.RevisionsText(&run.Head, run.Base), Environment: run.Environment,
		Notes: append([]string{}, run.Notes...), Problems: append([]string{}, run.Problems...),
		Line: compare.CommandLine(run.Command), Profiles: []runProfile{},
	}
	measured := make(map[[2]string]bool)
	for _, r := range run.Results(experiment.Measure, experiment.Head) {
		measured[[2]string{r.GetConfig("pkg"), r.Result.Name.String()}] = true
	}
	about.Benchmarks = len(measured)
	for _, f := range run.Profiles() {
		about.Profiles = append(about.Profiles, runProfile{profileID(run, f), f.Package, f.Benchmark, f.Side.String(), f.Kind})
	}
	for _, w := range slices.Concat(run.Warnings, run.Environment.Warnings()) {
		if !slices.Contains(about.Warnings, w) {
			about.Warnings = append(about.Warnings, w)
		}
	}
	return about, nil
}

// profileID names a profile of a run for good.
func profileID(run *experiment.Run, f experiment.ProfileFile) string {
	return run.ID + ":" + profileName(run, f)
}

// A shownComparison is what hone compare -json prints, and beside each
// comparison its figures as hone prints them.
type shownComparison struct {
	compare.Document
	Shown   [][]compare.Row `json:"shown"`
	Command string          `json:"command"`
}

// Compare is hone compare.
func (k *keptRuns) Compare(ctx context.Context, names []string, format string) ([]byte, error) {
	args := make([]string, len(names))
	for i, name := range names {
		side := ""
		for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
			if n, ok := strings.CutSuffix(name, ":"+s.String()); ok {
				name, side = n, ":"+s.String()
			}
		}
		dir, err := k.dir(name)
		if err != nil {
			return nil, err
		}
		args[i] = dir + side
	}
	c, err := k.a.compareRuns(ctx, k.root, args, format == string(compare.HTML))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if f := compare.Format(format); f != compare.JSON {
		err = c.Write(&b, f)
		return b.Bytes(), err
	}
	shown := shownComparison{Document: c.Document(), Shown: [][]compare.Row{}, Command: compare.CommandLine(append([]string{"hone", "compare"}, names...))}
	for _, s := range c.Sides {
		shown.Shown = append(shown.Shown, append([]compare.Row{}, s.Rows()...))
	}
	err = writeJSON(&b, shown)
	return b.Bytes(), err
}

// Profile returns the profile that RUN:Benchmark/kind names.
func (k *keptRuns) Profile(_ context.Context, name string) (server.Source, error) {
	id, rest, _ := strings.Cut(name, ":")
	run, err := k.open(id)
	if err != nil {
		return server.Source{}, err
	}
	f, err := run.Profile(rest)
	if err != nil {
		return server.Source{}, &noRunError{err.Error()}
	}
	return k.a.runEntry(k.inv, k.compat, run, f), nil
}

// runEntry is a profile of a run in the list of a UI.
func (a *app) runEntry(inv *shell.Invocation, compat bool, run *experiment.Run, f experiment.ProfileFile) server.Source {
	id := profileID(run, f)
	return server.Source{ID: id, Name: id, Paths: []string{f.Path}, Load: a.loadLater(inv, compat, f.Path)}
}

// uiRunDirs returns the directories of the runs among sources, and whether all
// of them are runs.
func uiRunDirs(root string, sources []string) (dirs []string, all bool) {
	for _, s := range sources {
		if isDir(s) && isRun(s) {
			dirs = append(dirs, s)
		} else if s != "" && !exists(s) && !strings.Contains(s, "://") {
			if dir, err := experiment.Resolve(root, strings.TrimSuffix(s, ":")); err == nil {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs, len(dirs) > 0 && len(dirs) == len(sources)
}

// startPage is the page of runs that a command line asks for, "" for none.
func (k *keptRuns) startPage(inv *shell.Invocation) string {
	if k == nil {
		return ""
	}
	if len(inv.Sources) == 0 && len(inv.Base) == 0 {
		return "runs"
	}
	dirs, all := uiRunDirs(k.root, inv.Sources)
	if !all || len(inv.Base) > 0 {
		return ""
	}
	var ids []string
	for _, dir := range dirs {
		run, err := openKept(dir)
		if err != nil {
			return ""
		}
		ids = append(ids, "run="+run.ID)
	}
	page := "run?"
	if len(ids) > 1 {
		page = "compare?"
	}
	return page + strings.Join(ids, "&")
}
