package main

import (
	"bufio"
	"bytes"
	"context"
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
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/shell"
)

const tourHelp = `usage: hone tour [-y] [-dir DIR]

Walk through the tuning loop on a small web server: set an objective, measure,
find what is slow, fix it, verify that it helped, and guard it. Every step runs
hone's own commands, on a copy of the example in a temporary folder, which is
removed in the end. It takes a minute or two, and needs Go 1.26 or
later and git, but no network.

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
	t := &tour{app: a, hone: self, steps: tourSteps}
	if !*yes && isTerminal(a.stdin) && isTerminal(a.stdout) {
		t.answers = bufio.NewReader(a.stdin)
	}
	if *dir == "" {
		if t.dir, err = os.MkdirTemp("", "hone-tour-"); err != nil {
			return err
		}
		defer os.RemoveAll(t.dir)
	} else {
		if t.dir, err = filepath.Abs(*dir); err != nil {
			return err
		}
		if err := os.Mkdir(t.dir, 0o777); err != nil {
			return err
		}
	}
	if err := t.unpack(ctx); err != nil {
		return err
	}
	err = t.run(ctx)
	if *dir != "" {
		fmt.Fprintf(a.stdout, "The copy is in %s.\n", t.dir)
	}
	return err
}

// A tour is one walk.
type tour struct {
	app     *app
	hone    string // the program to run
	dir     string // of the copy
	steps   []tourStep
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
	write   [2]string // a file and its text
	message string    // of a commit of everything
}

// quick makes a measurement of seconds, enough for changes of this size.
var quick = []string{"-bench", "InUse", "-benchtime", "50ms", "-profiletime", "1s"}

func quickly(args ...string) []string { return append(args, quick...) }

// tourSteps use BenchmarkInUse, which measures the version that greet calls.
var tourSteps = []tourStep{
	{
		title: "The program",
		text: `A web server greets visitors in the color they ask for and tells them which
visitor they are. It is right, and slow. This is its handler:`,
		do: []tourAction{{print: `(?ms)^// greetCompile is .*?^}\n`}},
	},
	{
		title: "Objective",
		text: `Without a number and a bound there is no telling when to stop. These go into
hone.toml, beside go.mod: no garbage per request, and no change may make it slower
by more than 10 %.`,
		do: []tourAction{
			{write: [2]string{"hone.toml", `[[objective]]
name = "no garbage"
benchmark = "^InUse$"
metric = "allocs/op"
max = 0

[[objective]]
name = "stays fast"
benchmark = "^InUse$"
metric = "ns/op"
budget = "10%"
`}},
			{message: "objectives"},
		},
	},
	{
		title: "Measure",
		text: `hone bench runs the benchmark, each sample in a process of its own, and then profiles
it, one kind at a time and apart from the numbers. hone check tells whether the
objectives are met; as a gate it would fail, with exit code 3.`,
		do: []tourAction{
			{hone: quickly("bench", "-count", "6")},
			{hone: []string{"check"}, code: exitMissed},
		},
	},
	{
		title: "Find",
		text: `Numbers and profiles were kept as a run. latest:InUse/cpu is the CPU profile of the
newest one: which functions take the time, and which lines of the handler?`,
		do: []tourAction{
			{hone: []string{"top", "-cum", "-focus", "greet", "-nodecount", "8", "latest:InUse/cpu"}},
			{hone: []string{"list", "greetCompile$", "latest:InUse/cpu"}},
		},
		after: `The line with regexp.MatchString compiles the regular expression for each request.
Matching is a small part of it.`,
	},
	{
		title: "Fix",
		text:  `greetCompiled, in tuned.go, compiles it once. The server is made to use that:`,
		do:    []tourAction{{edit: [2]string{"greetCompile(w, r)", "greetCompiled(w, r)"}}},
	},
	{
		title: "Verify",
		text: `Did it help, and was it that? hone bench -against HEAD builds the last commit and the
files as they are now, and measures both in turn. What changed is measured again, to
confirm it, and profiled on both sides, to tell which functions moved it.`,
		do: []tourAction{
			{hone: quickly("bench", "-against", "HEAD", "-precheck", "0")},
			{message: "compile the regular expression once"},
		},
		after: `The interval is what chance leaves open; "confirmed" says that the second
measurement agrees. Below it, regexp.compile is gone.`,
	},
	{
		title: "And again",
		text: `The second bottleneck has become the first: allocations, says the allocation profile.
tuned.go has three more steps; this goes to the last of them, greetScanned.`,
		do: []tourAction{
			{hone: []string{"list", "greetCompiled$", "latest:InUse/mem"}},
			{edit: [2]string{"greetCompiled(w, r)", "greetScanned(w, r)"}},
			{hone: quickly("bench", "-against", "HEAD", "-precheck", "0")},
			{hone: []string{"check", "-v"}},
			{message: "no garbage"},
		},
	},
	{
		title: "Guard",
		text: `Later somebody finds fmt.Fprintf simpler. hone check -against measures and checks in
one; in CI, exit code 3 fails the build.`,
		do: []tourAction{
			{edit: [2]string{"greetScanned(w, r)", "greetNoHeader(w, r)"}},
			{hone: quickly("check", "-against", "HEAD", "-precheck", "0", "-profile", "none"), code: exitMissed},
		},
	},
}

const tourEnd = `That is the loop. On your own module:

  hone bench                measure and profile
  hone ui latest            look at it in a browser: flame graphs, source, differences
  hone bench -against HEAD  what did my change do?
  hone wall localhost:6060  what does my server wait for?
  hone help                 the rest
`

// unpack writes the example as a module, as it was first written, and commits it.
func (t *tour) unpack(ctx context.Context) error {
	err := fs.WalkDir(examples.Visitors, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(examples.Visitors, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(t.dir, path.Base(name)), text, 0o666)
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(t.dir, "go.mod"), []byte("module visitors\n\ngo 1.26\n"), 0o666); err != nil {
		return err
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
	fmt.Fprintf(out, "The tuning loop, on a copy of an example in %s.\n", t.dir)
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
	_, err := fmt.Fprintf(out, "\n%s\n%s", strings.Repeat("─", 72), tourEnd)
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
		text, err := os.ReadFile(filepath.Join(t.dir, "greet.go"))
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
	case a.write[0] != "":
		fmt.Fprintf(out, "\n%s", indented([]byte(a.write[1])))
		return os.WriteFile(filepath.Join(t.dir, a.write[0]), []byte(a.write[1]), 0o666)
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
	file := filepath.Join(t.dir, "greet.go")
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
		return oneLine(errors.New(text))
	}
	return err.Error()
}

// runHone runs a command as the user would.
func (t *tour) runHone(ctx context.Context, a *tourAction) error {
	fmt.Fprintf(t.app.stdout, "\n$ hone %s\n", compare.CommandLine(a.hone))
	cmd := t.command(ctx, t.hone, a.hone...)
	cmd.Stdout, cmd.Stderr = t.app.stdout, t.app.stderr
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
	cmd.Dir = t.dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		// Within a hook, git sets these to the repository of the hook.
		return strings.HasPrefix(v, "GIT_DIR=") || strings.HasPrefix(v, "GIT_WORK_TREE=") || strings.HasPrefix(v, "GIT_INDEX_FILE=")
	})
	cmd.Env = append(cmd.Env, "GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "PWD="+t.dir)
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return cmd.Process.Kill() // Windows has no signals
		}
		return nil
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
