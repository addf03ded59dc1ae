package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/shell"
)

const compareHelp = `usage: hone compare [flags] RUN|FILE...

Compare runs or benchmark files: the first with each of the others.

Examples:

  hone compare latest
  hone compare old.txt new.txt
  hone compare -o report.html latest~1 latest

Flags:

  -v              everything: benchstat's tables, byte for byte the same for files;
                  for runs, all verdicts and explanations too
  -csv            a table with one line per benchmark, unit and column
  -json           everything as JSON
  -markdown       for a pull request: the verdict first, then what changed
  -html           a self-contained page with flame graphs
  -o FILE         write to FILE; .csv, .json, .md or .html selects the format
  -dir DIR        where runs are kept (.hone/runs of this module)

Exit codes: 0 success, 1 failure, 2 wrong usage.

FILE is in the Go benchmark format, from any tool; - reads standard input, and
LABEL=FILE names its column. A single run with -against is compared with its own
base, pair by pair; RUN:base is that base, RUN its head. Other runs are compared as
measured separately, so they also differ by anything else that changed in between.
To compare git revisions, use hone bench -against REF.

Without -v, only changes are printed, and for runs with profiles the functions that
caused them. A change counts if it is significant after correction for the number of
benchmarks. A slowdown also has to exceed its budget in this module's hone.toml.
`

func runCompare(ctx context.Context, a *app, args []string) error {
	fs := newFlags("compare")
	formats := make(map[compare.Format]*bool)
	for _, f := range flagFormats {
		formats[f] = fs.Bool(string(f), false, "")
	}
	verbose := fs.Bool("v", false, "")
	output := fs.String("o", "", "")
	root := fs.String("dir", "", "")
	rest, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	format, err := compareFormat(formats, *output)
	if err != nil {
		return &shell.UsageError{Verb: "compare", Err: err}
	}
	if *verbose && format == compare.Text {
		format = compare.Full
	}
	if len(rest) == 0 {
		return &shell.UsageError{Verb: "compare", Err: errors.New("missing runs or files; to compare the newest run with its base, use hone compare latest")}
	}
	if format == compare.HTML && *output == "" && isTerminal(a.stdout) {
		return &shell.UsageError{Verb: "compare", Err: errors.New("-html would print a page on the terminal: give a file with -o FILE")}
	}
	if *root == "" {
		*root = runsRoot()
	}
	c, err := compareRuns(ctx, a, *root, rest, format == compare.HTML)
	if err != nil {
		return err
	}
	out := &shell.Outlet{Out: a.stdout, Err: a.stderr, Getenv: a.getenv}
	defer out.Close()
	if format == compare.Text || format == compare.Full || format == compare.CSV {
		for _, w := range c.Warnings {
			a.warn(compare.Printable(w))
		}
	}
	return out.Deliver(ctx, "", *output, func(_ context.Context, w io.Writer) error { return c.Write(w, format) })
}

// compareRuns compares runs and files with the budgets of this module's objectives, and
// explains the changes. keepProfiles keeps profiles for flame graphs.
func compareRuns(ctx context.Context, a *app, root string, names []string, keepProfiles bool) (*compare.Comparison, error) {
	inputs, err := compare.Read(ctx, root, a.stdin, names)
	if err != nil {
		return nil, explainRevisions(ctx, "compare", names, err)
	}
	c, err := inputs.Compare(moduleObjectives(ctx))
	if err != nil {
		return nil, err
	}
	return c, c.Explain(ctx, keepProfiles)
}

// flagFormats are the formats that have a flag with their name.
var flagFormats = []compare.Format{compare.CSV, compare.JSON, compare.Markdown, compare.HTML}

// compareFormat returns the format that a flag or the name of the output selects.
func compareFormat(flags map[compare.Format]*bool, output string) (compare.Format, error) {
	var asked []compare.Format
	for _, f := range flagFormats {
		if *flags[f] {
			asked = append(asked, f)
		}
	}
	switch {
	case len(asked) > 1:
		return "", fmt.Errorf("-%s and -%s can't be combined: use one of them", asked[0], asked[1])
	case len(asked) == 1:
		return asked[0], nil
	}
	switch strings.ToLower(filepath.Ext(output)) {
	case ".csv":
		return compare.CSV, nil
	case ".json":
		return compare.JSON, nil
	case ".md", ".markdown":
		return compare.Markdown, nil
	case ".html", ".htm":
		return compare.HTML, nil
	}
	return compare.Text, nil
}
