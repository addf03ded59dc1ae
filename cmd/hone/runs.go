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

List or remove the runs that hone bench and other verbs kept, newest first.

Examples:

  hone runs
  hone top latest:Parse/cpu
  hone runs rm 20261121-174823-9f3c

Flags:

  -dir DIR        where runs are kept (.hone/runs of this module)
  -json           print the list as JSON

Exit codes: 0 success, 1 failure, 2 wrong usage.

RUN is a run's id, the start of an id, latest, latest~1 for the run before it, or the
path of its directory. latest skips runs that lack what a verb needs, such as profiles,
and names them. To name one profile of a run as a source, add benchmark and kind:

  RUN:Parse/cpu            the benchmark Parse, or BenchmarkParse
  RUN:Parse/short-4/mem    a sub-benchmark, with or without its CPU count
  RUN:base/Parse/cpu       the base side, in a run with -against
  RUN:example.com/json.Parse/cpu
                           if several packages have a benchmark with this name

A file with that name takes precedence. Anything with :// is a URL.
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
		return &shell.UsageError{Verb: "runs", Err: fmt.Errorf("unknown command %q: use hone runs, or hone runs rm RUN", rest[0])}
	case *asJSON:
		return &shell.UsageError{Verb: "runs", Err: errors.New("-json can't be used with rm")}
	case len(rest) == 1:
		return &shell.UsageError{Verb: "runs", Err: errors.New("missing run: name the runs to remove")}
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
			r.Took = e.Info.Took
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
		dir, skipped, err := experiment.Resolve(ctx, root, name)
		if err != nil {
			return err
		}
		a.warnAll(skipped)
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
