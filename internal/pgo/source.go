package pgo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// A Module is one whose source is at hand.
type Module struct {
	Path, Dir string
	// Main is the folder of the command that main.f is of; "" if there is none.
	Main string
}

// source reads packages of a module as they are asked for.
type source struct {
	module   Module
	packages map[string]*sourcePackage // by folder; nil where there is none
}

// A sourcePackage is what is declared in a folder, whatever is built of it.
type sourcePackage struct {
	functions map[string][]*function // "F" and "T.M"; several where build tags choose
	literals  []*function            // in variables of the package
	values    map[string]bool        // variables and fields of structs, which may hold what x.f() calls
}

// A function is one that is declared, or a literal.
type function struct {
	start    int
	test     bool // in a file of tests
	calls    []call
	deferred []string // names called as the function returns, on whatever line that is
	literals []*function
}

// A call is one written in a function, or in a literal in it.
type call struct {
	lines []int  // that it may be attributed to
	name  string // "M" of x.M(); "" if what is called is a value; "range"
}

// dir returns the folder of a package of the module. Tests may be a package of their own
// in a folder, whose path ends in _test then.
func (s *source) dir(pkg string) (string, bool) {
	if pkg == "main" {
		return s.module.Main, s.module.Main != ""
	}
	rel, ok := strings.CutPrefix(pkg, s.module.Path)
	if !ok || rel != "" && rel != "_test" && rel[0] != '/' {
		return "", false
	}
	if s.external(rel) {
		rel = strings.TrimSuffix(rel, "_test")
	}
	return filepath.Join(s.module.Dir, filepath.FromSlash(rel)), true
}

// external reports whether a package, by its path in the module, is one of tests.
func (s *source) external(rel string) bool {
	return strings.HasSuffix(rel, "_test") && (rel == "_test" || s.read(filepath.Join(s.module.Dir, filepath.FromSlash(rel))) == nil)
}

// read returns the package in a folder, nil if there is none.
func (s *source) read(dir string) *sourcePackage {
	if p, ok := s.packages[dir]; ok {
		return p
	}
	s.packages[dir] = nil
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	p := &sourcePackage{functions: make(map[string][]*function), values: make(map[string]bool)}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !e.IsDir() {
			p.add(filepath.Join(dir, name))
			s.packages[dir] = p
		}
	}
	return s.packages[dir]
}

// add reads a file. What doesn't parse says nothing.
func (p *sourcePackage) add(name string) {
	fset := token.NewFileSet()
	f, _ := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if f == nil {
		return
	}
	test := strings.HasSuffix(name, "_test.go")
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			key := srcfind.DeclName(d)
			p.functions[key] = append(p.functions[key], p.function(fset, d, test))
		case *ast.GenDecl:
			holder := p.function(fset, d, test)
			p.literals = append(p.literals, holder.literals...)
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						p.values[name.Name] = true
					}
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if t, ok := n.(*ast.StructType); ok {
			for _, field := range t.Fields.List {
				for _, name := range field.Names {
					p.values[name.Name] = true
				}
			}
		}
		return true
	})
}

// unwrap takes parentheses and type arguments off an expression.
func unwrap(x ast.Expr) ast.Expr {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		default:
			return x
		}
	}
}

// function reads a function, literal or other declaration.
func (p *sourcePackage) function(fset *token.FileSet, n ast.Node, test bool) *function {
	line := func(pos token.Pos) int { return fset.Position(pos).Line }
	fn := &function{start: line(n.Pos()), test: test}
	if d, ok := n.(*ast.FuncDecl); ok {
		fn.start = line(d.Type.Func)
	}
	variables := localNames(n)
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			if m != n {
				fn.literals = append(fn.literals, p.function(fset, m, test))
			}
		case *ast.RangeStmt: // over a function, which is a literal in most cases
			fn.calls = append(fn.calls, call{[]int{line(m.For), line(m.X.Pos())}, "range"})
		case *ast.DeferStmt:
			fn.deferred = append(fn.deferred, called(m.Call, variables))
		case *ast.CallExpr:
			lines := []int{line(m.Pos()), line(m.Lparen), line(m.Rparen), line(m.Fun.End() - 1)}
			fn.calls = append(fn.calls, call{lines, called(m, variables)})
		}
		return true
	})
	return fn
}

// called names what a call calls, "" if that is a value.
func called(c *ast.CallExpr, variables map[string]bool) string {
	// A call of an element of a slice or map looks like one with type arguments,
	// so both count as what they may be.
	switch f := unwrap(c.Fun).(type) {
	case *ast.Ident:
		if !variables[f.Name] {
			return f.Name
		}
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// localNames returns the names of parameters and variables in a function.
func localNames(n ast.Node) map[string]bool {
	names := make(map[string]bool)
	add := func(x ast.Expr) {
		if id, ok := x.(*ast.Ident); ok {
			names[id.Name] = true
		}
	}
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.AssignStmt:
			if m.Tok == token.DEFINE {
				for _, x := range m.Lhs {
					add(x)
				}
			}
		case *ast.RangeStmt:
			add(m.Key)
			add(m.Value)
		case *ast.ValueSpec:
			for _, x := range m.Names {
				add(x)
			}
		case *ast.Field:
			for _, x := range m.Names {
				add(x)
			}
		}
		return true
	})
	return names
}

// A linkName is what a profile calls a function, taken apart.
type linkName struct {
	pkg     string
	base    string // "F" or "T.M"; "" for what stands in variables of the package
	literal bool   // a literal in base
	made    bool   // by the compiler: wrappers, bodies of range loops
}

var (
	literalPart = lazyregexp.New(`^(func)?\d+$`)
	loopPart    = lazyregexp.New(`(-range\d+)+\.`)
	madePart    = lazyregexp.New(`^(gowrap|deferwrap)\d+$`)
)

// parseLinkName takes names apart like "m/p.(*T[...]).M.func1.2".
func parseLinkName(name string) linkName {
	f := profile.Frame{Name: name}
	n := linkName{pkg: f.Package()}
	name = srcfind.WithoutTypeArguments(name)
	slash := strings.LastIndexByte(name, '/') + 1
	_, rest, ok := strings.Cut(name[slash:], ".")
	if !ok {
		n.made = true
		return n
	}
	// Go 1.27 names a literal in the body of a range loop F-range1.1.
	rest = loopPart.ReplaceAllString(rest, ".")
	n.made = strings.HasSuffix(rest, "-fm") || strings.Contains(rest, "-range") || strings.Contains(rest, "..dict") || strings.HasPrefix(name, "type:")
	rest = strings.NewReplacer("(*", "", ")", "").Replace(rest)
	parts := strings.Split(rest, ".")
	for i, p := range parts {
		n.literal = n.literal || i > 0 && literalPart.MatchString(p)
		n.made = n.made || madePart.MatchString(p)
	}
	switch {
	case parts[0] == "glob" || parts[0] == "init" && n.literal && len(parts) > 1 && strings.HasPrefix(parts[1], "func"):
		n.literal = true
	case parts[0] == "init" && len(parts) > 1: // init.0
		n.base, n.literal = "init", len(parts) > 2
	case len(parts) > 1 && !literalPart.MatchString(parts[1]) && !madePart.MatchString(parts[1]):
		n.base = parts[0] + "." + parts[1]
	default:
		n.base = parts[0]
	}
	return n
}
