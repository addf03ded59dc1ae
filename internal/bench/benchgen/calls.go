package benchgen

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// tests are the test files of a package.
type tests struct {
	*packages.Package
	tested     string          // import path of the package that they test
	benchmarks map[string]bool // names of those that exist
	measured   map[string]bool // functions that a benchmark calls
}

// newTests finds the functions that a folder already has benchmarks for: in both of its test packages, and in new files.
func newTests(p *packages.Package, all []*packages.Package, files []File) *tests {
	t := &tests{Package: p, tested: p.ForTest, benchmarks: make(map[string]bool), measured: make(map[string]bool)}
	for _, f := range files {
		if filepath.Dir(f.Name) == filepath.Dir(p.GoFiles[0]) {
			for _, name := range f.Benchmarks {
				t.benchmarks[name] = true
			}
		}
	}
	for _, other := range all {
		if other.ForTest != p.ForTest {
			continue
		}
		of := &tests{Package: other, tested: p.ForTest}
		of.functions(func(fn *ast.FuncDecl) {
			if !strings.HasPrefix(fn.Name.Name, "Benchmark") {
				return
			}
			t.benchmarks[fn.Name.Name] = true
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					t.measured[of.exported(call)] = true
				}
				return true
			})
		})
	}
	return t
}

// functions calls visit with each function of the test files, in the order of files and lines.
func (t *tests) functions(visit func(fn *ast.FuncDecl)) {
	for _, f := range t.Syntax {
		if !strings.HasSuffix(t.Fset.Position(f.FileStart).Filename, "_test.go") {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil {
				visit(fn)
			}
		}
	}
}

// exported returns the name of the exported function or method that is called, such as "Tree.Insert"; "" if it isn't one of the tested package.
func (t *tests) exported(call *ast.CallExpr) string {
	fn, ok := typeutil.Callee(t.TypesInfo, call).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != t.tested || !fn.Exported() || strings.HasSuffix(t.Fset.Position(fn.Pos()).Filename, "_test.go") {
		return ""
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	of := recv.Type()
	if p, ok := of.(*types.Pointer); ok {
		of = p.Elem()
	}
	named, ok := of.(*types.Named)
	if !ok || types.IsInterface(named) || !named.Obj().Exported() {
		return ""
	}
	return named.Obj().Name() + "." + fn.Name()
}

// A call is a call in a test that a benchmark can repeat.
type call struct {
	function string
	test     string
	expr     *ast.CallExpr
	outside  []ast.Stmt // what its inputs are made of, in the order of the test
	inside   []ast.Stmt // like outside, but run before each call, which may change it
	table    *ast.RangeStmt
	row      map[types.Object]bool // which of the loop's variables are needed
	imports  map[string]string     // by path: the name in the file; "" for the package's own name
}

// choose returns the first call of each function that can be repeated, sorted by function.
func (t *tests) choose() (chosen []*call, refused []Refusal) {
	found := make(map[string]*call)
	why := make(map[string]string)
	t.functions(func(fn *ast.FuncDecl) {
		test := strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain"
		if !test && !strings.HasPrefix(fn.Name.Name, "Example") {
			return
		}
		unrepeatable := t.unrepeatable(fn)
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			expr, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			function := t.exported(expr)
			if function == "" || found[function] != nil || t.measured[function] || t.benchmarks[benchmarkName(function)] {
				return true
			}
			c, err := &call{function: function, test: fn.Name.Name, expr: expr, imports: make(map[string]string), row: make(map[types.Object]bool)}, unrepeatable
			if err == "" {
				err = t.inputs(c, fn)
			}
			if err == "" {
				found[function] = c
			} else if why[function] == "" {
				why[function] = fn.Name.Name + " " + err
			}
			return true
		})
	})
	for _, c := range found {
		chosen = append(chosen, c)
		delete(why, c.function)
	}
	slices.SortFunc(chosen, func(a, b *call) int { return cmp.Compare(a.function, b.function) })
	for function, reason := range why {
		refused = append(refused, Refusal{function, reason})
	}
	slices.SortFunc(refused, func(a, b Refusal) int { return cmp.Compare(a.Function, b.Function) })
	return chosen, refused
}

// effect says which effect of a package's functions a benchmark must not repeat; "" if none.
func effect(path string) string {
	switch path {
	case "os":
		return "uses files or the process"
	case "io/ioutil":
		return "uses files"
	case "os/exec":
		return "runs programs"
	case "os/signal":
		return "uses signals"
	case "syscall":
		return "makes system calls"
	case "net", "net/http", "net/http/httptest", "net/rpc":
		return "uses the network"
	case "database/sql":
		return "uses a database"
	case "testing/synctest":
		return "runs in a synctest bubble"
	}
	return ""
}

// unrepeatable says why a test can't be repeated; "" if it can.
func (t *tests) unrepeatable(fn *ast.FuncDecl) (why string) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if why != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.GoStmt:
			why = "starts goroutines"
		case *ast.SelectorExpr:
			obj := t.TypesInfo.Uses[n.Sel]
			if obj == nil || obj.Pkg() == nil {
				return true
			}
			switch path := obj.Pkg().Path(); {
			case path == "testing" && slices.Contains([]string{"Parallel", "TempDir", "Setenv", "Chdir", "Cleanup", "AllocsPerRun"}, n.Sel.Name):
				why = "uses t." + n.Sel.Name
			case path == "time" && slices.Contains([]string{"Now", "Sleep", "After", "Since", "Until", "NewTimer", "NewTicker"}, n.Sel.Name):
				why = "uses time." + n.Sel.Name
			case strings.HasPrefix(path, "math/rand"):
				why = "uses random numbers"
			case effect(path) != "":
				why = effect(path) + " (" + path + "." + n.Sel.Name + ")"
			}
		}
		return true
	})
	return why
}

// write writes the benchmark of a call.
func (c *call) write(out *bytes.Buffer, name string, t *tests) {
	node := func(n ast.Node) string {
		var b bytes.Buffer
		format.Node(&b, t.Fset, n)
		return b.String()
	}
	fmt.Fprintf(out, "\n// %s calls %s with the inputs of %s.\nfunc %s(b *testing.B) {\n", name, c.function, c.test, name)
	for _, s := range c.outside {
		fmt.Fprintln(out, node(s))
	}
	table := ""
	if c.table != nil {
		head := *c.table
		if literal, ok := head.X.(*ast.CompositeLit); ok { // making it isn't measured
			fmt.Fprintf(out, "allInputs := %s\n", node(literal))
			head.X = &ast.Ident{NamePos: literal.Pos(), Name: "allInputs"}
		}
		head.Body = &ast.BlockStmt{}
		if id, ok := head.Key.(*ast.Ident); ok && !c.row[t.TypesInfo.Defs[id]] {
			head.Key = &ast.Ident{NamePos: id.NamePos, Name: "_"}
		}
		if id, ok := head.Value.(*ast.Ident); ok && !c.row[t.TypesInfo.Defs[id]] {
			head.Value = nil
		}
		table = strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(node(&head)), "}")), "{") + "{\n"
	}
	fmt.Fprintf(out, "b.ReportAllocs()\nfor b.Loop() {\n%s", table)
	for _, s := range c.inside {
		fmt.Fprintln(out, node(s))
	}
	fmt.Fprintln(out, node(c.expr))
	if c.table != nil {
		fmt.Fprintln(out, "}")
	}
	fmt.Fprintln(out, "}\n}")
}

// position compares statements by their position.
func position(a, b ast.Stmt) int { return cmp.Compare(a.Pos(), b.Pos()) }
