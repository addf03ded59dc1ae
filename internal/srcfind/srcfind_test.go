package srcfind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
)

// hermetic hides the machine's own Go environment and points it below root.
func hermetic(t *testing.T, root string) {
	t.Helper()
	t.Setenv("GOROOT", filepath.Join(root, "goroot"))
	t.Setenv("GOMODCACHE", filepath.Join(root, "modcache"))
	t.Setenv("GOWORK", "")
	t.Setenv("HOME", filepath.Join(root, "home"))
}

func TestTrimPath(t *testing.T) {
	list := func(s ...string) string { return strings.Join(s, string(filepath.ListSeparator)) }
	for _, tt := range []struct{ path, trim, search, want string }{
		{"/a/b/c.go", "", "", "/a/b/c.go"},
		{"a/b.go", "", "/w/a", "a/b.go"},
		{"/remote/proj/foo/bar.go", "", "/local/proj", "foo/bar.go"},
		{"/remote/proj/x/proj/bar.go", "", "/local/proj", "x/proj/bar.go"},
		{"/remote/proj/foo/bar.go", "", list("/l/other", "/l/proj"), "foo/bar.go"},
		{"/r/proj/other/bar.go", "", list("/l/other", "/l/proj"), "bar.go"},
		{"/remote/projx/bar.go", "", "/local/proj", "/remote/projx/bar.go"},
		{"/remote/proj/bar.go", "", "/local/proj/", "bar.go"},
		{"/remote/proj/bar.go", "/remote", "/local/proj", "proj/bar.go"},
		{"/remote/proj/bar.go", "/remote/", "/local/proj", "proj/bar.go"},
		{"/remote/proj/bar.go", "/nope", "/local/proj", "/remote/proj/bar.go"},
		{"/remote/proj/bar.go", list("/nope", "/remote/proj"), "", "bar.go"},
		{"/remote/proj/bar.go", list("/remote", "/remote/proj"), "", "proj/bar.go"},
		{"/remotely/bar.go", "/remote", "", "/remotely/bar.go"},
		{"/x/bar.go", list("/a", "", "/b"), "", "x/bar.go"},
		{"/proc/self/cwd/a.go", "", "", "a.go"},
		{"/proc/self/cwd/./a.go", "", "", "a.go"},
		{"/proc/self/cwd/./a.go", "/x", "", "a.go"},
		{"/proc/self/cwd/a/b.go", "", "/q/a", "b.go"},
		{"", "", "/q/a", ""},
		{"/q/./x.go", "", list("/z", ""), "x.go"},
		{"/a/b.go", "", "/", "/a/b.go"},
	} {
		if got := TrimPath(tt.path, tt.trim, tt.search); got != tt.want {
			t.Errorf("TrimPath(%q, %q, %q) = %q, want %q", tt.path, tt.trim, tt.search, got, tt.want)
		}
	}
}

func TestTrimDoesNotAllocate(t *testing.T) {
	tr := NewTrimmer("", "/local/proj:/local/other")
	if n := testing.AllocsPerRun(100, func() {
		tr.Trim("/remote/proj/foo/bar.go")
		tr.Trim("runtime/proc.go")
	}); n != 0 {
		t.Errorf("Trim allocates %v times", n)
	}
}

func BenchmarkTrim(b *testing.B) {
	tr := NewTrimmer("", "/home/dev/work/app")
	for b.Loop() {
		tr.Trim("/home/ci/go/pkg/mod/github.com/klauspost/compress@v1.20.3/zstd/decoder.go")
	}
}

// TestFirstStage is the contract with go tool pprof: what is found where, and
// the text of the error otherwise.
func TestFirstStage(t *testing.T) {
	root := gittest.Folder(t, map[string]string{
		"work/app/main.go":         "app main",
		"work/app/pkg/a.go":        "app a",
		"work/lib/b.go":            "lib b",
		"work/top.go":              "top",
		"else/pkg/a.go":            "else a",
		"build/deep/app/pkg/a.go":  "abs a",
		"work/app/isdir/d.go/keep": "",
	})
	hermetic(t, root)
	in := func(s string) string { return filepath.Join(root, s) }
	list := func(s ...string) string { return strings.Join(s, string(filepath.ListSeparator)) }
	for _, tt := range []struct{ name, file, search, trim, want, err string }{
		{name: "absolute", file: in("else/pkg/a.go"), search: in("work/lib"), want: "else a"},
		{name: "absolute missing", file: "/nope/x.go", search: in("work"), err: "open /nope/x.go: no such file or directory"},
		{name: "relative", file: "pkg/a.go", search: in("work/app"), want: "app a"},
		{name: "first directory wins", file: "pkg/a.go", search: list(in("else"), in("work/app")), want: "else a"},
		{name: "second directory", file: "b.go", search: list(in("else"), in("work/lib")), want: "lib b"},
		{name: "parent of the search path", file: "top.go", search: in("work/app/pkg"), want: "top"},
		{name: "sibling through parent", file: "lib/b.go", search: in("work/app/pkg"), want: "lib b"},
		{name: "dot dot", file: "../lib/b.go", search: in("work/app"), want: "lib b"},
		{name: "heuristic takes precedence over the absolute file", file: in("build/deep/app/pkg/a.go"), search: in("work/app"), want: "app a"},
		{name: "trim path switches the heuristic off", file: in("build/deep/app/pkg/a.go"), search: in("work/app"), trim: "/other", want: "abs a"},
		{name: "trim path", file: "/ci/src/pkg/a.go", search: in("work/app"), trim: "/ci/src", want: "app a"},
		{name: "trimmed missing", file: "/ci/app/gone.go", search: in("work/app"), err: "could not find file gone.go on path " + in("work/app")},
		{name: "relative missing", file: "gone/x.go", search: list(in("work"), in("else")),
			err: "could not find file gone/x.go on path " + list(in("work"), in("else"))},
		{name: "directory", file: in("work/app/isdir/d.go"), search: in("else"), err: "read " + in("work/app/isdir/d.go") + ": is a directory"},
		{name: "no parent of a dot", file: "gone.go", search: ".", err: "could not find file gone.go on path ."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := New(Config{SearchPath: tt.search, TrimPath: tt.trim, Dir: in("else")})
			check(t, f, tt.file, tt.want, tt.err)
		})
	}
	t.Run("empty search path is the directory", func(t *testing.T) {
		check(t, New(Config{Dir: in("work/app")}), "pkg/a.go", "app a", "")
		check(t, New(Config{Dir: in("work/app")}), "no.go", "", "could not find file no.go on path "+in("work/app"))
	})
}

// Lines is Find for tests that look at the text alone.
func (f *Finder) Lines(file string) ([]string, error) {
	t, err := f.Find(file)
	if err != nil {
		return nil, err
	}
	return t.Lines, nil
}

func check(t *testing.T, f *Finder, file, want, wantErr string) {
	t.Helper()
	lines, err := f.Lines(file)
	switch {
	case wantErr != "":
		if err == nil || err.Error() != wantErr {
			t.Errorf("Lines(%q): error %v, want %s", file, err, wantErr)
		}
		var nf *NotFoundError
		if !errors.As(err, &nf) || nf.File != file || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Lines(%q): error %#v is not a NotFoundError for it", file, err)
		}
	case err != nil:
		t.Errorf("Lines(%q): %v, want %q", file, err, want)
	case len(lines) != 1 || lines[0] != want:
		t.Errorf("Lines(%q) = %q, want %q", file, lines, want)
	}
}

func TestSecondStage(t *testing.T) {
	root := gittest.Folder(t, map[string]string{
		"goroot/src/runtime/proc.go":                                     "std proc",
		"goroot/src/vendor/golang.org/x/net/dns/d.go":                    "std dns",
		"goroot/src/main.go":                                             "not to be found",
		"modcache/github.com/!burnt!sushi/toml@v1.2.3-!r!c1/decode.go":   "toml",
		"modcache/example.com/plain@v0.1.0/p/p.go":                       "plain",
		"modcache/example.com/newname@v2.0.0/n.go":                       "newname",
		"modcache/golang.org/toolchain@v0.0.1-go1.21.0.x-y/src/fmt/p.go": "toolchain fmt",
		"home/sdk/go1.20.1/src/runtime/proc.go":                          "old proc",
		"ws/go.work":                                                     "go 1.26\nuse (\n\t./app\n\t\"./tools\" // quoted\n)\n",
		"ws/tools/go.mod":                                                "module example.com/app/tools\n",
		"ws/tools/t.go":                                                  "tools t",
		"ws/app/go.mod": `module example.com/app

require (
	example.com/rep v1.0.0
	example.com/cached v1.5.0 // indirect
)
require example.com/plain v0.1.0
replace example.com/rep => ../rep
replace (
	example.com/oldname v1.0.0 => example.com/newname v2.0.0
)
`,
		"ws/app/main.go":       "app main",
		"ws/app/pkg/x.go":      "app x",
		"ws/app/sub/keep.go":   "",
		"ws/app/secret/key.go": "app key",
		"ws/rep/r/r.go":        "rep r",
		"ws/vendor/modules.txt": `# example.com/vend v1.1.0
## explicit; go 1.26
example.com/vend/v
# example.com/was v1.0.0 => example.com/now v1.0.1
example.com/was
`,
		"ws/vendor/example.com/vend/v/v.go": "vend v",
		"ws/vendor/example.com/was/w.go":    "was w",
	})
	hermetic(t, root)
	f := New(Config{Dir: filepath.Join(root, "ws", "app", "sub")})
	f.runGo = func(context.Context, string, ...string) (string, string, error) {
		t.Error("go command run though the environment says all")
		return "", "", nil
	}
	for _, tt := range []struct{ name, file, want string }{
		{"std trimmed", "runtime/proc.go", "std proc"},
		{"std vendored", "vendor/golang.org/x/net/dns/d.go", "std dns"},
		{"std variable", "$GOROOT/src/runtime/proc.go", "std proc"},
		{"std bazel", "GOROOT/src/runtime/proc.go", "std proc"},
		{"std usual", "/usr/nowhere/go/src/runtime/proc.go", "std proc"},
		{"std actions", "/opt/hostedtoolcache/go/1.22.1/x64/src/runtime/proc.go", "std proc"},
		{"std homebrew", "/opt/homebrew/Cellar/go/1.22.1/libexec/src/runtime/proc.go", "std proc"},
		{"std debian", "/usr/lib/go-1.19/src/runtime/proc.go", "std proc"},
		{"std windows", `C:\hostedtoolcache\windows\go\1.22.1\x64\src\runtime\proc.go`, "std proc"},
		{"std bazel sdk", "external/go_sdk/src/runtime/proc.go", "std proc"},
		{"std nested src", "/home/x/src/go/src/runtime/proc.go", "std proc"},
		{"std exact version", "/opt/hostedtoolcache/go/1.20.1/x64/src/runtime/proc.go", "old proc"},
		{"std toolchain module", "/r/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.21.0.x-y/src/fmt/p.go", "toolchain fmt"},
		{"std toolchain elsewhere", "/r/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.21.9.a-b/src/runtime/proc.go", "std proc"},
		{"not std", "/home/u/work/src/runtime/proc.go", ""},

		{"module trimmed", "example.com/app/pkg/x.go", "app x"},
		{"module main", "example.com/app/main.go", "app main"},
		{"module of the workspace, longest path", "example.com/app/tools/t.go", "tools t"},
		{"module in GOPATH style", "/go/src/example.com/app/pkg/x.go", "app x"},
		{"module in another checkout", "/home/runner/work/app/app/pkg/x.go", "app x"},
		{"module, unknown file", "example.com/app/pkg/none.go", ""},
		{"module, prefix only", "example.com/application/pkg/x.go", ""},

		{"cache trimmed", "github.com/BurntSushi/toml@v1.2.3-RC1/decode.go", "toml"},
		{"cache of another machine", "/home/other/go/pkg/mod/github.com/!burnt!sushi/toml@v1.2.3-!r!c1/decode.go", "toml"},
		{"cache of another user@host", "/home/me@host/go/pkg/mod/example.com/plain@v0.1.0/p/p.go", "plain"},
		{"cache in an odd place", "/gomodcache/example.com/plain@v0.1.0/p/p.go", "plain"},
		{"cache on windows", `D:\cache\example.com\plain@v0.1.0\p\p.go`, "plain"},
		{"cache, other version", "example.com/plain@v0.2.0/p/p.go", ""},

		{"replaced by directory", "example.com/rep@v1.0.0/r/r.go", "rep r"},
		{"replaced by module", "example.com/oldname@v1.0.0/n.go", "newname"},
		{"replaced at another version only", "example.com/oldname@v1.0.1/n.go", ""},

		{"vendored trimmed", "example.com/vend@v1.1.0/v/v.go", "vend v"},
		{"vendored, other version", "example.com/vend@v1.2.0/v/v.go", ""},
		{"vendored of another machine", "/home/ci/app/vendor/example.com/vend/v/v.go", "vend v"},
		{"vendored and replaced", "/ci/pkg/mod/example.com/now@v1.0.1/w.go", "was w"},
		{"vendored without version", "example.com/vend/v/v.go", "vend v"},
		{"vendored elsewhere, cached here", "/home/ci/app/vendor/example.com/plain/p/p.go", "plain"},

		{"generated", "<autogenerated>", ""},
		{"empty", "", ""},
		{"cgo", "_cgo_gotypes.go", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines, err := f.Lines(tt.file)
			if tt.want == "" {
				var nf *NotFoundError
				if !errors.As(err, &nf) {
					t.Errorf("Lines(%q) = %q, %v; want it not found", tt.file, lines, err)
				}
				return
			}
			if err != nil || len(lines) != 1 || lines[0] != tt.want {
				t.Errorf("Lines(%q) = %q, %v; want %q", tt.file, lines, err, tt.want)
			}
		})
	}
}

// TestDotDot: names cannot climb out of what the second stage trusts.
func TestDotDot(t *testing.T) {
	root := gittest.Folder(t, map[string]string{
		"a/goroot/src/x/x.go":                    "",
		"a/modcache/example.com/p@v0.1.0/p.go":   "",
		"a/modcache/example.com/v@v1.0.0/v.go":   "",
		"a/app/go.mod":                           "module example.com/app\n",
		"a/app/vendor/example.com/v/v.go":        "",
		"a/etc/hone-secret":                      "secret",
		"a/app/etc/hone-secret":                  "secret",
		"a/goroot/etc/hone-secret":               "secret",
		"a/modcache/etc/hone-secret":             "secret",
		"a/modcache/example.com/etc/hone-secret": "secret",
		"elsewhere/x":                            "",
		"a/modcache/example.com/p@v0.1.0/ok/o.c": "",
	})
	hermetic(t, filepath.Join(root, "a"))
	f := New(Config{Dir: filepath.Join(root, "elsewhere")})
	f.tree = func() *modTree {
		return loadTree(&Config{Dir: filepath.Join(root, "a", "app")})
	}
	if _, err := f.Lines("example.com/app/go.mod"); err != nil {
		t.Fatalf("the module is not set up: %v", err)
	}
	for _, file := range []string{
		"$GOROOT/src/../etc/hone-secret",
		"$GOROOT/src/../../etc/hone-secret",
		"x/../../etc/hone-secret",
		"/usr/nowhere/go/src/../etc/hone-secret",
		"example.com/p@v0.1.0/../etc/hone-secret",
		"example.com/p@v0.1.0/../../etc/hone-secret",
		"example.com/p@v../../etc/hone-secret",
		"/pkg/mod/../etc/hone-secret@v0/x",
		"example.com/app/../etc/hone-secret",
		`example.com\app\..\etc\hone-secret`,
		"/x/vendor/../etc/hone-secret",
		"/x/app/../etc/hone-secret",
	} {
		if lines, err := f.Lines(file); err == nil {
			t.Errorf("Lines(%q) = %q", file, lines)
		}
	}
}

func TestNotFoundSaysWhereItLooked(t *testing.T) {
	root := gittest.Folder(t, map[string]string{"app/go.mod": "module example.com/app\n"})
	hermetic(t, root)
	app := filepath.Join(root, "app")
	_, err := New(Config{Dir: app}).Lines("example.com/dep@v1.0.0/d.go")
	var nf *NotFoundError
	if !errors.As(err, &nf) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{
		filepath.Join(app, "example.com/dep@v1.0.0/d.go"),
		filepath.Join(root, "modcache/example.com/dep@v1.0.0/d.go"),
	} {
		if !slices.Contains(nf.Looked, want) {
			t.Errorf("Looked = %q, want %s in it", nf.Looked, want)
		}
	}
}

func TestGoEnv(t *testing.T) {
	root := gittest.Folder(t, map[string]string{"r/src/runtime/p.go": "p", "c/example.com/m@v1.0.0/m.go": "m", "w/x.go": "x"})
	hermetic(t, root)
	t.Setenv("GOROOT", "")
	t.Setenv("GOMODCACHE", "")
	runs := 0
	fake := func(err error) func(context.Context, string, ...string) (string, string, error) {
		runs = 0
		return func(context.Context, string, ...string) (string, string, error) {
			runs++
			return filepath.Join(root, "r"), filepath.Join(root, "c"), err
		}
	}

	f := New(Config{Dir: filepath.Join(root, "w")})
	f.runGo = fake(nil)
	check(t, f, "x.go", "x", "")
	if runs != 0 {
		t.Errorf("go command run %d times for a file that the first stage finds", runs)
	}
	check(t, f, "runtime/p.go", "p", "")
	check(t, f, "example.com/m@v1.0.0/m.go", "m", "")
	if runs != 1 {
		t.Errorf("go command run %d times, want 1", runs)
	}

	f = New(Config{Dir: filepath.Join(root, "w")})
	f.runGo = fake(fmt.Errorf("exec: %w", exec.ErrNotFound))
	t.Setenv("GOPATH", filepath.Join(root, "gopath"))
	_, err := f.Lines("example.com/m@v1.0.0/m.go")
	var nf *NotFoundError
	if !errors.As(err, &nf) || !slices.Contains(nf.Looked, filepath.Join(root, "gopath/pkg/mod/example.com/m@v1.0.0/m.go")) ||
		!strings.HasPrefix(nf.Looked[len(nf.Looked)-1], "go env: ") {
		t.Errorf("without a go command: %v, looked %q", err, nf.Looked)
	}
	if runs != 1 {
		t.Errorf("absent go command tried %d times", runs)
	}

	f = New(Config{Dir: filepath.Join(root, "w")})
	f.runGo = fake(errors.New("toolchain not available"))
	f.Lines("example.com/m@v1.0.0/m.go")
	if runs != 2 {
		t.Errorf("failing go command run %d times, want a second try with the local toolchain", runs)
	}
}

// TestBuiltProgram asks a compiler rather than a table for the names.
func TestBuiltProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	const caller = "import \"runtime\"\n\nfunc File() string { _, f, _, _ := runtime.Caller(0); return f }\n"
	root := gittest.Folder(t, map[string]string{
		"app/go.mod": "module example.com/app\n\ngo 1.24\n\nrequire example.com/rep v1.2.3\n\nreplace example.com/rep => ../rep\n",
		"app/main.go": `package main

import (
	"fmt"
	"runtime"
	"sort"

	"example.com/app/sub"
	"example.com/rep/in"
)

func main() {
	_, f, _, _ := runtime.Caller(0)
	fmt.Println(f)
	fmt.Println(sub.File())
	fmt.Println(in.File())
	seen := false
	sort.Slice([]int{2, 1}, func(i, j int) bool {
		if _, f, _, _ := runtime.Caller(1); !seen {
			seen = true
			fmt.Println(f)
		}
		return false
	})
}
`,
		"app/sub/sub.go": "package sub\n\n" + caller,
		"rep/go.mod":     "module example.com/rep\n\ngo 1.24\n",
		"rep/in/in.go":   "package in\n\n" + caller,
		"app/sub/cwd/x":  "",
	})
	app := filepath.Join(root, "app")
	goCmd := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = app
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	firstLines := []string{"package main", "package sub", "package in", "// Code generated by gen_sort_variants.go; DO NOT EDIT."}
	for _, build := range []string{"", "-trimpath", "vendor", "-trimpath vendor", "-trimpath main.go"} {
		t.Run(build, func(t *testing.T) {
			args := []string{"run"}
			if strings.Contains(build, "-trimpath") {
				args = append(args, "-trimpath")
			}
			dir := filepath.Join(app, "sub", "cwd")
			if strings.Contains(build, "vendor") {
				goCmd("mod", "vendor")
				defer os.RemoveAll(filepath.Join(app, "vendor"))
			}
			pkg := "."
			if strings.Contains(build, "main.go") {
				pkg = "main.go"
			}
			names := strings.Fields(goCmd(append(args, pkg)...))
			if len(names) != len(firstLines) {
				t.Fatalf("names %q", names)
			}
			f := New(Config{Dir: dir})
			for i, name := range names {
				lines, err := f.Lines(name)
				if err != nil {
					t.Errorf("%v", err)
				} else if lines[0] != firstLines[i] {
					t.Errorf("%s starts with %q, want %q", name, lines[0], firstLines[i])
				}
			}
		})
	}
}

func TestLineTerminators(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, tt := range []struct {
		name, content string
		want          []string
	}{
		{"empty", "", nil},
		{"no final newline", "a\nb", []string{"a", "b"}},
		{"final newline", "a\nb\n", []string{"a", "b"}},
		{"blank lines", "\n\na\n\n", []string{"", "", "a", ""}},
		{"crlf", "a\r\nb\r\n", []string{"a", "b"}},
		{"one carriage return only", "a\r\r\nb\r", []string{"a\r", "b"}},
		{"carriage return inside", "a\rb\n", []string{"a\rb"}},
		{"longer than 64 KB", "a\n" + long + "\nb\n", []string{"a", long, "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := gittest.Folder(t, map[string]string{"f.go": tt.content})
			got, err := New(Config{Dir: dir}).Lines("f.go")
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %.80q, %v; want %.80q", got, err, tt.want)
			}
		})
	}
}

func TestSizeLimit(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{"f.go": "0123456789", "ok.go": "012345678"})
	f := New(Config{Dir: dir, MaxBytes: 9})
	if _, err := f.Lines("ok.go"); err != nil {
		t.Error(err)
	}
	want := filepath.Join(dir, "f.go") + ": source file is over the limit of 9 bytes"
	if _, err := f.Lines("f.go"); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestReadOnceConcurrently(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{"f.go": "a\nb\n"})
	f := New(Config{Dir: dir})
	first, err := f.Find("f.go")
	if err != nil || first.Path != filepath.Join(dir, "f.go") {
		t.Fatal(first, err)
	}
	os.Remove(filepath.Join(dir, "f.go"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if again, err := f.Find("f.go"); again != first || err != nil {
				t.Errorf("second Find: %v, %v", again, err)
			}
			f.Lines("none.go")
		})
	}
	wg.Wait()
}

func TestConfined(t *testing.T) {
	root := gittest.Folder(t, map[string]string{
		"goroot/src/runtime/proc.go":      "std proc",
		"modcache/example.com/p@v1/p.go":  "p",
		"app/go.mod":                      "module example.com/app\n",
		"app/x.go":                        "app x",
		"app/.env":                        "password",
		"src/lib/l.go":                    "lib",
		"outside.go":                      "outside",
		"modcache/example.com/p@v1/c.txt": "text",
	})
	hermetic(t, root)
	if err := os.Symlink(filepath.Join(root, "outside.go"), filepath.Join(root, "app", "link.go")); err != nil {
		t.Skip(err)
	}
	f := New(Config{Dir: filepath.Join(root, "app"), SearchPath: filepath.Join(root, "src"), Confined: true})
	for file, want := range map[string]string{
		"runtime/proc.go":                    "std proc",
		"example.com/p@v1/p.go":              "p",
		"example.com/app/x.go":               "app x",
		filepath.Join(root, "app/x.go"):      "app x",
		"lib/l.go":                           "lib",
		"/elsewhere/src/lib/l.go":            "lib",
		"example.com/app/.env":               "",
		"example.com/app/link.go":            "",
		"example.com/p@v1/c.txt":             "",
		"outside.go":                         "",
		"../outside.go":                      "",
		filepath.Join(root, "outside.go"):    "",
		filepath.Join(root, "src/../app/.."): "",
		"/etc/passwd":                        "",
	} {
		lines, err := f.Lines(file)
		if want == "" {
			var nf *NotFoundError
			if !errors.As(err, &nf) {
				t.Errorf("Lines(%q) = %q, %v; want it not served", file, lines, err)
			}
		} else if err != nil || lines[0] != want {
			t.Errorf("Lines(%q) = %q, %v; want %q", file, lines, err, want)
		}
	}
}

// A search for the user's own profiles opens their recorded names, and only source.
func TestRecorded(t *testing.T) {
	root := gittest.Folder(t, map[string]string{"built/main.go": "main", "built/other.go": "other", "built/.env": "password", "secret.go": "secret"})
	hermetic(t, root)
	file := func(name string) string { return filepath.ToSlash(filepath.Join(root, name)) }
	if err := os.Symlink(filepath.Join(root, "secret.go"), filepath.Join(root, "built", "link.go")); err != nil {
		t.Skip(err)
	}
	f := New(Config{Dir: t.TempDir(), Confined: true, Recorded: func(name string) bool { return name != file("built/other.go") }})
	for name, want := range map[string]string{
		"built/main.go": "main", "built/other.go": "", "built/.env": "", "built/link.go": "", "built/../secret.go": "",
	} {
		lines, err := f.Lines(root + "/" + name)
		if want == "" && err == nil || want != "" && (err != nil || lines[0] != want) {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
	}
}

func TestModFileOddities(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{"go.mod": "// comment\nmodule \"example.com/q\" // trailing\nrequire(\n)\nreplace a => b\n" +
		"replace `c d` v1.0.0 => \"../with space\"\nreplace => x\nrequire x\n\"unterminated\n)\ngarbage ( ( (\n"})
	m, err := readModFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if m.module != "example.com/q" {
		t.Errorf("module %q", m.module)
	}
	if got, want := m.replaces["c d@v1.0.0"].dir, filepath.Join(filepath.Dir(dir), "with space"); got != want {
		t.Errorf("replacement %q, want %q", got, want)
	}
}

func TestEscapeModule(t *testing.T) {
	for in, want := range map[string]string{
		"github.com/BurntSushi/toml": "github.com/!burnt!sushi/toml",
		"github.com/a/b":             "github.com/a/b",
		"v1.0.0-RC1":                 "v1.0.0-!r!c1",
	} {
		if got := escapeModule(in); got != want || unescapeModule(got) != in {
			t.Errorf("escapeModule(%q) = %q, back %q", in, got, unescapeModule(got))
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"a/b.go", "$GOROOT/src/x.go", "x@v1/y.go", "/pkg/mod/@v/", `C:\a`, "\x00", "//", "/src//src/", "vendor/vendor/"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Setenv("GOROOT", dir)
	f.Setenv("GOMODCACHE", dir)
	f.Fuzz(func(t *testing.T, name string) {
		finder := New(Config{Dir: dir})
		for p := range finder.places(name) {
			full := filepath.Join(p.root, filepath.FromSlash(p.rel))
			if rel, err := filepath.Rel(p.root, full); err != nil || !filepath.IsLocal(rel) {
				t.Fatalf("%q leaves %s by %s", name, p.root, p.rel)
			}
		}
	})
}

func TestModulePath(t *testing.T) {
	for text, want := range map[string]string{
		"module example.com/m\n":                        "example.com/m",
		"// a comment\nmodule \"example.com/m\" // x\n": "example.com/m",
		"module (\n\texample.com/m\n)\n":                "example.com/m",
		"go 1.26\n":                                     "",
		"module\n":                                      "",
		"":                                              "",
	} {
		if got := ModulePath([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
