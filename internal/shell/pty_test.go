//go:build unix

package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/profile"
)

// subjectEnv makes the test binary a shell over the named profile whose reports
// and header come from `go tool pprof`, so that the shell alone is under test.
const subjectEnv = "HONE_TEST_SHELL_PROFILE"

// oracleEnv names its `go tool pprof`, which a shell with another cache would
// have to build.
const oracleEnv = "HONE_TEST_SHELL_PPROF"

func TestMain(m *testing.M) {
	if file := os.Getenv(subjectEnv); file != "" {
		if err := runSubject(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if honeDir != "" {
		os.RemoveAll(honeDir)
	}
	os.Exit(code)
}

func runSubject(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	p, err := profile.Decode(f, profile.Limits{})
	if err != nil {
		return err
	}
	oracle := os.Getenv(oracleEnv)
	history, err := HistoryFile()
	if err != nil {
		return err
	}
	s := &Session{
		Profile: p,
		Config:  DefaultConfig(),
		Header: func(*profile.Profile, report.Options) ([]string, error) {
			cmd := exec.Command(oracle, file)
			cmd.Env = append(os.Environ(), "TERM=dumb")
			text, err := cmd.CombinedOutput()
			header, _, _ := strings.Cut(string(text), "Entering")
			return strings.Split(strings.TrimSpace(strings.TrimPrefix(header, prompt)), "\n"), err
		},
		Generate: func(ctx context.Context, w io.Writer, _ *profile.Profile, command, param string, o report.Options) error {
			if command == "comments" && param == "" && o.Focus == "hang" {
				fmt.Fprintln(os.Stderr, "hanging")
				<-ctx.Done()
				return ctx.Err()
			}
			cmd := exec.CommandContext(ctx, oracle, append(oracleFlags(command, param, o), file)...)
			var stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = w, &stderr
			err := cmd.Run()
			if err == nil {
				_, err = stderr.WriteTo(os.Stderr)
				return err
			}
			return errors.New(strings.TrimSuffix(stderr.String(), "\n"))
		},
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		HistoryFile: history,
	}
	return s.Run(context.Background())
}

// oracleFlags returns the flags that make `go tool pprof` print a report.
func oracleFlags(command, param string, o report.Options) []string {
	flags := []string{"-" + command}
	if param != "" {
		flags[0] += "=" + param
	}
	got, def := Config{Options: o}, DefaultConfig()
	for _, name := range variableNames() {
		value, _ := got.Get(name)
		if old, _ := def.Get(name); value == old {
			continue
		}
		if v, _, _ := lookupVariable(name); len(v.choices) > 0 {
			flags = append(flags, "-"+value)
		} else {
			flags = append(flags, "-"+name+"="+value)
		}
	}
	return flags
}

// dialogue is what is typed, in order. It avoids what `go tool pprof` answers
// now so and now so, such as entries of one name and value at -files.
const dialogue = `
top
top5
top 3 -cum
top 4 json -runtime
tree 5
tree 3 json
text 2
peek checkValid$
peek
list stateInString$
list nosuchfunction
list (
traces json.stateInString
tags
raw 5
comments
dot 5
dot >graph.dot
callgrind >graph.callgrind
proto >profile.pb.gz
topproto
callgrind
top 2 > top.txt
topproto >
focus=json
top5
ignore=runtime
top5
:
top2
hide=runtime
show=json|runtime
tree 4
hide=
show=
show_from=main
prune_from=unquote
top5
show_from=
prune_from=
tagfocus=nosuchkey=1kb:
top3
:
samples
top3
total_cpu
top3
mean_cpu
top3
cpu
mean=false
top3
sample_index=0
top 1
sample_index=9
sample_index=nosuchtype
sample_index=cpu
granularity=lines
top4
granularity=files
top3
granularity=addresses
top4
granularity=nosuch
granularity=functions
sort=cum
top4
sort=nosuch
sort=flat
unit=ms
top3
unit=minimum
nodecount=3
top
tree
nodecount=x
nodecount=-1
trim=false
tree 2
trim=yes
nodefraction=0.2
edgefraction=0.1
tree
nodefraction=0.005
edgefraction=0.001
divide_by=2
top2
divide_by=0
top2
divide_by=1
relative_percentages
focus=json
top3
relative_percentages=n
:
compact_labels=0
top1
compact_labels=maybe
compact_labels
call_tree
dot 3
call_tree=f
noinlines=true
top4
noinlines=0
drop_negative=1
top2
drop_negative=0
o
options
tagroot=thread
top2
tagroot=
focus
focus json
focus10
nosuchcommand
nosuchcommand5
help nosuchcommand
focus=(
top
:
nodecount = 4 //: a comment
top
output=all.txt
top
tree
output=
quit
`

func dialogueLines() []string {
	return strings.Split(strings.TrimSpace(dialogue), "\n")
}

// TestDialogue types the same lines to `go tool pprof` and to the shell on a
// pseudo-terminal each, and compares what they answer and the files they write.
// The shell is tried twice: with reports made by `go tool pprof`, which leaves
// only the shell to differ, and in the program hone.
func TestDialogue(t *testing.T) {
	file := dialogueProfile(t)
	oracle := oraclePath(t)
	if oracle == "" {
		t.Skip("no go tool pprof to compare with")
	}
	want := converse(t, []string{oracle, file}, nil)
	for _, subject := range subjects(t, file) {
		t.Run(subject.name, func(t *testing.T) {
			subject.skip(t)
			compareConversations(t, want, converse(t, subject.args, subject.env))
		})
	}
}

// TestPiped does the same with input that is no terminal, where standard output
// and standard error are told apart.
func TestPiped(t *testing.T) {
	file := dialogueProfile(t)
	oracle := oraclePath(t)
	if oracle == "" {
		t.Skip("no go tool pprof to compare with")
	}
	run := func(t *testing.T, args, env []string) (stdout, stderr string, files map[string]string) {
		t.Helper()
		var out, errs bytes.Buffer
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), env...)
		cmd.Stdin = strings.NewReader(strings.Join(dialogueLines(), "\n")) // the last without a newline
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Errorf("%v\n%s", err, &errs)
		}
		return out.String(), errs.String(), readFiles(t, cmd.Dir)
	}
	wantOut, wantErr, wantFiles := run(t, []string{oracle, file}, nil)
	if strings.Count(wantOut, prompt) < 30 {
		t.Fatalf("go tool pprof said only\n%s%s", wantOut, wantErr)
	}
	for _, subject := range subjects(t, file) {
		t.Run(subject.name, func(t *testing.T) {
			subject.skip(t)
			out, errs, files := run(t, subject.args, subject.env)
			compareText(t, "standard output", wantOut, out)
			compareText(t, "standard error", wantErr, errs)
			compareFiles(t, wantFiles, files)
		})
	}
}

// TestHelpMentionsAll compares the help texts, which are not the same words:
// whatever `go tool pprof` has, hone has.
func TestHelpMentionsAll(t *testing.T) {
	file := dialogueProfile(t)
	oracle := oraclePath(t)
	if oracle == "" {
		t.Skip("no go tool pprof to compare with")
	}
	cmd := exec.Command(oracle, file)
	cmd.Stdin = strings.NewReader("help\n")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^ +([a-z_]+) `).FindAllStringSubmatch(string(text), -1)
	if len(names) < 60 {
		t.Fatalf("found only %d names in\n%s", len(names), text)
	}
	for _, name := range names {
		if name[1] == "type" { // of the line that tells how to get more help
			continue
		}
		if text, ok := help(name[1], nil); !ok || len(text) < 20 {
			t.Errorf("help %s: %q", name[1], text)
		}
		if !strings.Contains(helpAll(), name[1]) {
			t.Errorf("help does not mention %s", name[1])
		}
	}
}

// TestTerminal uses what go tool pprof does not have: ^C, completion, history.
func TestTerminal(t *testing.T) {
	file := dialogueProfile(t)
	if oraclePath(t) == "" {
		t.Skip("no go tool pprof to make reports")
	}
	cache := t.TempDir()
	subject := subjects(t, file)[0]
	env := append(subject.env, "XDG_CACHE_HOME="+cache, "HOME="+cache)
	c := startConversation(t, subject.args, env, t.TempDir())
	c.await(prompt)

	steps := []struct{ typed, want string }{
		{"nosuch", "nosuch"},
		{"\x03", "^C\n" + prompt},
		{"\x03", "^C\n" + prompt},
		{"x=\x03comments\r", "^C\n" + prompt + "comments\n" + prompt},
		{"comments hang\r", "comments hang\n"},
	}
	for _, step := range steps {
		c.send(step.typed)
		c.await(step.want)
	}
	c.await("hanging\n") // the terminal is no longer raw
	c.send("\x03")
	c.await("interrupted\n" + prompt)

	c.send("unkn\r")
	c.await("unrecognized command: \"unkn\"\n" + prompt)
	c.send("\x1b[A")
	c.await("unkn")
	c.send("\x15tota\t")
	c.await("total_cpu      total_samples\n" + prompt)
	c.await("total_")
	c.send("\x15peek unquoteB\t")
	c.await("peek encoding/json.unquoteBytes")
	c.send("\r")
	c.await("encoding/json.unquoteBytes\n")
	c.await(prompt)
	c.send("\x04")
	c.wait()

	data, err := os.ReadFile(filepath.Join(cache, "hone", "pprof_history"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(data), "comments\ncomments hang\nunkn\npeek encoding/json.unquoteBytes\n"; got != want {
		t.Errorf("history:\n%swant:\n%s", got, want)
	}
	c = startConversation(t, subject.args, env, t.TempDir())
	c.await(prompt)
	c.send("\x1b[A")
	c.await("peek encoding/json.unquoteBytes")
	c.send("\x03\x04")
	c.wait()
}

func dialogueProfile(t *testing.T) string {
	t.Helper()
	for _, file := range []string{"../../testdata/cpu.json-decode.pb.gz"} {
		if _, err := os.Stat(file); err == nil {
			abs, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			return abs
		}
	}
	t.Skip("no profile to talk about")
	return ""
}

// subject is a shell under test.
type subject struct {
	name      string
	args, env []string
	missing   error
}

func (s subject) skip(t *testing.T) {
	t.Helper()
	if s.missing != nil {
		t.Skipf("NOT TESTED: cmd/hone does not build: %v", s.missing)
	}
}

func subjects(t *testing.T, file string) []subject {
	t.Helper()
	hone, err := buildHone()
	return []subject{
		{name: "shell", args: []string{os.Args[0]}, env: []string{subjectEnv + "=" + file, oracleEnv + "=" + oraclePath(t)}},
		{name: "hone", args: []string{hone, "pprof", file}, missing: err},
	}
}

// honeDir is where buildHone has put hone; TestMain removes it.
var honeDir string

var buildHone = sync.OnceValues(func() (file string, err error) {
	honeDir, err = os.MkdirTemp("", "hone-shell-test")
	if err != nil {
		return "", err
	}
	file = filepath.Join(honeDir, "hone")
	if out, err := exec.Command("go", "build", "-o", file, "../../cmd/hone").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})

// exchange is one line typed and what came back before the next prompt.
type exchange struct {
	typed, answer string
}

type conversationRecord struct {
	exchanges []exchange
	files     map[string]string
}

// converse types the dialogue to a program on a pseudo-terminal.
func converse(t *testing.T, args, env []string) conversationRecord {
	t.Helper()
	dir, cache := t.TempDir(), t.TempDir()
	c := startConversation(t, args, append(env, "XDG_CACHE_HOME="+cache, "HOME="+cache), dir)
	var r conversationRecord
	greeting := c.await(prompt)
	r.exchanges = append(r.exchanges, exchange{"", strings.TrimSuffix(greeting, prompt)})
	for _, line := range dialogueLines() {
		c.send(line + "\r")
		if line == "quit" {
			break
		}
		answer := c.await("\n" + prompt)
		answer = strings.TrimPrefix(answer, line+"\n")
		r.exchanges = append(r.exchanges, exchange{line, strings.TrimSuffix(answer, prompt)})
	}
	c.wait()
	r.files = readFiles(t, dir)
	return r
}

func compareConversations(t *testing.T, want, got conversationRecord) {
	t.Helper()
	for i, w := range want.exchanges {
		if i >= len(got.exchanges) {
			t.Fatalf("ended after %d of %d lines", len(got.exchanges), len(want.exchanges))
		}
		if g := got.exchanges[i]; g != w {
			t.Errorf("to %q it answers\n%s\nwant\n%s", g.typed, g.answer, w.answer)
		}
	}
	compareFiles(t, want.files, got.files)
}

// readFiles returns the contents of the files in dir; of profiles, what
// go tool pprof says is in them, for compression may differ.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(name)
		if strings.HasSuffix(name, ".pb.gz") {
			data, err = exec.Command(oraclePath(t), "-raw", name).CombinedOutput()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

func compareFiles(t *testing.T, want, got map[string]string) {
	t.Helper()
	for name, w := range want {
		g, ok := got[name]
		if !ok {
			t.Errorf("file %s was not written", name)
			continue
		}
		compareText(t, name, w, g)
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("file %s was written", name)
		}
	}
}

// compareText reports the first line that differs.
func compareText(t *testing.T, name, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			from := max(0, i-3)
			t.Errorf("%s differs in line %d: got\n%s\nwant\n%s", name, i+1,
				strings.Join(g[min(from, len(g)):min(i+3, len(g))], "\n"), strings.Join(w[min(from, len(w)):min(i+3, len(w))], "\n"))
			return
		}
	}
}
