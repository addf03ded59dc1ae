package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
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

// newFlags returns the flags of a verb that is not one of profiles.
func newFlags(verb string) *flag.FlagSet {
	fs := flag.NewFlagSet(verb, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// buildFlags defines flags that go to the go command as they are.
func buildFlags(fs *flag.FlagSet, flags *[]string, names ...string) {
	for _, name := range names {
		fs.Func(name, "", func(v string) error { *flags = append(*flags, "-"+name+"="+v); return nil })
	}
}

// parseArgs parses flags, which may stand anywhere before "--", and returns the
// other arguments. Errors are those of shell.ParseVerb.
func parseArgs(fs *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := shell.ParseFlags(fs.Name(), fs, args); err != nil {
			return nil, err
		}
		left := fs.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if used := len(args) - len(left); used > 0 && args[used-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// runsRoot returns the folder of this module's runs, beside its go.mod; outside
// of modules that of the current folder.
func runsRoot() string { return filepath.Join(moduleDir(), ".hone", "runs") }

// moduleDir returns the nearest folder with a go.mod or go.work, as advisor.ModuleOf does,
// as a path that is short to print; "." outside of modules.
func moduleDir() string {
	at, err := os.Getwd()
	if err != nil {
		return "."
	}
	for dir := "."; ; dir = filepath.Join("..", dir) {
		for _, name := range []string{"go.mod", "go.work"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				return dir
			}
		}
		up := filepath.Dir(at)
		if up == at {
			return "."
		}
		at = up
	}
}

// sweep removes what a killed hone left in the temporary directory, and anywhere in the module.
func sweep() {
	temporary.SweepTemp()
	dir := moduleDir()
	for _, name := range []string{"go.mod", "go.work"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil { // else it may be somebody's home
			temporary.SweepTree(dir)
			return
		}
	}
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

// writeTrimmed writes text without the blanks at the ends of its lines.
func writeTrimmed(w io.Writer, text string) error {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// removeRuns removes runs: all of them, or none if one can't be found. Each goes
// in one step; what is left of a killed removal is hidden, until the next run.
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
