package main

import (
	"context"
	"errors"
	"io"

	"github.com/hone-go/hone/internal/gctrace"
	"github.com/hone-go/hone/internal/shell"
)

const gcHelp = `usage: hone gc [flags] [--] PROGRAM [ARGUMENT...]
       hone gc [flags] -bench REGEXP [PACKAGE...]

Run a Go program or benchmarks, and report what the garbage collector did.

Examples:

  hone gc -- ./server -addr :8080
  hone gc -bench Parse ./json
  GOGC=200 hone gc -json -o gc.json ./importer data.csv

Flags:

  -bench REGEXP   build and run the matching benchmarks, with one process per package
  -benchtime T    time per benchmark, such as 2s, or iterations, such as 100x (1s)
  -o FILE         write the report to FILE (standard error)
  -json           write it as JSON. Without -o it goes to standard output, and the
                  program's own output to standard error

Exit codes: 0 success; 1 failure, or the program failed; 2 wrong usage.

The report has the number of collections, pauses, share of CPU time, heap size and goal,
allocation rate, and peak memory. You don't need to change the program:
GODEBUG=gctrace=1 makes its runtime report each collection, and hone removes those
lines from standard error. ^C ends the program, and the report covers the time until
then.

Sizes are in whole MiB, as the runtime reports them, so the allocation rate of a small
heap is rough. Each collection pauses the program twice. Peak memory includes child
processes that the program waited for; Windows doesn't report it.
`

func runGC(ctx context.Context, a *app, args []string) error {
	flags := newFlags("gc")
	bench := flags.String("bench", "", "")
	benchtime := flags.String("benchtime", "", "")
	output := flags.String("o", "", "")
	asJSON := flags.Bool("json", false, "")
	// hone's flags end at the name of the program, whose own flags follow.
	if err := flags.Parse(args); err != nil {
		_, err = parseArgs(flags, args) // for the kind of error
		return err
	}
	rest := flags.Args()
	switch {
	case *bench == "" && len(rest) == 0:
		return &shell.UsageError{Verb: "gc", Err: errors.New("missing program: use hone gc -- ./prog, or -bench REGEXP")}
	case *bench == "" && *benchtime != "":
		return &shell.UsageError{Verb: "gc", Err: errors.New("-benchtime needs -bench")}
	}
	runner := &gctrace.Runner{Stdin: a.stdin, Stdout: shell.TerminalOf(a.stdout), Stderr: shell.TerminalOf(a.stderr), GODEBUG: a.getenv("GODEBUG")}
	if *asJSON && *output == "" {
		runner.Stdout = runner.Stderr
	}
	var all []*gctrace.Report
	var failed error
	if *bench == "" {
		r, err := runner.Command(ctx, "", rest)
		if r == nil {
			return err
		}
		all, failed = append(all, r), err
	} else if all, failed = runner.Benchmarks(ctx, gctrace.Benchmarks{Packages: rest, Pattern: *bench, Time: *benchtime}); len(all) == 0 {
		return failed
	}
	out := &shell.Outlet{Out: a.stderr, Err: a.stderr, Getenv: a.getenv}
	if *asJSON {
		out.Out = a.stdout
	}
	defer out.Close()
	// Whatever ended the program, the report is written.
	err := out.Deliver(context.WithoutCancel(ctx), "", *output, func(_ context.Context, w io.Writer) error {
		switch {
		case !*asJSON:
			return writeGCText(w, all)
		case *bench == "":
			return writeJSON(w, all[0])
		}
		return writeJSON(w, all)
	})
	return errors.Join(err, failed)
}
