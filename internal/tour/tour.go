// Package tour walks through the tuning loop on a copy of an example: a script says what to
// tell, which commands of hone to run, and what to change in between.
package tour

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
)

// Check returns an error if a program that the tour runs is not installed.
func Check() error {
	for _, needed := range []struct{ program, why string }{
		{"go", "it builds and runs the benchmarks: https://go.dev/dl"},
		{"git", "a change is compared with the commit before it"},
	} {
		if _, err := exec.LookPath(needed.program); err != nil {
			return fmt.Errorf("the tour needs the %s command, which was not found: %s", needed.program, needed.why)
		}
	}
	return nil
}

// A Guide gives a tour.
type Guide struct {
	Hone           string        // the program to run
	Dir            string        // an empty folder for the copy
	Out            io.Writer     // what the tour tells
	Stdout, Stderr io.Writer     // what the commands print
	Answers        *bufio.Reader // asked between steps whether to go on; nil: don't ask
}

// Walk copies the example into g.Dir and gives the tour.
func (g *Guide) Walk(ctx context.Context) error {
	s, err := readScript(scriptText)
	if err != nil {
		return err
	}
	if err := g.unpack(ctx); err != nil {
		return err
	}
	return g.follow(ctx, s)
}

// A step is one stop of the tour.
type step struct {
	title string
	text  string
	do    []action
	after string // what to look at in the output
}

// An action does one of the following.
type action struct {
	hone    []string // arguments of a command, which must end with code
	code    int
	print   string    // a part of greet.go: a regular expression
	edit    [2]string // in greet.go, old and new
	write   string    // the name of a file of the script
	message string    // of a commit of everything
}

// scriptText is the tour, which uses BenchmarkInUse: it measures the version that greet
// calls, for seconds, which is enough for changes of this size.
//
//go:embed tour.txtar
var scriptText []byte

// A script is the tour as it is read from its text.
type script struct {
	steps []step
	files map[string][]byte // by name
	end   string            // the last text
}

// readScript reads the text of a tour; its head describes the format.
func readScript(text []byte) (*script, error) {
	s := &script{files: map[string][]byte{}}
	for _, part := range txtar.Parse(text).Files {
		title, isStep := strings.CutPrefix(part.Name, "step: ")
		switch {
		case part.Name == "end":
			s.end = string(part.Data)
		case !isStep:
			s.files[part.Name] = part.Data
		default:
			one, err := readStep(title, string(part.Data))
			if err != nil {
				return nil, fmt.Errorf("step %q: %w", title, err)
			}
			s.steps = append(s.steps, one)
		}
	}
	return s, nil
}

func readStep(title, text string) (step, error) {
	s := step{title: title}
	told := &s.text
	for line := range strings.Lines(text) {
		do, isAction := strings.CutPrefix(line, "> ")
		if !isAction {
			*told += line
			continue
		}
		a, err := readAction(strings.TrimSuffix(do, "\n"))
		if err != nil {
			return s, err
		}
		s.do = append(s.do, a)
		told = &s.after
	}
	s.text, s.after = strings.TrimSuffix(s.text, "\n"), strings.TrimSuffix(s.after, "\n")
	return s, nil
}

// argument matches an argument of a command, which is quoted if it has blanks.
var argument = lazyregexp.New(`'[^']*'|\S+`)

func readAction(line string) (a action, err error) {
	verb, rest, _ := strings.Cut(line, " ")
	if a.code, err = strconv.Atoi(verb); err == nil {
		verb, rest, _ = strings.Cut(rest, " ")
	}
	switch verb {
	case "hone":
		for _, w := range argument.Get().FindAllString(rest, -1) {
			a.hone = append(a.hone, strings.Trim(w, "'"))
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
		return a, fmt.Errorf("unknown action %q", line)
	}
	return a, nil
}

// unpack writes the example as a module, in its first, slow version, and commits it.
func (g *Guide) unpack(ctx context.Context) error {
	err := fs.WalkDir(examples.Visitors, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(examples.Visitors, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(g.Dir, path.Base(name)), text, 0o666)
	})
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": "module visitors\n\ngo 1.26\n", ".gitignore": "/.hone/\n"} {
		if err := os.WriteFile(filepath.Join(g.Dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	if err := g.edit("greetScanned(w, r)", "greetCompile(w, r)"); err != nil {
		return err
	}
	if out, err := g.command(ctx, "git", "init", "-q").CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %s", orError(out, err))
	}
	return g.commit(ctx, "first version")
}

func (g *Guide) follow(ctx context.Context, script *script) error {
	out := g.Out
	fmt.Fprintf(out, "The tuning loop, on a copy of an example in %s.\n", g.Dir)
	for i := range script.steps {
		s := &script.steps[i]
		if i > 0 {
			on, err := g.wait(ctx)
			if err != nil || !on {
				return err
			}
		}
		fmt.Fprintf(out, "\n── %d of %d: %s %s\n\n%s\n", i+1, len(script.steps), s.title, strings.Repeat("─", max(0, 60-len(s.title))), s.text)
		for _, act := range s.do {
			if err := g.act(ctx, &act, script.files); err != nil {
				return err
			}
		}
		if s.after != "" {
			fmt.Fprintf(out, "\n%s\n", s.after)
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n%s", strings.Repeat("─", 72), script.end)
	return err
}

// wait asks whether to continue.
func (g *Guide) wait(ctx context.Context) (bool, error) {
	if g.Answers == nil {
		return true, ctx.Err()
	}
	fmt.Fprint(g.Out, "\n[Enter: continue, q: quit] ")
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() { // only an answer ends reading from a terminal
		text, err := g.Answers.ReadString('\n')
		got <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case a := <-got:
		text := strings.ToLower(strings.TrimSpace(a.text))
		if a.err == io.EOF {
			fmt.Fprintln(g.Out)
			return false, nil
		}
		return text != "q" && text != "quit", a.err
	}
}

func (g *Guide) act(ctx context.Context, a *action, files map[string][]byte) error {
	out := g.Out
	switch {
	case a.hone != nil:
		return g.runHone(ctx, a)
	case a.print != "":
		text, err := os.ReadFile(filepath.Join(g.Dir, "greet.go"))
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
		return g.edit(a.edit[0], a.edit[1])
	case a.write != "":
		text, ok := files[a.write]
		if !ok {
			return fmt.Errorf("the tour has no file %s", a.write)
		}
		fmt.Fprintf(out, "\n%s", indented(text))
		return os.WriteFile(filepath.Join(g.Dir, a.write), text, 0o666)
	case a.message != "":
		return g.commit(ctx, a.message)
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

// edit changes the line of greet.go that selects the version.
func (g *Guide) edit(old, new string) error {
	file := filepath.Join(g.Dir, "greet.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if n := bytes.Count(text, []byte("{ "+old+" }")); n != 1 {
		return fmt.Errorf("greet.go calls %s %d times", old, n)
	}
	return os.WriteFile(file, bytes.Replace(text, []byte("{ "+old+" }"), []byte("{ "+new+" }"), 1), 0o666)
}

func (g *Guide) commit(ctx context.Context, message string) error {
	// Independent of the user's git settings: names, signatures, hooks.
	settings := []string{"-c", "user.name=hone tour", "-c", "user.email=tour@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=" + os.DevNull}
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", message}} {
		if out, err := g.command(ctx, "git", append(settings, args...)...).CombinedOutput(); err != nil {
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

// missed is the exit code of hone when an objective was missed or something got worse.
const missed = 3

// runHone runs a command as the user would.
func (g *Guide) runHone(ctx context.Context, a *action) error {
	fmt.Fprintf(g.Out, "\n$ hone %s\n", compare.CommandLine(a.hone))
	cmd := g.command(ctx, g.Hone, a.hone...)
	cmd.Stdout, cmd.Stderr = g.Stdout, g.Stderr
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
			fmt.Fprintf(g.Out, "(exit code %d)\n", code)
		}
		return nil
	}
	switch {
	case a.code == missed && code == 0:
		return fmt.Errorf("hone %s found nothing, although it should: the machine may be too busy; try again", a.hone[0])
	case a.code == 0 && code == missed:
		return fmt.Errorf("hone %s found a regression, although it should not: the machine may be too busy; try again", a.hone[0])
	}
	return fmt.Errorf("hone %s ended with exit code %d", a.hone[0], code)
}

// command prepares a program to run in the copy, independent of the user's module and
// settings.
func (g *Guide) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = g.Dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		// In a hook, git sets these to the repository of the hook.
		return strings.HasPrefix(v, "GIT_DIR=") || strings.HasPrefix(v, "GIT_WORK_TREE=") || strings.HasPrefix(v, "GIT_INDEX_FILE=")
	})
	// hone bench builds with -trimpath. If everything else does too, net/http is compiled once.
	cmd.Env = append(cmd.Env, "GOWORK=off", "GOFLAGS=-trimpath", "GO111MODULE=on", "PWD="+g.Dir)
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return cmd.Process.Kill() // Windows has no signals
		}
		return nil
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
