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

Apply the rewrite of a finding, test and measure it, and keep it if it helps.

Examples:

  hone fix regexp-per-call-3f2a9c
  hone fix -count 20 -benchtime 1s sort-slice
  hone fix -try GOGC=300 -try 'GOGC=off GOMEMLIMIT=512MiB' gc-bound

Flags for measuring:

  -count N        samples per benchmark and side (10; 20 if 10 don't decide)
  -benchtime T    time per sample, such as 1s, or iterations, such as 100x (500ms)
  -try SETTING    for gc-bound: measure this setting only; may be repeated

Flags for building and testing:

  -short          run tests with -short
  -tags LIST      build tags
  -vet LIST       vet checks that must pass: a list or off (those of go vet and go test)

Other flags:

  -dirty          also change files with uncommitted changes
  -check          build, vet and test only; measure and keep nothing
  -n              print the rewrite, the settings or the profile, and do nothing
  -json           print the result as JSON

Exit codes: 0 kept, 1 failure, 2 wrong usage, 3 not confirmed.

ID is the id of a finding, or the start of one: from the last hone advise, or from a
page of hone ui. hone builds and vets the rewrite, runs the tests of every package that
depends on it, and measures the benchmarks of the finding, interleaved with the current
code. It keeps the rewrite only if something gets faster, or allocates less and isn't
measurably slower. Otherwise your files stay as they are. If the result is unclear, hone
measures again for up to three times as long, unless you give -count.

A rewrite that is kept stays uncommitted. .hone/advice/ID.patch has it for git apply and
git am. The result says how many statements of the changed function the tests execute:
tests prove nothing about a function they don't call.

Two findings have no rewrite. For gc-bound, hone measures GOGC=200, GOGC=400 and a
memory limit, each interleaved with the current settings, and reports time and peak
memory; it changes no file. For pgo-off, hone compares builds with and without the
profile, and keeps it as default.pgo next to the main package if that is faster.
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
		return &shell.UsageError{Verb: "fix", Err: errors.New("missing finding: give its id, which hone advise prints")}
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
			return &shell.UsageError{Verb: "fix", Err: fmt.Errorf("-try %s can't be used with %s: only gc-bound has settings", settings[0], found.ID)}
		case *check && found.Try != "":
			return &shell.UsageError{Verb: "fix", Err: fmt.Errorf("-check can't be used with %s, which has no rewrite and can only be measured", found.ID)}
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
				return fmt.Errorf("%s is advice only: %s", found.ID, found.Advice())
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
	if c := r.Compared; c != nil && c.Calls > 0 && c.Seen() == nil {
		fmt.Fprintf(a.stdout, "    %d calls with generated inputs return the same as before\n", c.Calls)
	}
	if r.Caveat != "" {
		fmt.Fprintf(a.stdout, "    but: %s\n", r.Caveat)
	}
	if r.Output != "" {
		fmt.Fprintf(a.stdout, "        %s\n", strings.ReplaceAll(r.Output, "\n", "\n        "))
	}
	switch {
	case r.Kept && r.Patch == "":
		fmt.Fprintf(a.stdout, "    kept as %s: commit it with the source; measurement: hone compare %s\n", r.File, r.Run)
	case r.Kept:
		for _, added := range f.Fix.Added() {
			name := added.File
			if rel, err := filepath.Rel(dir, name); err == nil {
				name = rel
			}
			fmt.Fprintf(a.stdout, "    added %s\n", filepath.ToSlash(name))
		}
		fmt.Fprintf(a.stdout, "    kept; patch: %s; measurement: hone compare %s\n", filepath.ToSlash(r.Patch), r.Run)
	case r.Run != "":
		fmt.Fprintf(a.stdout, "    not kept; measurement: hone compare %s\n", r.Run)
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
			fmt.Fprintf(&b, "        measurement: hone compare %s\n", s.Run)
		}
	}
	b.WriteString("    peak is the largest resident set of the benchmark process; a program with more live data needs more\n")
	if r.State == advice.Confirmed {
		b.WriteString(settingGoes)
	}
	io.WriteString(a.stdout, b.String())
}

const settingGoes = `    no file was changed. To use a setting, either
        set it in the environment of the program, its unit, container or deployment: GOGC=200
        or call debug.SetGCPercent(200) or debug.SetMemoryLimit(bytes) at the start of main
        Keep GOMEMLIMIT about 10 % below the container's limit: not all memory is heap.
`
