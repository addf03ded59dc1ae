package prove

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/differ"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/srcfind"
)

// A habit is something that code does beside its results: neither tests nor calls with inputs may show it, and a benchmark may be faster
// by nothing else.
type habit struct {
	kind habitKind
	what string // "cache", "debug.SetGCPercent", "(*T).Get"
	line int
}

type habitKind int

const (
	keeps   habitKind = iota // values in a package variable
	races                    // the same, without a lock
	writes                   // a method writes to its receiver without a lock
	sets                     // settings of the whole program
	watches                  // asks who calls, or whether it is tested
)

// settings are functions that change how all of a program runs.
var settings = []string{"runtime/debug.SetGCPercent", "runtime/debug.SetMemoryLimit", "runtime/debug.SetMaxStack", "runtime/debug.SetMaxThreads", "runtime/debug.FreeOSMemory",
	"runtime.GOMAXPROCS", "runtime.GC", "runtime.SetCPUProfileRate", "runtime.MemProfileRate", "os.Setenv"}

// questions are what tells a test or a benchmark from other callers.
var questions = []string{"testing.", "flag.Lookup", "flag.CommandLine", "os.Args", "os.Executable", "runtime.Caller", "runtime.Callers", "runtime.Stack", "runtime/debug.Stack",
	"runtime/debug.PrintStack", "runtime/debug.ReadBuildInfo"}

// judgeHabits weakens a check by what a candidate, which is checked out, newly does beside its results.
func (c *checker) judgeHabits(ctx context.Context, e *examined) (Check, error) {
	check := e.check
	files, err := c.changedFiles(ctx, e)
	if err != nil {
		return check, err
	}
	for _, f := range files {
		i := slices.IndexFunc(e.changed, func(p listed) bool { return p.ImportPath == f.Package })
		variables := make(map[string]bool)
		for _, name := range e.changed[i].GoFiles {
			text, err := infile.ReadFile(ctx, filepath.Join(e.changed[i].Dir, name), infile.MaxSource)
			if err != nil {
				return check, err
			}
			addVariables(variables, text)
		}
		addVariables(variables, f.Before)
		for _, h := range newHabits(f, variables) {
			check = check.with(h, fmt.Sprintf("%s:%d", f.Name, h.line))
		}
	}
	return check, nil
}

// with is a check of a candidate that has a habit.
func (c Check) with(h habit, at string) Check {
	text := ""
	switch h.kind {
	case keeps:
		c.Notes = append(c.Notes, fmt.Sprintf("it keeps values between calls in %s (%s): a benchmark that repeats the same call may be faster only because of that", h.what, at))
		return c
	case races:
		text = fmt.Sprintf("it writes to the package variable %s without a lock (%s): calls from several goroutines can disturb each other, and a benchmark that repeats the same call may be faster only because of it", h.what, at)
	case writes:
		text = fmt.Sprintf("%s now writes to its receiver without a lock (%s): goroutines that share a value can disturb each other", h.what, at)
	case sets:
		text = fmt.Sprintf("it changes a setting of the whole program with %s (%s), which may be all that makes it faster", h.what, at)
	case watches:
		text = fmt.Sprintf("it can tell tests and benchmarks from other callers with %s (%s)", h.what, at)
	}
	if c.State != Right {
		c.Notes = append(c.Notes, text)
		return c
	}
	c.State, c.Why = Untested, c.Why+", but "+text
	return c
}

// newHabits are those of a file that it didn't have before.
func newHabits(f differ.File, variables map[string]bool) (fresh []habit) {
	before := habitsOf(f.Before, variables)
	for _, h := range habitsOf(f.Now, variables) {
		old := slices.ContainsFunc(before, func(b habit) bool {
			return b.what == h.what && (b.kind == h.kind || b.kind == races && h.kind == keeps)
		})
		if !old && !slices.ContainsFunc(fresh, func(b habit) bool { return b.what == h.what && b.kind == h.kind }) && (h.kind != writes || !mayWrite(f.Before, h.what)) {
			fresh = append(fresh, h)
		}
	}
	return fresh
}

// addVariables adds the package variables of a file.
func addVariables(all map[string]bool, text []byte) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			for _, name := range s.(*ast.ValueSpec).Names {
				all[name.Name] = true
			}
		}
	}
}

// habitsOf are those of a file's functions.
func habitsOf(text []byte, variables map[string]bool) (all []habit) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, 0)
	if err != nil {
		return nil
	}
	imports := make(map[string]string)
	for _, s := range file.Imports {
		p := strings.Trim(s.Path.Value, "\"`")
		name := path.Base(p)
		if s.Name != nil {
			name = s.Name.Name
		}
		imports[name] = p
	}
	line := func(n ast.Node) int { return fset.Position(n.Pos()).Line }
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if !ok || x.Obj != nil || imports[x.Name] == "" {
			return true
		}
		name := imports[x.Name] + "." + s.Sel.Name
		switch short := x.Name + "." + s.Sel.Name; {
		case slices.Contains(settings, name):
			all = append(all, habit{sets, short, line(s)})
		case slices.ContainsFunc(questions, func(q string) bool { return q == name || q == "testing." && imports[x.Name] == "testing" }):
			all = append(all, habit{watches, short, line(s)})
		}
		return true
	})
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Recv == nil && f.Name.Name == "init" {
			continue
		}
		w := stores{parts: make(map[any]string), locked: callsMethod(f.Body, "Lock", "RLock", "Do")}
		w.variable = func(id *ast.Ident) bool {
			return variables[id.Name] && (id.Obj == nil || file.Scope.Lookup(id.Name) == id.Obj)
		}
		if f.Recv != nil && len(f.Recv.List[0].Names) > 0 && srcfind.ReceiverOf(f).Pointer {
			w.receiver = f.Recv.List[0].Names[0].Obj
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			for _, h := range w.in(n) {
				if h.kind == writes {
					h.what = srcfind.FuncName(f)
				}
				h.line = line(n)
				all = append(all, h)
			}
			return true
		})
	}
	return all
}

// stores finds what a function stores for later calls.
type stores struct {
	variable func(id *ast.Ident) bool // of the package
	receiver any                      // its object
	locked   bool
	parts    map[any]string // local variables that are parts of package variables
}

// keepers are methods that put something into what they belong to.
var keepers = []string{"Store", "Swap", "CompareAndSwap", "LoadOrStore", "Put", "Set", "Add", "Push", "PushBack", "PushFront", "Insert"}

func (s *stores) in(n ast.Node) (all []habit) {
	to := func(e ast.Expr, assigned bool) {
		id := root(e)
		if id == nil {
			return
		}
		kind := races
		if s.locked {
			kind = keeps
		}
		switch _, plain := e.(*ast.Ident); {
		case s.variable(id):
			all = append(all, habit{kind: kind, what: id.Name})
		case s.parts[id.Obj] != "" && id.Obj != nil && !plain:
			all = append(all, habit{kind: kind, what: s.parts[id.Obj]})
		case s.receiver != nil && id.Obj == s.receiver && !s.locked && assigned && !plain:
			all = append(all, habit{kind: writes})
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, e := range n.Lhs {
			id, ok := e.(*ast.Ident)
			if part, sliced := n.Rhs[min(i, len(n.Rhs)-1)].(*ast.SliceExpr); ok && sliced && id.Obj != nil && root(part) != nil && s.variable(root(part)) {
				s.parts[id.Obj] = root(part).Name
			}
		}
		if n.Tok != token.DEFINE {
			for _, e := range n.Lhs {
				to(e, true)
			}
		}
	case *ast.IncDecStmt:
		to(n.X, true)
	case *ast.CallExpr:
		switch f := n.Fun.(type) {
		case *ast.Ident:
			if (f.Name == "append" || f.Name == "copy" || f.Name == "delete" || f.Name == "clear") && len(n.Args) > 0 {
				to(n.Args[0], f.Name != "append")
			}
		case *ast.SelectorExpr:
			if id, ok := f.X.(*ast.Ident); ok && slices.Contains(keepers, f.Sel.Name) && s.variable(id) {
				all = append(all, habit{kind: keeps, what: id.Name})
			}
		}
	}
	return all
}

// root is the variable in which an expression lies: v of v.a[i].b.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// callsMethod reports whether a block calls a method with one of some names.
func callsMethod(b *ast.BlockStmt, names ...string) (found bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(names, s.Sel.Name) {
				found = true
			}
		}
		return !found
	})
	return found
}

// mayWrite reports whether a method of a file may write to its receiver: itself, or in what it calls. One that isn't in the file may.
func mayWrite(text []byte, method string) (may bool) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return true
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Recv == nil || srcfind.FuncName(f) != method || len(f.Recv.List[0].Names) == 0 {
			continue
		}
		s := stores{parts: make(map[any]string), variable: func(*ast.Ident) bool { return false }, receiver: f.Recv.List[0].Names[0].Obj}
		of := func(e ast.Expr) bool { id := root(e); return id != nil && id.Obj == s.receiver }
		ast.Inspect(f.Body, func(n ast.Node) bool {
			may = may || len(s.in(n)) > 0
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && of(f.X) {
				may = true
			}
			for _, a := range call.Args {
				u, pointer := a.(*ast.UnaryExpr)
				id, plain := a.(*ast.Ident)
				may = may || pointer && u.Op == token.AND && of(u.X) || plain && of(id)
			}
			return true
		})
		return may
	}
	return true
}
