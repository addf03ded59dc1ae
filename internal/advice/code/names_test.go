package code

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"
)

// TestUnused: a new name is taken by no file of the package, whatever it is built for.
func TestUnused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p.go":         "package p\n\nimport str \"strings\"\n\nvar a = str.ToLower\n\nfunc f() { local := 1; _ = local }\n",
		"p_test.go":    "package p\n\nfunc inTest() {}\n",
		"x_test.go":    "package p_test\n\nfunc external() {}\n",
		"p_plan9.go":   "package p\n\nconst onPlan9 = 1\n",
		"tagged.go":    "//go:build never\n\npackage p\n\ntype tagged int\n\nfunc max(a, b int) int { return a }\n",
		"importing.go": "//go:build never\n\npackage p\n\nimport (\n\tother \"io\"\n\t\"math/rand/v2\"\n)\n\nvar _ other.Reader\nvar _ = rand.Int\n",
		"broken.go":    "//go:build never\n\npackage p\n\nfunc halfway() {}\n\nfunc (",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := parseFile(t, filepath.Join(dir, "p.go"))
	at := p.Files[0].End() - 2
	for _, c := range []struct{ want, get string }{
		{"free", "free"}, {"a", "a2"}, {"local", "local2"}, {"str", "str2"}, {"inTest", "inTest2"}, {"external", "external"}, {"onPlan9", "onPlan92"},
		{"tagged", "tagged2"}, {"other", "other2"}, {"rand", "rand2"}, {"halfway", "halfway2"}, {"len", "len2"}, {"range", "range2"},
	} {
		if got := p.Unused(c.want, at); got != c.get {
			t.Errorf("Unused(%q) is %q, want %q", c.want, got, c.get)
		}
	}
	for _, c := range []struct{ want, get string }{{"free", "free"}, {"local", "local2"}, {"Reader", "Reader2"}, {"b", "b2"}, {"inTest", "inTest2"}, {"tagged", "tagged2"}} {
		if got := p.Unmentioned(c.want); got != c.get {
			t.Errorf("Unmentioned(%q) is %q, want %q", c.want, got, c.get)
		}
	}
	for name, want := range map[string]bool{"a": true, "max": true, "inTest": true, "external": false, "local": false, "other": false, "min": false} {
		if got := p.Declares(name); got != want {
			t.Errorf("Declares(%q) is %v", name, got)
		}
	}
}

// TestFileVersion: a file's build constraint holds it to an older language than its module's.
func TestFileVersion(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "p.go")
	if err := os.WriteFile(name, []byte("//go:build go1.21\n\npackage p\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := parseFile(t, name)
	s := &Place{Package: p, File: p.Files[0]}
	if !s.AtLeast("1.21") || s.AtLeast("1.22") || !p.AtLeast("1.24") {
		t.Errorf("in a module of %s with a file of %s: 1.21 %v, 1.22 %v", p.GoVersion, p.Info.FileVersions[p.Files[0]], s.AtLeast("1.21"), s.AtLeast("1.22"))
	}
}

// parseFile checks the types of a file alone, as of a module that says go 1.24.
func parseFile(t *testing.T, name string) *Package {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := (&types.Config{Importer: importer.ForCompiler(fset, "source", nil), GoVersion: "go1.24"}).Check("example.com/m/p", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &Package{Path: pkg.Path(), Fset: fset, Files: []*ast.File{f}, Types: pkg, Info: info, GoVersion: "go1.24", Texts: map[string][]byte{name: text}}
}
