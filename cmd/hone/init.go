package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/scaffold"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/temporary"
)

const initHelp = `usage: hone init [flags]

Set a module up for hone: objectives, a workflow for CI, and what coding agents read.

Examples:

  hone init                   measure, show the files, and ask
  hone init -n                only show them
  hone init -yes -ci gitlab
  hone init -n | git apply    write them as a patch

Flags:

  -yes            write the files without asking
  -n              don't write anything
  -ci NAME        workflow: github, gitlab or none (by the host of git's remote origin)
  -bench RE       measure these benchmarks for the objectives (all)
  -for TIME       measure for so long at most, not counting the build (1m)
  -json           print the files as JSON

Exit codes: 0 success, 1 failure, 2 wrong usage.

The files, each with the reasons for what is in it:

  hone.toml                           limits and a budget, from a quick measurement
  .github/workflows/benchmarks.yml    the gate of doc/ci.md, or .gitlab-ci.yml
  AGENTS.md                           a section that names the commands
  .agents/skills/hone/SKILL.md        the loop for agents: measure, advise, change, prove

Files that exist stay as they are: AGENTS.md gets its section at the end, once. If there
is a hone.toml, hone shows what could be added. If the module has .claude or CLAUDE.md,
the skill is in .claude/skills, too. Without a terminal, nothing is written unless -yes
is given. The patch is printed on standard output.
`

// Quick samples: enough for a limit with a margin.
const (
	initSamples    = 6
	initSampleTime = 100 * time.Millisecond
)

// An initialized is what hone init -json prints.
type initialized struct {
	Files   []initializedFile `json:"files"`
	Written []string          `json:"written"`
	Notes   []string          `json:"notes,omitempty"`
}

type initializedFile struct {
	scaffold.File
	Patch string `json:"patch,omitempty"`
}

func runInit(ctx context.Context, a *app, args []string) error {
	fs := newFlags("init")
	yes, no, asJSON := fs.Bool("yes", false, ""), fs.Bool("n", false, ""), fs.Bool("json", false, "")
	ci, pattern, limit := fs.String("ci", "", ""), fs.String("bench", ".", ""), fs.Duration("for", time.Minute, "")
	rest, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	usage := func(format string, values ...any) error {
		return &shell.UsageError{Verb: "init", Err: fmt.Errorf(format, values...)}
	}
	switch chosen := scaffold.CI(*ci); {
	case len(rest) > 0:
		return usage("unexpected argument %q: run hone init in the module's folder", rest[0])
	case *yes && *no:
		return usage("-yes and -n can't be combined")
	case *limit <= 0:
		return usage("invalid -for %v: use a time above 0, such as 1m", *limit)
	case chosen != "" && chosen != scaffold.GitHub && chosen != scaffold.GitLab && chosen != scaffold.NoCI:
		return usage("invalid -ci %q: use github, gitlab or none", *ci)
	}
	m, err := scaffold.FindModule(ctx, ".")
	if err != nil {
		return err
	}
	out := initialized{Written: []string{}, Files: []initializedFile{}}
	series, notes, err := measureQuickly(ctx, a, m, *pattern, *limit)
	if err != nil {
		return err
	}
	service, note := initCI(m, scaffold.CI(*ci))
	out.Notes = append(notes, note...)
	files, err := scaffold.Plan(ctx, m, service, series)
	if err != nil {
		return err
	}
	if !*asJSON {
		if err := showFiles(a, files); err != nil {
			return err
		}
	}
	write := *yes
	if !*yes && !*no {
		if write, err = askToWrite(ctx, a, files, *asJSON); err != nil {
			return err
		}
	}
	if write {
		var written []string
		written, err = scaffold.Write(m, files)
		out.Written = append(out.Written, written...)
		for _, name := range written {
			if !*asJSON {
				a.warn("hone: wrote " + name)
			}
		}
	}
	a.warnAll(prefixed(out.Notes))
	if err != nil || !*asJSON {
		return err
	}
	for i := range files {
		out.Files = append(out.Files, initializedFile{files[i], files[i].Diff()})
	}
	return writeJSON(a.stdout, out)
}

func prefixed(notes []string) (all []string) {
	for _, n := range notes {
		all = append(all, "hone: "+n)
	}
	return all
}

// showFiles prints the patch, and on standard error what happens to each file.
func showFiles(a *app, files []scaffold.File) error {
	for i := range files {
		f := &files[i]
		if f.Action == scaffold.Keep {
			a.warn(compare.Printable(fmt.Sprintf("hone: %s: kept, %s", f.Name, f.Why)))
			for line := range strings.Lines(f.Diff()) {
				a.warn("  " + compare.Printable(strings.TrimSuffix(line, "\n")))
			}
			continue
		}
		if _, err := fmt.Fprint(a.stdout, f.Diff()); err != nil {
			return err
		}
	}
	return nil
}

// askToWrite asks on a terminal whether to write what was shown.
func askToWrite(ctx context.Context, a *app, files []scaffold.File, asJSON bool) (bool, error) {
	n := 0
	for i := range files {
		if files[i].Action != scaffold.Keep {
			n++
		}
	}
	switch {
	case n == 0:
		a.warn("hone: nothing to write")
		return false, nil
	case asJSON || !isTerminal(a.stdin) || !isTerminal(a.stdout):
		a.warn("hone: nothing is written; to write the files, use hone init -yes")
		return false, nil
	}
	fmt.Fprintf(a.stderr, "Write %s? [y/N] ", compare.Counted(n, "file"))
	answer := make(chan string, 1)
	go func() { // only an answer ends reading from a terminal
		text, _ := bufio.NewReader(a.stdin).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(text))
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case text := <-answer:
		return text == "y" || text == "yes", nil
	}
}

// initCI returns the service to write a workflow for, and why there is none.
func initCI(m *scaffold.Module, chosen scaffold.CI) (scaffold.CI, []string) {
	service := chosen
	if service == "" {
		service = m.CI()
	}
	const see = "see https://github.com/hone-go/hone/blob/main/doc/ci.md"
	switch {
	case chosen == scaffold.NoCI:
		return service, nil
	case m.Repository == "":
		return scaffold.NoCI, []string{"no workflow for CI: the module isn't in a git repository"}
	case m.Repository != ".":
		return scaffold.NoCI, []string{"no workflow for CI: the module isn't the root of its repository, where workflows have to be; " + see}
	case service == scaffold.NoCI:
		return service, []string{"no workflow for CI: the remote origin tells no service; use -ci github or -ci gitlab"}
	}
	return service, nil
}

// measureQuickly measures the benchmarks of a module for a limited time. Without benchmarks, a note
// says how to get some.
func measureQuickly(ctx context.Context, a *app, m *scaffold.Module, pattern string, limit time.Duration) (series []experiment.Series, notes []string, err error) {
	sweep()
	tmp, err := temporary.Make()
	if err != nil {
		return nil, nil, err
	}
	defer tmp.Remove()
	progress := newProgress(a)
	b := bench.Bench{
		Dir: m.Dir, Packages: m.Packages, Pattern: pattern, Count: initSamples, Benchtime: bench.Length{Duration: initSampleTime},
		Store: tmp.Path, Command: []string{"hone", "init"}, Wait: -1,
	}
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	var stop *time.Timer
	b.Events = func(e bench.Event) {
		if stop == nil && (e.Stage == "calibrate" || e.Stage == "measure") {
			stop = time.AfterFunc(limit, cancel)
		}
		progress.event(e)
	}
	report, err := b.Measure(limited)
	progress.end()
	switch {
	case errors.Is(err, bench.ErrNoBenchmarks):
		return nil, []string{"no hone.toml: " + err.Error() + ". Write benchmarks first: hone advise -gen ./... | git apply makes them from tests, and hone bench -new FUNC starts one"}, nil
	case err != nil && ctx.Err() == nil && limited.Err() != nil && report != nil && report.Dir != "":
		notes = append(notes, fmt.Sprintf("hone.toml has only what could be measured in %v: -for 5m gives it more time", limit))
	case err != nil:
		return nil, nil, err
	}
	for i := range report.Failures {
		notes = append(notes, "not measured: "+compare.OneLine(fmt.Errorf("%s.%s", report.Failures[i].Package, report.Failures[i].Benchmark)))
	}
	run, err := experiment.Open(ctx, report.Dir)
	if err != nil {
		return nil, nil, err
	}
	return run.Series(experiment.Measure), notes, nil
}
