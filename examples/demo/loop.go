package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/examples"
)

// A loop is one walk through the tuning loop, on a copy of an example.
type loop struct {
	*screen
	hone  string // the program's absolute path
	dir   string // of the copy
	serve bool
	n     int // commands so far
}

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

const objectives = `[[objective]]
name = "no garbage"
benchmark = "^InUse$"
metric = "allocs/op"
max = 0

[[objective]]
name = "stays fast"
benchmark = "^InUse$"
metric = "ns/op"
budget = "10%"
`

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
		args: []string{"advise", "latest"}, matter: regexp.MustCompile(`^\S+-[0-9a-f]{6} |^    (\w+\.go:\d+|at most) `), most: 6},
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

// unpack writes the example as a module, in its first, slow version, and commits it.
func (l *loop) unpack(ctx context.Context) error {
	files := map[string][]byte{
		"go.mod":     []byte("module visitors\n\ngo 1.26\n"),
		"hone.toml":  []byte(objectives),
		".gitignore": []byte("/.hone/\n/out/\n/report.html\n"),
	}
	err := fs.WalkDir(examples.Visitors, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[path.Base(name)], err = fs.ReadFile(examples.Visitors, name)
		return err
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(l.dir, "out"), 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(l.dir, name), text, 0o666); err != nil {
			return err
		}
	}
	if err := l.edit("greetScanned", "greetCompile"); err != nil {
		return err
	}
	if err := l.git(ctx, "init", "-q"); err != nil {
		return err
	}
	return l.commit(ctx, "first version")
}

// edit changes which version of the handler is in use.
func (l *loop) edit(old, new string) error {
	file := filepath.Join(l.dir, "greet.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	call := func(name string) []byte { return []byte("{ " + name + "(w, r) }") }
	if n := bytes.Count(text, call(old)); n != 1 {
		return fmt.Errorf("greet.go calls %s %d times, want 1", old, n)
	}
	return os.WriteFile(file, bytes.Replace(text, call(old), call(new), 1), 0o666)
}

func (l *loop) commit(ctx context.Context, message string) error {
	if err := l.git(ctx, "add", "-A"); err != nil {
		return err
	}
	return l.git(ctx, "commit", "-q", "-m", message)
}

func (l *loop) git(ctx context.Context, args ...string) error {
	// Independent of the user's git settings: names, signatures, hooks.
	settings := []string{"-c", "user.name=hone demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=" + os.DevNull}
	cmd := exec.CommandContext(ctx, "git", append(settings, args...)...)
	cmd.Dir = l.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
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

// runHone runs a command, keeps what it prints in a file, and shows its warnings.
func (l *loop) runHone(ctx context.Context, file string, args []string, want int) (stdout string, err error) {
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fmt.Fprintf(f, "$ hone %s\n", strings.Join(args, " "))
	var out, warnings bytes.Buffer
	cmd := exec.CommandContext(ctx, l.hone, args...)
	cmd.Dir = l.dir
	// hone bench builds with -trimpath: net/http and what it imports are compiled once.
	cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, f), io.MultiWriter(&warnings, f)
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Run()
	for line := range strings.Lines(warnings.String()) {
		if text, ok := strings.CutPrefix(line, "hone: "); ok {
			l.warn("hone: " + strings.TrimSpace(text))
		}
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return "", errors.Join(err, ctx.Err())
	}
	if code := cmd.ProcessState.ExitCode(); code != want {
		return "", fmt.Errorf("hone %s ended with exit code %d, want %d: the machine may be too busy. See %s", args[0], code, want, file)
	}
	return out.String(), f.Close()
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
