package gocmd

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
)

// module returns the folder of a module with some files.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	files["go.mod"] = "module example.com/m\n\ngo 1.21\n"
	return gittest.Folder(t, files)
}

func TestList(t *testing.T) {
	dir := module(t, map[string]string{"a.go": "package a\n", "b/b.go": "package b\n"})
	type listed struct{ ImportPath, Name string }
	got, err := List[listed](t.Context(), Command{Dir: dir, Args: []string{"./..."}})
	if err != nil || len(got) != 2 || got[0] != (listed{"example.com/m", "a"}) || got[1] != (listed{"example.com/m/b", "b"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = List[listed](t.Context(), Command{Dir: dir, Args: []string{"./none"}})
	var failed *Error
	if !errors.As(err, &failed) || failed.Verb != "list" || !strings.HasPrefix(err.Error(), "go list: ") || !strings.Contains(failed.Stderr, "none") {
		t.Errorf("of a package that isn't there: %v", err)
	}
	_, err = List[map[string]int](t.Context(), Command{Dir: dir})
	if !errors.As(err, &failed) || failed.Stderr != "" {
		t.Errorf("of values of another type: %v", err)
	}
}

// A repository's settings of git are not asked while packages are listed.
func TestListAsksNoVersionControl(t *testing.T) {
	var args []string
	run := func(cmd *exec.Cmd) error { args = cmd.Args; return nil }
	if _, err := List[struct{}](t.Context(), Command{Args: []string{"-m"}, Run: run}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(args, " "), "go list -buildvcs=false -json -m"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}

func TestEnviron(t *testing.T) {
	dir := module(t, map[string]string{})
	got, err := Command{Dir: dir, Env: []string{"GOFLAGS=-mod=mod -trimpath"}}.Environ(t.Context(), "GOMOD", "GOFLAGS", "GONOSUCHTHING")
	if err != nil || len(got) != 3 || filepath.Base(got[0]) != "go.mod" || got[1] != "-mod=mod -trimpath" || got[2] != "" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	dir := module(t, map[string]string{"a.go": "package a\n\nvar x int = \"\"\n"})
	out, err := Command{Dir: dir, Args: []string{"vet", "."}}.Output(t.Context())
	var failed *Error
	if out != nil || !errors.As(err, &failed) || !strings.Contains(err.Error(), "a.go:3") {
		t.Errorf("of code that doesn't build: got %q, %v", out, err)
	}
	if !errors.As(err, new(*exec.ExitError)) {
		t.Errorf("how it ended is not told: %#v", err)
	}
	all, err := Command{Dir: dir, Args: []string{"vet", "."}}.CombinedOutput(t.Context())
	if err == nil || !strings.Contains(string(all), "a.go:3") {
		t.Errorf("all that is printed: %q, %v", all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Command{Dir: dir, Args: []string{"version"}}).Output(ctx); err != context.Canceled {
		t.Errorf("after the end: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := (Command{Args: []string{"version"}}).Output(t.Context()); !errors.Is(err, exec.ErrNotFound) || !strings.HasPrefix(err.Error(), "go version: ") {
		t.Errorf("without a go command: %v", err)
	}
}

// Run is how a command is run, if there is one.
func TestRun(t *testing.T) {
	ran := 0
	c := Command{Args: []string{"env", "GOOS"}, Env: []string{"GOOS=plan9"}, Run: func(cmd *exec.Cmd) error { ran++; return cmd.Run() }}
	if out, err := c.Output(t.Context()); err != nil || ran != 1 || strings.TrimSpace(string(out)) != "plan9" {
		t.Errorf("ran %d times: %q, %v", ran, out, err)
	}
}

// What an overlay says is what the go command reads, in place of files and beside them.
func TestOverlay(t *testing.T) {
	dir := module(t, map[string]string{"a.go": "package a\n\nfunc F() int { return \"\" }\n", "b.go": "package a\n\nvar broken int = \"\"\n", "c.go": "package b\n"})
	scratch := t.TempDir()
	overlay, err := OverlayTexts(scratch, map[string][]byte{
		filepath.Join(dir, "a.go"): []byte("package a\n\nfunc F() int { return 1 }\n"),
		filepath.Join(dir, "b.go"): []byte("package a\n"),
		filepath.Join(dir, "c.go"): nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := (Command{Dir: dir, Args: []string{"vet", "-overlay=" + overlay, "."}}).CombinedOutput(t.Context()); err != nil {
		t.Errorf("with other texts: %v: %s", err, out)
	}
	file := filepath.Join(scratch, "other.json")
	if err := WriteOverlay(file, map[string]string{"x": "1", "y": "2"}, map[string]string{"y": "", "z": "3"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &got); err != nil || len(got.Replace) != 3 || got.Replace["x"] != "1" || got.Replace["y"] != "" || got.Replace["z"] != "3" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestExactPattern(t *testing.T) {
	if got, want := ExactPattern("BenchmarkA/n=[1]/x.y|z"), `^BenchmarkA$/^n=\[1\]$/^x\.y\|z$`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What a go.mod and a go.work say about other folders.
func TestReadModFile(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{
		"go.mod":  "module example.com/m\n\ngo 1.21\n\nreplace (\n\texample.com/a => ../a\n\texample.com/b v1.2.3 => /src/b\n\texample.com/c => example.com/d v1.0.0\n)\n",
		"go.work": "go 1.21\n\nuse ./m\n\nreplace example.com/e => ./e\n",
		"bad.mod": "modul\n",
	})
	mod, err := ReadModFile(t.Context(), filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if got := mod.Replacements(); len(got) != 2 || got[0] != (Replacement{"example.com/a", "../a"}) || got[1] != (Replacement{"example.com/b", "/src/b"}) {
		t.Errorf("replacements %+v", got)
	}
	work, err := ReadModFile(t.Context(), filepath.Join(dir, "go.work"))
	if err != nil || len(work.Use) != 1 || work.Use[0].DiskPath != "./m" || len(work.Replacements()) != 1 || work.Replacements()[0].Path != "example.com/e" {
		t.Errorf("go.work: %+v, %v", work, err)
	}
	if _, err := ReadModFile(t.Context(), filepath.Join(dir, "bad.mod")); err == nil || !strings.HasPrefix(err.Error(), "go mod: ") {
		t.Errorf("of a file that isn't a go.mod: %v", err)
	}
}

// GOFLAGS has flags between spaces, and quotes for those that have spaces.
func TestSplitFlags(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, " ": nil, "-mod=mod  -tags=a,b": {"-mod=mod", "-tags=a,b"}, `'-ldflags=-s -w' "-gcflags=all='-N'" -race`: {"-ldflags=-s -w", "-gcflags=all='-N'", "-race"},
	} {
		if got := SplitFlags(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestFailedTests(t *testing.T) {
	out := "--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/x (0.00s)\nFAIL\nFAIL\texample.com/m\t0.1s\nFAIL\texample.com/m\t0.1s\nok\texample.com/n\t0.1s\n"
	if got := strings.Join(FailedTests([]byte(out)), ", "); got != "FAIL example.com/m, TestB, TestB/x" {
		t.Errorf("failed: %s", got)
	}
}
