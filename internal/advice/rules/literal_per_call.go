package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var literalPerCall = &advice.Rule{
	ID:    "literal-per-call",
	Title: "a constant table is built on each call",
	Doc: `A map literal in a function is built on each call: the map is allocated, and each key is hashed and stored. A slice or an
array is copied from the program's data. If its elements are constants and nothing changes them, build it once, as a
package variable. For a few keys, a switch is faster still.

A few constant bytes that are passed to the Write method of an interface, such as hash.Hash, are allocated on each call,
because the compiler doesn't know whether the method keeps them.

Other tables that the function changes, returns, stores or passes on are not reported, and neither is code that runs once.`,
	Class:     advice.Safe,
	Frames:    tableBuilt,
	Allocates: true,
	Gain:      6,
	Match:     matchLiteralPerCall,
	Conditions: advice.Conditions{
		Offered: "all keys and elements are constants, or structs and arrays of constants, and the function only looks up elements, takes " +
			"the length, ranges over the table, or passes it to the Write method of an interface",
		Review: "the table isn't passed to a method; " + edit.InitOrder,
	},
}

var tableBuilt = lazyregexp.New(`^runtime\.(mapassign|makemap|memmove|duffcopy|newobject|mallocgc)|^internal/runtime/maps\.`)

// gainOfArray is the gain where the table is a slice or an array, which is copied and not built.
const gainOfArray = 1.5

// gainOfWritten is the gain where the table is a few bytes that are written.
const gainOfWritten = 1.5

func matchLiteralPerCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		lit, ok := c.Node().(*ast.CompositeLit)
		if !ok || s.Decl == nil || facts.RunsOnce(s.Place, c) || !isTable(s, lit) || !facts.AtPackageLevel(s.Place, lit) {
			continue
		}
		if m, ok := builtOnce(s, c, lit); ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// isTable reports whether a literal is a map of constants, or a slice or an array of them.
func isTable(s *advice.Site, lit *ast.CompositeLit) bool {
	if lit.Type == nil || len(lit.Elts) == 0 {
		return false
	}
	switch t := s.Info.TypeOf(lit).Underlying().(type) {
	case *types.Map:
	case *types.Slice:
		if _, basic := t.Elem().Underlying().(*types.Basic); !basic {
			return false
		}
	case *types.Array:
		if _, basic := t.Elem().Underlying().(*types.Basic); !basic {
			return false
		}
	default:
		return false
	}
	return neverChanges(s, lit)
}

// neverChanges reports whether a value is a constant, or a literal of constants that no one can change.
func neverChanges(s *advice.Site, e ast.Expr) bool {
	if tv := s.Info.Types[e]; tv.Value != nil || tv.IsNil() {
		return true
	}
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return false
	}
	isStruct := false
	switch s.Info.TypeOf(lit).Underlying().(type) {
	case *types.Struct:
		isStruct = true
	case *types.Array, *types.Map, *types.Slice:
	default:
		return false // a pointer, with & left out
	}
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if !isStruct && !neverChanges(s, pair.Key) {
				return false
			}
			e = pair.Value
		}
		switch s.Info.TypeOf(e).Underlying().(type) {
		case *types.Map, *types.Slice:
			return s.Info.Types[e].IsNil() // others may get it, and change it
		}
		if !neverChanges(s, e) {
			return false
		}
	}
	return true
}

// builtOnce returns the match for a table that is only read: where it is used at once, or is the value
// of a local variable that is.
func builtOnce(s *advice.Site, c inspector.Cursor, lit *ast.CompositeLit) (advice.Match, bool) {
	kind := "a map"
	m := advice.Match{Node: lit, Class: advice.Safe}
	if _, isMap := s.Info.TypeOf(lit).Underlying().(*types.Map); !isMap {
		kind, m.Gain = "a table", gainOfArray
	}
	name := edit.LowerFirst(s.Decl.Name.Name)
	if writtenThroughInterface(s, c, lit) {
		name = s.Unused(name+"Bytes", lit.Pos())
		m.Edits = []advice.Edit{edit.BeforeDecl(s, "var "+name+" = "+s.Source(lit)), edit.Replace(lit, name)}
		m.Gain = gainOfWritten
		m.Why = "Each call allocates bytes that are always the same, because a method of an interface gets them; make them once, in a package variable."
		edit.MustCheck(&m, []string{"that the method doesn't change or keep its argument, as io.Writer demands"})
		if callsAtStart(s) {
			edit.MustCheck(&m, []string{"that " + edit.InitOrder})
		}
		return m, true
	}
	if isRead(s, c) {
		name = s.Unused(name+"Table", lit.Pos())
		m.Edits = []advice.Edit{edit.BeforeDecl(s, "var "+name+" = "+s.Source(lit)), edit.Replace(lit, name)}
	} else {
		v := declaredAs(s, c, lit)
		if v == nil || !onlyRead(s, v) {
			return m, false
		}
		name = s.Unused(name+strings.ToUpper(v.Name()[:1])+v.Name()[1:], lit.Pos())
		if m.Edits = moved(s, v, lit, name); m.Edits == nil {
			return m, false
		}
	}
	m.Why = fmt.Sprintf("Each call builds %s of constants that nothing changes; build it once, in a package variable.", kind)
	if callsAtStart(s) {
		edit.MustCheck(&m, []string{"that " + edit.InitOrder})
	}
	return m, true
}

// writtenThroughInterface reports whether a slice of bytes is passed to the Write method of an interface, which
// the compiler takes to outlive the call.
func writtenThroughInterface(s *advice.Site, c inspector.Cursor, lit *ast.CompositeLit) bool {
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || c.ParentEdgeKind() != edge.CallExpr_Args || !facts.IsBytes(s.Place, lit) {
		return false
	}
	method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Write" {
		return false
	}
	selection := s.Info.Selections[method]
	return selection != nil && selection.Kind() == types.MethodVal && types.IsInterface(selection.Recv()) && !facts.Deferred(c.Parent()) &&
		s.In.Diagnostics().Escapes(s.Fset.Position(lit.Pos()).Filename, s.Package.Line(lit.Pos()))
}

// declaredAs returns the local variable whose first value is a literal.
func declaredAs(s *advice.Site, c inspector.Cursor, lit *ast.CompositeLit) *types.Var {
	var id *ast.Ident
	switch p := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		if len(p.Lhs) == 1 && len(p.Rhs) == 1 {
			id, _ = p.Lhs[0].(*ast.Ident)
		}
	case *ast.ValueSpec:
		if len(p.Names) == 1 && len(p.Values) == 1 {
			id = p.Names[0]
		}
	}
	if id == nil || id.Name == "_" {
		return nil
	}
	v, ok := s.Info.Defs[id].(*types.Var)
	if !ok || !types.Identical(v.Type(), s.Info.TypeOf(lit)) {
		return nil
	}
	return v
}

// moved moves the declaration of a variable out of its function, with its comments, and renames the
// variable. It returns nil if the declaration isn't alone on its lines.
func moved(s *advice.Site, v *types.Var, lit *ast.CompositeLit, name string) []advice.Edit {
	d, ok := facts.DeclarationOf(s.Place, v)
	if !ok || d.Value != ast.Expr(lit) || !facts.InBlock(d.Cursor) || len(s.Uses(v)) == 0 {
		return nil
	}
	lines, ok := linesOf(s, d.Node())
	if !ok || facts.Commented(s.Place, d.Node().Pos(), lit.Pos()) {
		return nil
	}
	edits := []advice.Edit{edit.BeforeDecl(s, strings.TrimSpace(lines.doc+"var "+name+" = "+s.Source(lit)+" "+lines.behind)), lines.without(s, "")}
	for _, id := range s.Uses(v) {
		edits = append(edits, edit.Replace(id, name))
	}
	return edits
}

// onlyRead reports whether all uses of a table read it.
func onlyRead(s *advice.Site, v *types.Var) bool {
	for _, id := range s.Uses(v) {
		if c, ok := s.Root().FindNode(id); !ok || !isRead(s, c) {
			return false
		}
	}
	return true
}

// isRead reports whether a use of a table reads an element or the length, or ranges over it.
func isRead(s *advice.Site, c inspector.Cursor) bool {
	c = facts.WithParens(c)
	switch c.ParentEdgeKind() {
	case edge.IndexExpr_X:
		element := facts.WithParens(c.Parent())
		method, ok := element.Parent().Node().(*ast.SelectorExpr)
		return !facts.IsAssigned(element) && !(ok && facts.CalledByAddress(s.Place, method))
	case edge.RangeStmt_X:
		return true
	case edge.CallExpr_Args:
		return s.Callee(c.Parent().Node().(*ast.CallExpr)) == "len"
	}
	return false
}

// callsAtStart reports whether a package variable gets its value from calls that may reach functions of
// the package through an interface. Such a call counts as one that reads: fmt.Sprint always does.
func callsAtStart(s *advice.Site) bool {
	type calls struct{}
	return code.Memo(s.Package, calls{}, func() bool {
		for _, f := range s.Files {
			for _, d := range f.Decls {
				decl, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range decl.Specs {
					spec, ok := spec.(*ast.ValueSpec)
					if ok && slices.ContainsFunc(spec.Values, func(e ast.Expr) bool {
						return facts.EffectsOf(s.Place, facts.CallsIn(s.Place, e)...)&(facts.MayWrite|facts.MayRead) != 0
					}) {
						return true
					}
				}
			}
		}
		return false
	})
}
