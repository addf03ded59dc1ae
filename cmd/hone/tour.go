package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
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
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/hone-go/hone/examples"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/temporary"
)

const tourHelp = `usage: hone tour [-y] [-dir DIR]

Walk through the tuning loop on a small web server: set an objective, measure,
find what is slow, be advised, fix it, verify that it helped, guard it, and put it
under load. Every step runs hone's own commands, on a copy of the example in a
temporary folder, which is removed in the end. It takes a minute or two, and needs
Go 1.26 or later and git, but no network.

On a terminal each step waits for Enter; q ends the tour.

  -y          don't wait
  -dir DIR    work in this folder, which must not be there yet, and leave it

Examples:

  hone tour
  hone tour -y -dir visitors
`

func runTour(ctx context.Context, a *app, args []string) error {
	flags := newFlags("tour")
	yes := flags.Bool("y", false, "")
	dir := flags.String("dir", "", "")
	rest, err := parseArgs(flags, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return &shell.UsageError{Verb: "tour", Err: fmt.Errorf("unexpected argument %q", rest[0])}
	}
	for _, needed := range []struct{ program, why string }{
		{"go", "it builds and runs the benchmarks: https://go.dev/dl"},
		{"git", "a change is compared with the commit before it"},
	} {
		if _, err := exec.LookPath(needed.program); err != nil {
			return fmt.Errorf("the tour needs the %s command, which is not found: %s", needed.program, needed.why)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	script, err := readTour(tourText)
	if err != nil {
		return err
	}
	g := &tour{app: a, hone: self, tourScript: script}
	if !*yes && isTerminal(a.stdin) && isTerminal(a.stdout) {
		g.answers = bufio.NewReader(a.stdin)
	}
	if *dir == "" {
		copied, err := temporary.Make()
		if err != nil {
			return err
		}
		defer copied.Remove()
		g.Dir = copied.Path
	} else {
		if g.Dir, err = filepath.Abs(*dir); err != nil {
			return err
		}
		if err := os.Mkdir(g.Dir, 0o777); err != nil {
			return err
		}
	}
	if err := g.Errorf(ctx); err != nil {
		return err
	}
	err = g.run(ctx)
	if *dir != "" {
		fmt.Fprintf(a.stdout, "The copy is in %s.\n", g.Dir)
	}
	return err
}

// A tour is one walk.
type tour struct {
	app  *app
	hone string // the program to run
	Dir  string // of the copy
	*tourScript
	answers *bufio.Reader // nil: don't wait
}

// A tourStep is what is told and done at one stop.
type tourStep struct {
	title string
	text  string
	do    []tourAction
	after string // what to see in it
}

// A tourAction is one of the following.
type tourAction struct {
	hone    []string // arguments of a command, which has to end with code
	code    int
	print   string    // a part of greet.go: a regular expression
	edit    [2]string // in greet.go, old and new
	write   string    // the name of a file of the script
	message string    // of a commit of everything
}

// tourText is the tour, which uses BenchmarkInUse: it measures the version that greet
// calls, for seconds, which is enough for changes of this size.
//
//go:embed tour.txtar
var tourText []byte

// A tourScript is the tour as it is read from its text.
type tourScript struct {
	steps []tourStep
	files map[string][]byte // by name
	end   string            // what is told last
}

// readTour reads the text of a tour, whose head describes its form.
func readTour(text []byte) (*tourScript, error) {
	s := &tourScript{files: map[string][]byte{}}
	for _, part := range txtar.Parse(text).Files {
		title, isStep := strings.CutPrefix(part.Name, "step: ")
		switch {
		case part.Name == "end":
			s.end = string(part.Data)
		case !isStep:
			s.files[part.Name] = part.Data
		default:
			step, err := readTourStep(title, string(part.Data))
			if err != nil {
				return nil, fmt.Errorf("step %q: %w", title, err)
			}
			s.steps = append(s.steps, step)
		}
	}
	return s, nil
}

func readTourStep(title, text string) (tourStep, error) {
	s := tourStep{title: title}
	told := &s.text
	for line := range strings.Lines(text) {
		do, isAction := strings.CutPrefix(line, "> ")
		if !isAction {
			*told += line
			continue
		}
		a, err := readTourAction(strings.TrimSuffix(do, "\n"))
		if err != nil {
			return s, err
		}
		s.do = append(s.do, a)
		told = &s.after
	}
	s.text, s.after = strings.TrimSuffix(s.text, "\n"), strings.TrimSuffix(s.after, "\n")
	return s, nil
}

// tourWord matches an argument of a command, which is quoted if it has blanks.
var tourWord = lazyregexp.New(`'[^']*'|\S+`)

func readTourAction(line string) (a tourAction, err error) {
	verb, rest, _ := strings.Cut(line, " ")
	if a.code, err = strconv.Atoi(verb); err == nil {
		verb, rest, _ = strings.Cut(rest, " ")
	}
	switch verb {
	case "hone":
		for _, word := range tourWord.Get().FindAllString(rest, -1) {
			a.hone = append(a.hone, strings.Trim(word, "'"))
		}
	case "print":
		a.print = rest
	case "edit":
		a.edit[0], a.edit[1], _ = strings.Cut(rest, " => ")
	case "write":
		a.write = rest
	case "commit":
		a.message = rest
	default:
		return a, fmt.Errorf("%q is nothing that a tour does", line)
	}
	return a, nil
}

// Errorf writes the example as a module, as it was first written, and commits it.
func (t *tour) Errorf(ctx context.Context) error {
	err := fs.WalkDir(examples.Visitors, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(examples.Visitors, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(t.Dir, path.Base(name)), text, 0o666)
	})
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": "module visitors\n\ngo 1.26\n", ".gitignore": "/.hone/\n"} {
		if err := os.WriteFile(filepath.Join(t.Dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	if err := t.edit("greetScanned(w, r)", "greetCompile(w, r)"); err != nil {
		return err
	}
	if out, err := t.command(ctx, "git", "init", "-q").CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %s", orError(out, err))
	}
	return t.commit(ctx, "first version")
}

func (t *tour) run(ctx context.Context) error {
	out := t.app.stdout
	fmt.Fprintf(out, "The tuning loop, on a copy of an example in %s.\n", t.Dir)
	for i := range t.steps {
		s := &t.steps[i]
		if i > 0 {
			on, err := t.wait(ctx)
			if err != nil || !on {
				return err
			}
		}
		fmt.Fprintf(out, "\n── %d of %d: %s %s\n\n%s\n", i+1, len(t.steps), s.title, strings.Repeat("─", max(0, 60-len(s.title))), s.text)
		for _, act := range s.do {
			if err := t.act(ctx, &act); err != nil {
				return err
			}
		}
		if s.after != "" {
			fmt.Fprintf(out, "\n%s\n", s.after)
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n%s", strings.Repeat("─", 72), t.end)
	return err
}

// wait asks to go on, and reports whether to.
func (t *tour) wait(ctx context.Context) (bool, error) {
	if t.answers == nil {
		return true, ctx.Err()
	}
	fmt.Fprint(t.app.stdout, "\n[Enter: go on, q: end] ")
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() { // nothing ends reading a terminal but an answer
		text, err := t.answers.ReadString('\n')
		got <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case a := <-got:
		text := strings.ToLower(strings.TrimSpace(a.text))
		if a.err == io.EOF {
			fmt.Fprintln(t.app.stdout)
			return false, nil
		}
		return text != "q" && text != "quit", a.err
	}
}

func (t *tour) act(ctx context.Context, a *tourAction) error {
	out := t.app.stdout
	switch {
	case a.hone != nil:
		return t.runHone(ctx, a)
	case a.print != "":
		text, err := os.ReadFile(filepath.Join(t.Dir, "greet.go"))
		if err != nil {
			return err
		}
		part := regexp.MustCompile(a.print).Find(text)
		if part == nil {
			return fmt.Errorf("greet.go has no part %s", a.print)
		}
		fmt.Fprintf(out, "\n%s", indented(part))
	case a.edit[0] != "":
		fmt.Fprintf(out, "\n    -func greet(w http.ResponseWriter, r *http.Request) { %s }\n    +func greet(w http.ResponseWriter, r *http.Request) { %s }\n", a.edit[0], a.edit[1])
		return t.edit(a.edit[0], a.edit[1])
	case a.write != "":
		text, ok := t.files[a.write]
		if !ok {
			return fmt.Errorf("the tour has no file %s", a.write)
		}
		fmt.Fprintf(out, "\n%s", indented(text))
		return os.WriteFile(filepath.Join(t.Dir, a.write), text, 0o666)
	case a.message != "":
		return t.commit(ctx, a.message)
	}
	return nil
}

func indented(text []byte) string {
	var b strings.Builder
	for line := range bytes.Lines(text) {
		fmt.Fprintf(&b, "    %s", line)
	}
	return b.String()
}

// edit changes the one place in greet.go that says which version is in use.
func (t *tour) edit(old, new string) error {
	file := filepath.Join(t.Dir, "greet.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if n := bytes.Count(text, []byte("{ "+old+" }")); n != 1 {
		return fmt.Errorf("greet.go calls %s %d times", old, n)
	}
	return os.WriteFile(file, bytes.Replace(text, []byte("{ "+old+" }"), []byte("{ "+new+" }"), 1), 0o666)
}

func (t *tour) commit(ctx context.Context, message string) error {
	// Whatever the user's git asks for: names, signatures, hooks.
	settings := []string{"-c", "user.name=hone tour", "-c", "user.email=tour@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=" + os.DevNull}
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", message}} {
		if out, err := t.command(ctx, "git", append(settings, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %s", args[0], orError(out, err))
		}
	}
	return nil
}

func orError(output []byte, err error) string {
	if text := strings.TrimSpace(string(output)); text != "" {
		return compare.OneLine(errors.New(text))
	}
	return err.Error()
}

// runHone runs a command as the user would.
func (t *tour) runHone(ctx context.Context, a *tourAction) error {
	fmt.Fprintf(t.app.stdout, "\n$ hone %s\n", compare.CommandLine(a.hone))
	cmd := t.command(ctx, t.hone, a.hone...)
	cmd.Stdout, cmd.Stderr = shell.TerminalOf(t.app.stdout), shell.TerminalOf(t.app.stderr)
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		return err
	}
	if code == a.code {
		if code != 0 {
			fmt.Fprintf(t.app.stdout, "(exit code %d)\n", code)
		}
		return nil
	}
	switch {
	case a.code == exitMissed && code == 0:
		return fmt.Errorf("hone %s should have found something: the machine may be too busy; try again", a.hone[0])
	case a.code == 0 && code == exitMissed:
		return fmt.Errorf("hone %s found a change for the worse: the machine may be too busy; try again", a.hone[0])
	}
	return fmt.Errorf("hone %s ended with exit code %d", a.hone[0], code)
}

// command prepares a program to run in the copy, apart from whatever module or
// settings the user is in.
func (t *tour) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.Dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		// Within a hook, git sets these to the repository of the hook.
		return strings.HasPrefix(v, "GIT_DIR=") || strings.HasPrefix(v, "GIT_WORK_TREE=") || strings.HasPrefix(v, "GIT_INDEX_FILE=")
	})
	// hone bench builds with -trimpath. If all else does too, net/http and what it imports are compiled once.
	cmd.Env = append(cmd.Env, "GOWORK=off", "GOFLAGS=-trimpath", "GO111MODULE=on", "PWD="+t.Dir)
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return cmd.Process.Kill() // Windows has no signals
		}
		return nil
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
