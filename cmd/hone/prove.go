package main

import (
	"context"
	"fmt"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/prove"
	"github.com/hone-go/hone/internal/shell"
)

const proveHelp = `usage: hone prove [flags] [PATCH... | REF..REF | -]

Judge a change: whether it is right, whether it is faster, and which function made it so.

Examples:

  hone prove                             your uncommitted changes
  hone prove faster.patch                a patch, as git diff prints it
  hone prove -for 2m one.patch two.patch
                                         several candidates, also against each other
  git diff main topic | hone prove -base main -
  hone prove main..topic                 what a branch changed
  hone prove -gen                        also without a benchmark

Flags:

  -base REF       what patches and the working tree change: a branch, tag or commit
                  (HEAD)
  -for TIME       total time to measure, not counting builds and tests, instead of
                  -count
  -count N        samples per benchmark and side (10; 20 if 10 don't decide)
  -benchtime T    time per sample, such as 1s, or iterations, such as 100x (500ms)
  -gen            if no benchmark executes a change, write one from the base's tests that
                  call what changed; it is kept in -json as a patch
  -bench RE       measure these benchmarks instead of those that execute the change
  -short          run tests with -short
  -tags LIST      build tags
  -vet LIST       vet checks that must pass: a list or off (those of go vet and go test)
  -json           print the verdict as JSON

Exit codes: 0 nothing is wrong or slower; 1 failure, or a change could not be measured;
2 wrong usage; 3 a change is wrong or different, or something got worse beyond its budget
(2 % of a time, 0 of everything else) and a second measurement agreed.

hone copies the base, applies the change there, builds and vets it, and runs the tests of
every package of the module that depends on it. Then it measures the benchmarks that
execute changed functions, interleaved with the base. Your files and your repository stay
as they are, but the code of the patch runs with your rights: read a patch from a stranger
first. A patch may only change text files of the module. Links, submodules and binary
files are refused.

right means that tests execute every changed function, and pass. If the change also
changes tests, those of the base must pass, too. untested means that nothing is known to
be wrong, but that tests can't tell: they don't execute some of the changed functions, are
flaky, or also fail on the base, or the code could give a benchmark what other callers
don't get. Such code shares a variable without a lock, changes a setting of the whole
program, or asks whether it is tested. The verdict says which. different means that tests
pass, but that exported functions which reach the change answer otherwise than those of
the base: hone calls both with generated inputs and those of tests, also several times in
a row and from several goroutines. It only calls functions that use no file, process or
network. Several candidates share one correction for the number of comparisons.
Measurements are kept as runs: hone compare shows more of them.
`

func runProve(ctx context.Context, a *app, args []string) error {
	fs := newFlags("prove")
	p := &prove.Prover{Stdin: a.stdin}
	fs.StringVar(&p.Base, "base", "", "")
	fs.DurationVar(&p.Bench.For, "for", 0, "")
	fs.IntVar(&p.Bench.Count, "count", 0, "")
	fs.Func("benchtime", "", func(s string) (err error) { p.Bench.Benchtime, err = parseBenchTime(s); return err })
	fs.StringVar(&p.Bench.Pattern, "bench", "", "")
	fs.BoolVar(&p.Generate, "gen", false, "")
	short := fs.Bool("short", false, "")
	buildFlags(fs, &p.Bench.BuildFlags, "tags", "vet")
	json := fs.Bool("json", false, "")
	changes, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	switch {
	case p.Bench.For < 0:
		return &shell.UsageError{Verb: "prove", Err: fmt.Errorf("invalid -for %v: use a time above 0, such as 3m", p.Bench.For)}
	case p.Bench.Count < 0:
		return &shell.UsageError{Verb: "prove", Err: fmt.Errorf("invalid -count %d: use at least 1", p.Bench.Count)}
	case p.Bench.For > 0 && p.Bench.Count > 0:
		return &shell.UsageError{Verb: "prove", Err: fmt.Errorf("-for and -count can't be combined: give the time or the number of samples")}
	}
	if *short {
		p.TestFlags = append(p.TestFlags, "-short")
		p.Bench.Args = append(p.Bench.Args, "-test.short")
	}
	sweep()
	p.Bench.Store, p.Bench.Command = runsRoot(), append([]string{"hone", "prove"}, args...)
	if err := hideRuns(a, p.Bench.Store); err != nil {
		return err
	}
	progress := newProgress(a)
	p.Stage = func(stage, what string) { progress.event(bench.Event{Stage: stage, What: what}) }
	p.Bench.Events, p.Bench.Profiles = progress.event, []string{"cpu", "mem"}
	proof, err := p.Prove(ctx, changes)
	progress.end()
	if err != nil {
		return err
	}
	if *json {
		err = writeJSON(a.stdout, proof)
	} else {
		err = proof.Write(a.stdout)
	}
	if err != nil {
		return err
	}
	return gateError(proof.Missed(), proof.Unmeasured())
}
