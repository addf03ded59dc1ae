package advice

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/gocmd"
)

// parse checks the types of one file.
func parse(t *testing.T, text string) *Package {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "/src/p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("example.com/m/p", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &Package{Package: &code.Package{Path: pkg.Path(), Fset: fset, Files: []*ast.File{f}, Types: pkg, Info: info, Texts: map[string][]byte{"/src/p.go": []byte(text)}}}
}

const functions = `package p

type T[E any] struct{ e E }

func (t *T[E]) Method() int {
	f := func() int {
		return 7
	}
	return f()
}

var global = func() int {
	return 12
}

func outer(s []int) int {
	n := 0
	each(func(i int) {
		n += i
		func() {
			n++
		}()
	})
	return n
}

func each(f func(int)) { f(1) }

func loop(seq func(func(int) bool)) (n int) {
	for i := range seq {
		n += i
	}
	return n
}

func init() {
	_ = func() int { return 36 }()
}

func locked(mu interface{ Unlock() }) {
	defer mu.Unlock()
	each(func(int) {
		defer mu.Unlock()
	})
}
`

// TestSite finds functions by the names that profiles have, and lines in them, as the
// source is and after lines were put in above.
func TestSite(t *testing.T) {
	for _, c := range []struct {
		name        string
		start, line int
		want        string // the line's text; "" if it is not to be found
		literal     bool
		moved       bool // also found when the file has changed
	}{
		{"example.com/m/p.(*T[go.shape.int]).Method", 5, 9, "return f()", false, true},
		{"example.com/m/p.(*T[...]).Method.func1", 6, 7, "return 7", true, false},
		{"example.com/m/p.init.func1", 12, 13, "return 12", true, false},
		{"example.com/m/p.glob..func1", 12, 13, "return 12", true, false},
		{"example.com/m/p.outer", 16, 24, "return n", false, true},
		{"example.com/m/p.outer.func1", 18, 19, "n += i", true, false},
		{"example.com/m/p.outer.func1.1", 20, 21, "n++", true, false},
		{"example.com/m/p.outer.outer.func1.func2", 20, 21, "n++", true, false}, // inlined
		{"example.com/m/p.each", 27, 27, "func each(f func(int)) { f(1) }", false, true},
		{"example.com/m/p.loop-range1", 30, 31, "n += i", false, false},
		{"example.com/m/p.locked.deferwrap1", 41, 41, "defer mu.Unlock()", false, false},
		{"example.com/m/p.locked.func1.deferwrap1", 43, 43, "defer mu.Unlock()", true, false},
		{"example.com/m/p.init.0.func1", 37, 37, "_ = func() int { return 36 }()", true, false},
		{"example.com/m/p.outer", 0, 24, "return n", false, false}, // old profiles know no first lines
		{"example.com/m/p.gone", 16, 24, "", false, false},
		{"example.com/m/p.each", 16, 24, "", false, false},
		{"example.com/m/p.outer", 16, 99, "", false, false},
	} {
		for _, lines := range []int{0, 3} {
			text := strings.Replace(functions, "\n\n", "\n\n"+strings.Repeat("// More.\n", lines), 1)
			p := parse(t, text)
			s, err := p.site(&hot{place: place{file: "/src/p.go", function: c.name, startLine: int64(c.start), line: int64(c.line)}}, nil)
			if c.want == "" || lines > 0 && !c.moved {
				// Where the first line is unknown, or another statement now, a line's number is
				// all there is to go by.
				if err == nil && (c.want == "" || c.start > 0 && !strings.Contains(c.name, "deferwrap") && strings.TrimSpace(s.lineText(s.Line)) != c.want) {
					t.Errorf("%s:%d with %d more lines: found %q", c.name, c.line, lines, s.lineText(s.Line))
				}
				continue
			}
			if err != nil {
				t.Errorf("%s:%d with %d more lines: %v", c.name, c.line, lines, err)
				continue
			}
			_, literal := s.Func.Node().(*ast.FuncLit)
			if got := strings.TrimSpace(s.lineText(s.Line)); got != c.want || literal != c.literal {
				t.Errorf("%s:%d with %d more lines: %q, a literal: %v", c.name, c.line, lines, got, literal)
			}
		}
	}
}

// TestInitializers: what runs once has no syntax of its own to find, and moved nowhere.
func TestInitializers(t *testing.T) {
	p := parse(t, functions)
	for name, want := range map[string]error{
		"example.com/m/p.init": errOnce, "example.com/m/p.map.init.0": errOnce, "example.com/m/p.init.3": errOnce,
		"example.com/m/p.init.func9": errMoved, "example.com/m/p.(*T).init": errMoved,
	} {
		if _, err := p.site(&hot{place: place{file: "/src/p.go", function: name, startLine: 3, line: 3}}, nil); err != want {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// TestInitMethod: a method may be called init, and is examined as any.
func TestInitMethod(t *testing.T) {
	for name, want := range map[string]bool{"example.com/m/p.init": false, "example.com/m/p.(*T).init": true, "example.com/m/p.T.init": true, "example.com/m/p.init.func1": true} {
		if got := !initializes(name); got != want {
			t.Errorf("%s: examined %v", name, got)
		}
	}
}

// TestMovedLiteral: of a literal nothing but its first line tells which it is, so that
// after changes above it is not looked for.
func TestMovedLiteral(t *testing.T) {
	p := parse(t, strings.Replace(functions, "\n\n", "\n\n// More.\n", 1))
	if s, err := p.site(&hot{place: place{file: "/src/p.go", function: "example.com/m/p.outer.func1", startLine: 18, line: 19}}, nil); err == nil {
		t.Errorf("found %q", s.lineText(s.Line))
	}
}

func TestNewFix(t *testing.T) {
	for _, c := range []struct {
		name, text, old, new string
		imports              []string
		want                 string
	}{
		{
			name:    "an import more and one less",
			text:    "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n// F formats.\nfunc F(n int) string {\n\treturn fmt.Sprint(n) // why\n}\n\nvar _ = os.Args\n",
			old:     "fmt.Sprint(n)",
			new:     "strconv.Itoa(n)",
			imports: []string{"strconv"},
			want:    "package p\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\n// F formats.\nfunc F(n int) string {\n\treturn strconv.Itoa(n) // why\n}\n\nvar _ = os.Args\n",
		}, {
			name: "other uses keep an import",
			text: "package p\n\nimport \"fmt\"\n\nfunc F(n int) string {\n\tfmt.Println()\n\treturn fmt.Sprint(n)\n}\n",
			old:  "fmt.Sprint(n)",
			new:  `""`,
			want: "package p\n\nimport \"fmt\"\n\nfunc F(n int) string {\n\tfmt.Println()\n\treturn \"\"\n}\n",
		}, {
			name: "what wasn't formatted is left so",
			text: "package p\n\nfunc F( n int ) string {\n\treturn string( rune(n) )\n}\n",
			old:  "string( rune(n) )",
			new:  `""`,
			want: "package p\n\nfunc F( n int ) string {\n\treturn \"\"\n}\n",
		}, {
			name:    "what was formatted is so among what wasn't",
			text:    "package p\n\nimport (\n\t\"os\"\n\t\"fmt\"\n)\n\n// F is\n//   fmt.\nfunc F(n int) string {\n\tif n > 0 {\n\t\treturn fmt.Sprint(n)\n\t}\n\treturn os.Args[0]\n}\n\nvar  x = 1\n",
			old:     "return fmt.Sprint(n)",
			new:     "if n < 9 {\nreturn \"\"\n}\nreturn strconv.Itoa(n)",
			imports: []string{"strconv"},
			want:    "package p\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\n// F is\n//   fmt.\nfunc F(n int) string {\n\tif n > 0 {\n\t\tif n < 9 {\n\t\t\treturn \"\"\n\t\t}\n\t\treturn strconv.Itoa(n)\n\t}\n\treturn os.Args[0]\n}\n\nvar  x = 1\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, c.text)
			f := p.Files[0]
			at := f.FileStart + token.Pos(strings.Index(c.text, c.old))
			fix, err := newFix(p, []*ast.File{f}, &Match{Edits: []Edit{{at, at + token.Pos(len(c.old)), c.new}}, Imports: c.imports}, "/src")
			if err != nil {
				t.Fatal(err)
			}
			if string(fix.Files[0].After) != c.want {
				t.Errorf("rewritten to\n%s", fix.Files[0].After)
			}
			if !strings.HasPrefix(fix.Diff, "--- a/p.go\n+++ b/p.go\n@@ ") {
				t.Errorf("diff:\n%s", fix.Diff)
			}
		})
	}
}

// TestNewFixAdds: a new file is beside the one that changes, and its diff is one that git apply takes.
func TestNewFixAdds(t *testing.T) {
	const text = "package p\n\nvar x = 1 + 2\n"
	p := parse(t, text)
	f := p.Files[0]
	at := f.FileStart + token.Pos(strings.Index(text, "1 + 2"))
	fix, err := newFix(p, []*ast.File{f}, &Match{Edits: []Edit{{at, at + 5, "3"}}, Adds: []NewFile{{"p_test.go", "package p\n\n// new\n"}}}, "/src")
	if err != nil {
		t.Fatal(err)
	}
	file, added := fix.Files[0].File, fix.Added()
	if len(added) != 1 || added[0].File != filepath.Join(filepath.Dir(file), "p_test.go") || len(fix.Rewritten()) != 2 || string(fix.Rewritten()[added[0].File]) != "package p\n\n// new\n" {
		t.Errorf("added %+v, texts %v", added, fix.Rewritten())
	}
	if !strings.HasSuffix(fix.Diff, "--- /dev/null\n+++ b/p_test.go\n@@ -0,0 +1,3 @@\n+package p\n+\n+// new\n") {
		t.Errorf("diff:\n%s", fix.Diff)
	}
	var b strings.Builder
	(&Finding{Fix: fix}).text(&b, filepath.Dir(file))
	if shown := b.String(); !strings.Contains(shown, "+var x = 3") || strings.Contains(shown, "// new") || !strings.Contains(shown, "and adds p_test.go (3 lines)") {
		t.Errorf("shown as\n%s", shown)
	}
}

func TestNewFixRefuses(t *testing.T) {
	p := parse(t, "package p\n\nvar x = 1 + 2\n")
	f := p.Files[0]
	at := func(s string) (from, to token.Pos) {
		i := strings.Index("package p\n\nvar x = 1 + 2\n", s)
		return f.FileStart + token.Pos(i), f.FileStart + token.Pos(i+len(s))
	}
	sum, sumEnd := at("1 + 2")
	one, oneEnd := at("1")
	for want, edits := range map[string][]Edit{
		"overlap":         {{sum, sumEnd, "3"}, {one, oneEnd, "1"}},
		"does not parse":  {{sum, sumEnd, "1 +"}},
		"changes nothing": {{one, oneEnd, "1"}},
	} {
		if _, err := newFix(p, []*ast.File{f}, &Match{Edits: edits}, "/src"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestCopiedByCgo: a copy that cgo makes names the file that it is of. With -trimpath, it may be of another folder with
// the same file, and then this is said.
func TestCopiedByCgo(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOFLAGS", "-trimpath")
	text := fmt.Sprintf("package m\n\n// %s\n\n// static int two() { return 2; }\nimport \"C\"\n\n// Two is two.\nfunc Two() int { return int(C.two()) }\n", t.TempDir())
	for i := range 2 {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "c.go")
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.24\n"), 0o666), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		s, err := load(t.Context(), dir, "", "", nil, nil, []string{dir})
		if err != nil {
			t.Fatal(err)
		}
		p := s.files[file]
		switch why := s.unexaminable(&hot{place: place{file: file, function: "example.com/m.Two"}}); {
		case i == 1 && why == errCopied && p == nil:
		case p == nil || why != nil:
			t.Errorf("folder %d: read %v, %v; %q", i, p != nil, why, s.unexamined)
		default:
			site, err := p.site(&hot{place: place{file: file, function: "example.com/m.Two", startLine: 9, line: 9}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if name, copied := p.Name(site.File); name != file || !copied || !strings.HasPrefix(site.lineText(9), "func Two() int { return int(C.two()) }") {
				t.Errorf("%s, a copy: %v, line %q", name, copied, site.lineText(9))
			}
		}
	}
}

// TestQuoted: flags come back out of GOFLAGS as they are.
func TestQuoted(t *testing.T) {
	flags := []string{"-mod=mod", "-ldflags=-s -w", "-gcflags=all='-N'"}
	if got := gocmd.SplitFlags(quoted(flags)); !slices.Equal(got, flags) {
		t.Errorf("%q, want %q", got, flags)
	}
}
