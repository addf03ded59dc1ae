package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/temporary"
)

const runsHelp = `usage: hone runs [-json] [-dir DIR]
       hone runs rm [-dir DIR] RUN...

List the runs that were kept: what hone bench measured, newest first. "rm"
removes runs, with their profiles.

  -dir DIR        where runs are kept; .hone/runs of this module by default
  -json           print the list as JSON

A run is named by its id, the beginning of one, latest, latest~1 for the one
before, or the path of its directory. latest passes over runs that lack what a verb
needs, profiles for one, and says which. A profile of it is named by the benchmark
and the kind, behind a colon, wherever a verb takes a source:

  RUN:Parse/cpu            of the benchmark Parse, or BenchmarkParse
  RUN:Parse/short-4/mem    of a sub-benchmark, with its CPU count or without
  RUN:base/Parse/cpu       of the side compared with, in a run with -against
  RUN:example.com/json.Parse/cpu
                           where several packages have a benchmark of this name

A file of that name goes first; what has :// in it is a URL.

Examples:

  hone runs
  hone top latest:Parse/cpu
  hone diff latest:base/Parse/cpu latest:Parse/cpu
  hone ui latest
  hone runs rm 20261121-174823-9f3c
`

func runRuns(ctx context.Context, a *app, args []string) error {
	fs := newFlags("runs")
	asJSON := fs.Bool("json", false, "")
	root := fs.String("dir", "", "")
	rest, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	if *root == "" {
		*root = runsRoot()
	}
	switch {
	case len(rest) == 0:
		return listRuns(ctx, a, *root, *asJSON)
	case rest[0] != "rm":
		return &shell.UsageError{Verb: "runs", Err: fmt.Errorf("unknown argument %q: want nothing, or rm and runs", rest[0])}
	case *asJSON:
		return &shell.UsageError{Verb: "runs", Err: errors.New("rm takes no -json")}
	case len(rest) == 1:
		return &shell.UsageError{Verb: "runs", Err: errors.New("rm needs the names of runs")}
	}
	return removeRuns(ctx, a, *root, rest[1:])
}

func listRuns(ctx context.Context, a *app, root string, asJSON bool) error {
	entries, err := experiment.List(ctx, root)
	if err != nil {
		return err
	}
	runs := make([]api.ListedRun, 0, len(entries))
	for _, e := range entries {
		r := api.ListedRun{ID: e.ID, Dir: e.Dir, Created: e.Created, State: e.State}
		if e.Info != nil {
			r.Head, r.Base, r.Command, r.Warnings = &e.Info.Head, e.Info.Base, e.Info.Command, e.Info.Warnings
			var names []string
			if names, err = e.Benchmarks(ctx); ctx.Err() != nil {
				return ctx.Err()
			} else if err != nil {
				r.State, e.Err = experiment.Corrupt, err
			}
			r.Benchmarks = len(names)
		}
		if e.Err != nil {
			r.Error = compare.OneLine(e.Err)
		}
		runs = append(runs, r)
	}
	if asJSON {
		return writeJSON(a.stdout, runs)
	}
	if len(runs) == 0 {
		_, err := fmt.Fprintf(a.stdout, "No runs in %s: hone bench makes one.\n", root)
		return err
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tTIME\tREVISION\tSTATE\tBENCHMARKS\tCOMMAND")
	for _, r := range runs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", compare.Printable(r.ID), r.Created.Local().Format("2006-01-02 15:04"),
			compare.RevisionsText(r.Head, r.Base), r.State, r.Benchmarks, compare.Printable(cmp.Or(r.Error, compare.CommandLine(r.Command))))
	}
	w.Flush()
	return writeTrimmed(a.stdout, b.String())
}

// removeRuns removes runs: all of them, or none if one can't be found. Each disappears
// in one step; leftovers of a killed removal are hidden until the next run.
func removeRuns(ctx context.Context, a *app, root string, names []string) error {
	var dirs []string
	for _, name := range names {
		dir, err := experiment.Resolve(ctx, root, name)
		if err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		switch err := temporary.Discard(dir); {
		case errors.Is(err, os.ErrNotExist):
			continue // named twice
		case err != nil:
			return err
		}
		fmt.Fprintf(a.stdout, "removed %s\n", compare.Printable(dir))
	}
	return nil
}
