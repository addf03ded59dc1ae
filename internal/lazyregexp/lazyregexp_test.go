package lazyregexp

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func TestRegexp(t *testing.T) {
	re := New(`a(b+)`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if m := re.FindStringSubmatch("xabbx"); len(m) != 2 || m[1] != "bb" {
				t.Errorf("got %q", m)
			}
		})
	}
	wg.Wait()
	if re.String() != `a(b+)` || re.MatchString("b") || !re.Match([]byte("ab")) || re.ReplaceAllString("abc", "-") != "-c" {
		t.Errorf("%v does not match as package regexp does", re)
	}
	if first := re.Get(); first != re.Get() {
		t.Error("compiled twice")
	}
}

// A mistake in a regular expression must not wait for the verb that uses it first.
func TestAllCompile(t *testing.T) {
	found := 0
	for _, top := range []string{"../../cmd", "../../internal", "../../profile"} {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			found += compileAll(t, name)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 100 {
		t.Errorf("only %d regular expressions were found", found)
	}
}

// compileAll compiles the constant regular expressions of a folder, and returns how many there are.
func compileAll(t *testing.T, dir string) (found int) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	lazy := false
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			lazy = lazy || strings.HasSuffix(spec.Path.Value, `/internal/lazyregexp"`)
		}
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, f)
		}
	}
	if !lazy {
		return 0
	}
	// Constants are all it has to understand: imports, and files of other platforms, are errors.
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Error: func(error) {}, IgnoreFuncBodies: true}
	config.Check(dir, fset, files, &info)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || types.ExprString(call.Fun) != "lazyregexp.New" {
				return true
			}
			text := info.Types[call.Args[0]].Value
			if text == nil {
				return true // made when the program runs
			}
			found++
			if _, err := regexp.Compile(constant.StringVal(text)); err != nil {
				t.Errorf("%s: %v", fset.Position(call.Pos()), err)
			}
			return true
		})
	}
	return found
}
