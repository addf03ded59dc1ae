package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/tune"
)

const fixHelp = `usage: hone fix [flags] ID...

Apply the rewrite of a finding and prove it: build and vet it, run the tests of every
package that depends on the one it is in, and measure the benchmarks that the finding
was seen in, with and without it in turns. It is kept only if that confirms that
something got faster, or allocates less and is no slower; otherwise no file was ever
touched. What a first measurement can't tell is measured once more, for three times as
long at most, unless -count says how many samples are enough.

A finding of gc-bound has no rewrite, but settings: the benchmarks are measured with
GOGC=200, with GOGC=400 and with a limit on memory, each in turns with none, and the
change of time is told beside that of the peak memory of the process. That changes no
file.

A finding of pgo-off has the profile that it is of: benchmarks of the packages that are
hot in that are built for it and not, and compared for five minutes, or by -count. If
they are faster, it is kept as default.pgo beside the main package.

ID is of the advice given last, or else of what a page of hone ui showed; or enough of
its beginning.

  -count N        samples of each benchmark, and side (10; 20 where 10 decide nothing)
  -benchtime T    time of a sample, 1s, or iterations, 100x (500ms)
  -short          run tests with -short
  -tags LIST      build tags
  -vet LIST       checks that have to pass: those of go vet and go test by default; off
  -try SETTING    of gc-bound: measure this setting and no other; may be repeated
  -dirty          also change files that have changes which are not committed
  -check          build, vet and test only: measure nothing, and keep nothing
  -n              show the rewrite, the settings or the profile, and do nothing
  -json           print the result as JSON

The result says how many statements of the changed function the tests execute: tests that
pass prove nothing of a function that none of them calls.

What was kept is left uncommitted, and is in .hone/advice/ID.patch for git apply and
git am, with the measurement and what the tests execute in its message. The exit code
is 3 if a rewrite, or every setting that was tried, was not confirmed.

Examples:

  hone fix regexp-per-call-3f2a9c
  hone fix -count 20 -benchtime 1s sort-slice
  hone fix gc-bound
  hone fix -try GOGC=300 -try 'GOGC=off GOMEMLIMIT=512MiB' gc-bound
`

// tunerFlags are those that hone fix and hone tune share.
type tunerFlags struct {
	fs    *flag.FlagSet
	bench bench.Bench
	short bool
	dirty bool
	json  bool
}

func newTunerFlags(verb string) *tunerFlags {
	f := &tunerFlags{fs: newFlags(verb)}
	f.fs.IntVar(&f.bench.Count, "count", 0, "")
	f.fs.Func("benchtime", "", func(s string) (err error) { f.bench.Benchtime, err = parseBenchTime(s); return err })
	f.fs.BoolVar(&f.short, "short", false, "")
	buildFlags(f.fs, &f.bench.BuildFlags, "tags", "vet")
	f.fs.BoolVar(&f.dirty, "dirty", false, "")
	f.fs.BoolVar(&f.json, "json", false, "")
	return f
}

// tuner returns what tries rewrites. It keeps its runs with all other runs.
func (f *tunerFlags) tuner(a *app, args []string) (*tune.Tuner, *progress, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	progress := newProgress(a)
	f.bench.Store = runsRoot()
	f.bench.Command = append([]string{"hone", f.fs.Name()}, args...)
	f.bench.PreCheck = -1 // the verdict comes from two measurements, whose intervals have the noise
	f.bench.Events = progress.event
	t := &tune.Tuner{Untested: true, Dir: dir, Bench: f.bench, Dirty: f.dirty, Stage: func(stage, what string) {
		progress.event(bench.Event{Stage: stage, What: what})
	}}
	if f.short {
		t.TestFlags = append(t.TestFlags, "-short")
	}
	return t, progress, nil
}

func runFix(ctx context.Context, a *app, args []string) error {
	f := newTunerFlags("fix")
	show := f.fs.Bool("n", false, "")
	check := f.fs.Bool("check", false, "")
	var settings []string
	f.fs.Func("try", "", func(s string) error { settings = append(settings, s); return tune.CheckSetting(s) })
	ids, err := parseArgs(f.fs, args)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return &shell.UsageError{Verb: "fix", Err: errors.New("want the ID of a finding: hone advise lists them")}
	}
	sweep()
	var findings []*advice.Finding
	benchmarks := make(map[*advice.Finding]map[string]tune.Benchmark)
	for _, id := range ids {
		found, of, err := adviceStore().Find(id)
		if err != nil {
			return err
		}
		switch {
		case len(settings) > 0 && found.Try != advice.BySetting:
			return &shell.UsageError{Verb: "fix", Err: fmt.Errorf("-try %s: no setting is tried of %s, but of gc-bound", settings[0], found.ID)}
		case *check && found.Try != "":
			return &shell.UsageError{Verb: "fix", Err: fmt.Errorf("-check measures nothing, and what %s says is measured only", found.ID)}
		}
		findings, benchmarks[found] = append(findings, found), of
	}
	if *show {
		for _, found := range findings {
			switch {
			case found.Try == advice.BySetting:
				if len(settings) == 0 {
					settings = tune.DefaultSettings
				}
				fmt.Fprintln(a.stdout, strings.Join(settings, "\n"))
			case found.Try == advice.ByProfile:
				fmt.Fprintln(a.stdout, adviceStore().Profile(found))
			case found.Fix == nil:
				return fmt.Errorf("%s is advice only: %s", found.ID, found.Why)
			default:
				fmt.Fprint(a.stdout, found.Fix.Diff)
			}
		}
		return nil
	}
	t, progress, err := f.tuner(a, args)
	if err != nil {
		return err
	}
	m, err := thisModule()
	if err != nil {
		return err
	}
	t.CheckOnly = *check
	var results []*tune.Result
	failed := false
	for _, found := range findings {
		var r *tune.Result
		r, err = m.Try(ctx, t, found, benchmarks[found], settings)
		progress.end()
		if r != nil {
			results = append(results, r)
			failed = failed || r.State != advice.Confirmed && !(*check && r.State == advice.Patched)
			if !f.json {
				tellResult(a, r, found)
			}
		}
		if err != nil {
			break // the results so far are printed anyway
		}
	}
	if f.json && (err == nil || len(results) > 0) {
		err = errors.Join(err, writeJSON(a.stdout, results))
	}
	if err == nil && failed {
		return errMissed
	}
	return err
}

func tellResult(a *app, r *tune.Result, f *advice.Finding) {
	dir, _ := os.Getwd()
	fmt.Fprintf(a.stdout, "%s  %s\n    %s  %s\n", r.State, r.Finding, f.Place(dir), f.Title)
	if len(r.Settings) > 0 {
		tellSettings(a, r, f)
		return
	}
	fmt.Fprintf(a.stdout, "    %s\n", r.Why)
	if r.Tests != "" && !strings.Contains(r.Why, r.Tests) {
		fmt.Fprintf(a.stdout, "    %s\n", r.Tests)
	}
	if r.Caveat != "" {
		fmt.Fprintf(a.stdout, "    but: %s\n", r.Caveat)
	}
	if r.Output != "" {
		fmt.Fprintf(a.stdout, "        %s\n", strings.ReplaceAll(r.Output, "\n", "\n        "))
	}
	switch {
	case r.Kept && r.Patch == "":
		fmt.Fprintf(a.stdout, "    kept as %s; commit it with the source; the measurement is hone compare %s\n", r.File, r.Run)
	case r.Kept:
		fmt.Fprintf(a.stdout, "    kept; the patch is %s, the measurement hone compare %s\n", filepath.ToSlash(r.Patch), r.Run)
	case r.Run != "":
		fmt.Fprintf(a.stdout, "    not kept; the measurement is hone compare %s\n", r.Run)
	}
}

// tellSettings prints the effect of settings, and how to use them.
func tellSettings(a *app, r *tune.Result, f *advice.Finding) {
	var b strings.Builder
	for _, s := range r.Settings {
		switch s.State {
		case "":
			fmt.Fprintf(&b, "    %s: not tried: %s\n", s.Setting, s.Why)
		case advice.Confirmed: // the lines say everything
			fmt.Fprintf(&b, "    %s: %s\n", s.Setting, s.State)
		default:
			fmt.Fprintf(&b, "    %s: %s: %s\n", s.Setting, s.State, s.Why)
		}
		for _, line := range s.Lines() {
			fmt.Fprintf(&b, "        %s\n", line)
		}
		if s.Run != "" {
			fmt.Fprintf(&b, "        the measurement is hone compare %s\n", s.Run)
		}
	}
	b.WriteString("    peak is the largest resident set of the benchmark's process; a program with more alive takes more\n")
	if r.State == advice.Confirmed {
		b.WriteString(settingGoes)
	}
	io.WriteString(a.stdout, b.String())
}

const settingGoes = `    no file was changed; where a setting goes:
        the environment of the program: GOGC=200 in its unit, its container or its deployment
        or the start of main: debug.SetGCPercent(200), debug.SetMemoryLimit(bytes); //go:debug has neither
        a GOMEMLIMIT is to be below the container's limit, by a tenth or so: not all memory is the heap's
`
