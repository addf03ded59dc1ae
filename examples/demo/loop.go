package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
)

// A step is a command of hone, and the output to show.
type step struct {
	title  string
	edit   [2]string // before the command: which version of the handler is in use
	args   []string
	code   int            // expected exit code
	matter *regexp.Regexp // the lines to show
	most   int            // at most
	commit string         // message of a commit after it
}

// Short measurements are enough for changes of this size.
var (
	quick   = []string{"-bench", "InUse", "-benchtime", "50ms"}
	figure  = regexp.MustCompile(`^InUse|/op `)
	change  = regexp.MustCompile(`^InUse\S* .*→.*(\]|exact) `)
	verdict = regexp.MustCompile(`\(hone\.toml:`)
)

var steps = []step{
	{title: "Objective: no garbage per request, and never 10 % slower (hone.toml). Measure, and check",
		args: slices.Concat([]string{"bench", "-count", "6", "-profiletime", "500ms"}, quick), matter: figure, most: 6},
	{args: []string{"check"}, code: 3, matter: verdict, most: 2},
	{title: "Find: which hot lines have slow patterns, and what would help?",
		args: []string{"advise", "latest"}, matter: regexp.MustCompile(`^\S+-[0-9a-f]{6} |^    (\w+\.go:\d+|at most|gain:) `), most: 6},
	{title: "Fix: try the first rewrite, and keep it if tests and measurements confirm it",
		args: []string{"fix", "-count", "10", "-benchtime", "50ms", "regexp-per-call"}, matter: regexp.MustCompile(`^confirmed|^    (InUse|tests)`), most: 3,
		commit: "compile the regular expression once"},
	{title: "Continue by hand: a version without allocations, compared with the last commit",
		edit: [2]string{"greetCompile", "greetScanned"},
		args: slices.Concat([]string{"bench", "-against", "HEAD", "-precheck", "0", "-profiletime", "500ms"}, quick), matter: change, most: 3},
	{args: []string{"check", "-v"}, matter: verdict, most: 2, commit: "no garbage"},
	{title: "Guard: a change that looks harmless fails the check, with exit code 3",
		edit: [2]string{"greetScanned", "greetNoHeader"},
		args: slices.Concat([]string{"check", "-against", "HEAD", "-precheck", "0", "-profile", "none"}, quick), code: 3, matter: verdict, most: 2},
}

func (l *loop) run(ctx context.Context) error {
	if err := os.RemoveAll(l.dir); err != nil {
		return err
	}
	if err := l.unpack(ctx); err != nil {
		return err
	}
	for _, s := range steps {
		if err := l.step(ctx, s); err != nil {
			return err
		}
	}
	first, last, err := l.firstAndLast(ctx)
	if err != nil {
		return err
	}
	if err := l.step(ctx, step{title: "Compare the first version and the last", args: []string{"compare", first, last},
		matter: regexp.MustCompile(change.String() + `|^ .*→ 0 .*\(gone\)`), most: 6}); err != nil {
		return err
	}
	const report = "report.html"
	if err := l.step(ctx, step{args: []string{"compare", "-o", report, first, last}}); err != nil {
		return err
	}
	l.line("Report with flame graphs of the difference: " + filepath.Join(l.dir, report))
	l.line("Full output of all commands: " + filepath.Join(l.dir, "out"))
	l.line("Next: hone tour explains each step, and hone help shows what to try on your own program.")
	return l.show(ctx, first, last)
}

// step runs a command, keeps its output in a file, and shows the important lines.
func (l *loop) step(ctx context.Context, s step) error {
	if s.title != "" {
		l.heading(s.title)
	}
	if s.edit[0] != "" {
		l.line("greet.go: " + s.edit[0] + " → " + s.edit[1])
		if err := l.edit(s.edit[0], s.edit[1]); err != nil {
			return err
		}
	}
	l.command(s.args...)
	l.n++
	file := filepath.Join(l.dir, "out", fmt.Sprintf("%d-%s.txt", l.n, s.args[0]))
	stdout, err := l.runHone(ctx, file, s.args, s.code)
	if err != nil {
		return err
	}
	if s.matter != nil {
		lines := matching(stdout, s.matter)
		if len(lines) == 0 {
			return fmt.Errorf("hone %s didn't print what the demo expects: see %s", s.args[0], file)
		}
		l.lines(lines[:min(s.most, len(lines))])
	}
	if s.commit != "" {
		return l.commit(ctx, s.commit)
	}
	return nil
}

// firstAndLast returns the measurement of the first version, and that of the last step.
// The check of the guard isn't one of them: its change was for the worse.
func (l *loop) firstAndLast(ctx context.Context) (first, last string, err error) {
	cmd := exec.CommandContext(ctx, l.hone, "runs", "-json")
	cmd.Dir = l.dir
	out, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("hone runs: %w", err)
	}
	return pick(out)
}

// pick finds them in the list of runs, which has the newest first.
func pick(list []byte) (first, last string, err error) {
	var runs []struct {
		ID      string
		Command []string
	}
	if err := json.Unmarshal(list, &runs); err != nil {
		return "", "", fmt.Errorf("hone runs: %w", err)
	}
	for _, r := range runs {
		if len(r.Command) < 2 || r.Command[1] != "bench" {
			continue
		}
		if first = r.ID; last == "" {
			last = r.ID
		}
	}
	if first == last {
		return "", "", fmt.Errorf("found %d runs, but not two of hone bench to compare", len(runs))
	}
	return first, last, nil
}
