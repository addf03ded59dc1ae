package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// TestModules gives advice on modules of each kind that there is: in workspaces, with replaced and vendored dependencies,
// with generated code, with build tags. Each archive in testdata/modules has the files of one, and before them lines that
// say what is run and what is expected:
//
//	dir: app                        where hone runs, from the archive's folder; "." is the default
//	env: GOFLAGS=-tags=fast         a variable of the environment
//	flags: -tags=fast               flags of hone advise
//	git: yes                        the archive's folder is a git repository
//	needs: gcc                      a program without which there is nothing to test
//	as: lib/a.go example.com/lib/a.go   how the profile names a file, if not by its absolute name
//	found: RULE FILE:FUNCTION rewrite   a finding: "rewrite" passes hone fix -check, all else is text of it
//	unexamined: TEXT                what hone says it can't examine
//	tune: ./...                     patterns for which hone tune tries a rewrite
//
// The profile has a sample for each line with a comment "// hot: CALLEE", in a function that the line calls, or in the
// line itself if that is "-". All findings are expected, except those about hot lines without a pattern.
func TestModules(t *testing.T) {
	files, err := filepath.Glob("testdata/modules/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { newModuleCase(t, archive).run(t) })
	}
}

// A moduleCase is an archive of TestModules.
type moduleCase struct {
	root  string
	said  map[string][]string // values of the lines before the files
	files map[string]string
}

func newModuleCase(t *testing.T, archive *txtar.Archive) *moduleCase {
	c := &moduleCase{said: make(map[string][]string), files: make(map[string]string)}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && !strings.HasPrefix(line, "#") {
			c.said[key] = append(c.said[key], value)
		}
	}
	for _, f := range archive.Files {
		c.files[f.Name] = string(f.Data)
	}
	return c
}

// value is the last value of a key.
func (c *moduleCase) value(key, otherwise string) string {
	if all := c.said[key]; len(all) > 0 {
		return all[len(all)-1]
	}
	return otherwise
}

func (c *moduleCase) run(t *testing.T) {
	for _, program := range c.said["needs"] {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	for _, env := range append([]string{"GOFLAGS=", "GOPROXY=off", "GOWORK=", "GOTOOLCHAIN=local"}, c.said["env"]...) {
		name, value, _ := strings.Cut(env, "=")
		t.Setenv(name, value)
	}
	c.root = moduleOfFiles(t, c.files)
	if c.value("git", "no") == "yes" {
		for _, args := range []string{"init -q", "add .", "-c user.name=x -c user.email=x@example.com commit -q -m first"} {
			if out, err := exec.Command("git", strings.Fields(args)...).CombinedOutput(); err != nil {
				t.Fatalf("git %s: %v\n%s", args, err, out)
			}
		}
	}
	p := c.profile(t)
	t.Chdir(filepath.Join(c.root, c.value("dir", ".")))
	args := append([]string{"advise", "-compiler=false", "-json"}, c.said["flags"]...)
	out := hone(t, append(args, p)...)
	if out.code != exitOK {
		t.Fatalf("exit code %d\n%s", out.code, out.stderr)
	}
	var report struct {
		Findings []struct {
			ID, Rule, Class, File, Function, Why string
			Caveats                              []string
			Fix                                  *struct{ Diff string }
		}
		Unexamined []string
	}
	if err := json.Unmarshal([]byte(out.stdout), &report); err != nil {
		t.Fatal(err)
	}
	expected := slices.Clone(c.said["found"])
	for _, f := range report.Findings {
		if f.Class == "look" {
			continue
		}
		rel, err := filepath.Rel(c.root, f.File)
		if err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf("%s %s:%s ", f.Rule, filepath.ToSlash(rel), f.Function)
		at := slices.IndexFunc(expected, func(e string) bool { return strings.HasPrefix(e, head) })
		if at < 0 {
			t.Errorf("found %s, which is not expected: %s", head, f.Why)
			continue
		}
		want := strings.TrimPrefix(expected[at], head)
		expected = slices.Delete(expected, at, at+1)
		if want != "rewrite" {
			if text := f.Why + " " + strings.Join(f.Caveats, " "); f.Fix != nil || !strings.Contains(text, want) {
				t.Errorf("%s: a rewrite: %v, want none and %q in\n%s", head, f.Fix != nil, want, text)
			}
			if got := hone(t, "fix", "-n", f.ID); got.code == exitOK || !strings.Contains(got.stderr, want) {
				t.Errorf("%s: hone fix -n ends with %d, want %q in\n%s", head, got.code, want, got.stderr)
			}
			continue
		}
		if f.Fix == nil {
			t.Errorf("%s: no rewrite: %v", head, f.Caveats)
			continue
		}
		c.fix(t, head, f.ID)
	}
	for _, e := range expected {
		t.Errorf("not found: %s, in\n%s", e, out.stdout)
	}
	for _, want := range c.said["unexamined"] {
		if !slices.ContainsFunc(report.Unexamined, func(u string) bool { return strings.Contains(u, want) }) {
			t.Errorf("nothing about %q is not examined: %q", want, report.Unexamined)
		}
	}
	if len(report.Unexamined) != len(c.said["unexamined"]) {
		t.Errorf("not examined: %q, want %d", report.Unexamined, len(c.said["unexamined"]))
	}
	for _, patterns := range c.said["tune"] {
		c.tune(t, strings.Fields(patterns))
	}
}

// fix checks a rewrite.
func (c *moduleCase) fix(t *testing.T, head, id string) {
	if testing.Short() {
		return // it builds and tests
	}
	var flags []string
	for _, f := range c.said["flags"] {
		if strings.HasPrefix(f, "-tags") {
			flags = append(flags, f)
		}
	}
	got := hone(t, append(append([]string{"fix", "-check"}, flags...), id)...)
	if got.code != exitOK || !strings.Contains(got.stdout, "it builds and passes the tests") {
		t.Errorf("%s: hone fix -check ends with %d\n%s%s", head, got.code, got.stdout, got.stderr)
	}
}

// tune has rewrites tried. What the machine makes of them doesn't matter here.
func (c *moduleCase) tune(t *testing.T, patterns []string) {
	if testing.Short() {
		return // it measures
	}
	args := append([]string{"tune", "-most", "1", "-count", "2", "-benchtime", "100x", "-profiletime", "300ms"}, patterns...)
	if got := hone(t, args...); got.code != exitOK || !strings.Contains(got.stdout, "Rewrites: 1 tried") {
		t.Errorf("hone tune %q ends with %d\n%s%s", patterns, got.code, got.stdout, got.stderr)
	}
}

var hotComment = lazyregexp.New(`// hot: (\S+)$`)

// profile writes a profile of the lines that are said to be hot, and returns its name.
func (c *moduleCase) profile(t *testing.T) string {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	as := make(map[string]string)
	for _, line := range c.said["as"] {
		name, other, _ := strings.Cut(line, " ")
		as[name] = other
	}
	for name, text := range c.files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			m := hotComment.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			file := as[name]
			if file == "" {
				file = filepath.ToSlash(filepath.Join(c.root, name))
			}
			function, start := c.function(t, name, i+1)
			f, callee := b.Function(function, function, file, start), b.Function(m[1], m[1], "callee.go", 1)
			stack := []uint32{b.Location(0, 0, profile.Line{Function: callee, Line: 2}), b.Location(0, 0, profile.Line{Function: f, Line: int64(i + 1)})}
			if m[1] == "-" {
				stack = stack[1:]
			}
			b.Sample(stack, nil, 1000, 1e9)
		}
	}
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Profile().Encode(out); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// function returns the function around a line, as profiles name it, and its first line.
func (c *moduleCase) function(t *testing.T, name string, line int) (function string, start int64) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, c.files[name], parser.SkipObjectResolution)
	if err != nil && f == nil {
		t.Fatal(err)
	}
	pkg := f.Name.Name
	if pkg != "main" {
		pkg = c.importPath(t, path.Dir(name))
	}
	for _, d := range f.Decls {
		from, to := fset.Position(d.Pos()).Line, fset.Position(d.End()).Line
		if fn, ok := d.(*ast.FuncDecl); ok && from <= line && line <= to {
			return pkg + "." + fn.Name.Name, int64(fset.Position(fn.Pos()).Line)
		}
	}
	t.Fatalf("no function is at line %d of %s", line, name)
	return "", 0
}

var moduleLine = lazyregexp.New(`(?m)^module (\S+)$`)

// importPath returns the import path of a folder.
func (c *moduleCase) importPath(t *testing.T, dir string) string {
	if _, vendored, ok := strings.Cut(dir, "vendor/"); ok {
		return vendored
	}
	for at := dir; ; at = path.Dir(at) {
		if m := moduleLine.FindStringSubmatch(c.files[path.Join(at, "go.mod")]); m != nil {
			return path.Join(m[1], strings.TrimPrefix(strings.TrimPrefix(dir, at), "/"))
		}
		if at == "." {
			t.Fatalf("%s is in no module", dir)
		}
	}
}
