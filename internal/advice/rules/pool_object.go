package rules

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// A resettable is an object that a function makes, uses and drops, and that has a Reset method.
type resettable struct {
	*advice.Site
	made inspector.Cursor // the expression that makes it, the same in each call
	v    types.Object     // the variable
	typ  string
}

// resettableAt reads a statement such as h := newHasher(). ok is false if the object may outlive the function, or
// can't be reset.
func resettableAt(s *advice.Site, made inspector.Cursor) (o *resettable, ok bool) {
	assign, isAssign := made.Parent().Node().(*ast.AssignStmt)
	if !isAssign || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || s.Decl == nil || s.Func.Node() != ast.Node(s.Decl) ||
		made.Parent().Parent().Node() != ast.Node(s.Decl.Body) || facts.Jumps(s.Place) || facts.RunsOnce(s.Place, made) || facts.Pooled(s.Place, made) {
		return nil, false
	}
	v := facts.Object(s.Place, assign.Lhs[0])
	if v == nil || !facts.IsLocal(s.Place, v) || !resets(v.Type()) || !alwaysTheSame(s, made.Node().(ast.Expr)) || !onlyMethods(s, v) {
		return nil, false
	}
	typ, ok := facts.TypeText(s.Place, v.Type(), s.Decl.Pos())
	return &resettable{s, made, v, typ}, ok && facts.Builtins(s.Place, s.Decl.Pos(), "any", "new")
}

// resets reports whether a type has a method Reset without parameters and results.
func resets(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, "Reset")
	f, ok := obj.(*types.Func)
	_, pointer := types.Unalias(t).(*types.Pointer)
	return ok && f.Signature().Params().Len() == 0 && f.Signature().Results().Len() == 0 && (pointer || types.IsInterface(t))
}

// alwaysTheSame reports whether an expression makes an object in the same way each time: new(T), &T{}, or a call with
// constants.
func alwaysTheSame(s *advice.Site, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		lit, ok := e.X.(*ast.CompositeLit)
		return ok && e.Op == token.AND && len(lit.Elts) == 0 && facts.AtPackageLevel(s.Place, lit.Type)
	case *ast.CallExpr:
		if s.Callee(e) == "make" || s.Info.Types[e.Fun].IsType() || e.Ellipsis.IsValid() || s.Callee(e) == "" {
			return false
		}
		return facts.AtPackageLevel(s.Place, e) && !slices.ContainsFunc(e.Args, func(a ast.Expr) bool {
			tv := s.Info.Types[a]
			return tv.Value == nil && !tv.IsNil() && !tv.IsType()
		})
	}
	return false
}

// onlyMethods reports whether a variable is only used to call methods that return neither memory nor the object, and
// as the destination of functions that don't keep it.
func onlyMethods(s *advice.Site, v types.Object) bool {
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok || s.Package.Around(c).Func != s.Func {
			return false
		}
		call, ok := c.Parent().Node().(*ast.CallExpr)
		at := c.Parent()
		if sel, isMethod := c.Parent().Node().(*ast.SelectorExpr); isMethod {
			at = c.Parent().Parent()
			if call, ok = at.Node().(*ast.CallExpr); !ok || call.Fun != ast.Expr(sel) || sel.Sel.Name == "Close" || returnsObject(s, call) && sel.Sel.Name != "Sum" {
				return false
			}
		} else if !ok || !slices.Contains([]string{"io.Copy", "io.CopyN", "io.WriteString", "fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "encoding/binary.Write"}, s.Callee(call)) || call.Args[0] != ast.Expr(id) {
			return false
		}
		switch at.Parent().Node().(type) {
		case *ast.GoStmt, *ast.DeferStmt:
			return false
		}
	}
	return len(s.Uses(v)) > 0
}

// returnsObject reports whether a result of a call may lead to memory: it isn't a number, text, array of these, or error.
func returnsObject(s *advice.Site, call *ast.CallExpr) bool {
	leads := func(t types.Type) bool {
		return !facts.PointerFree(t) && !types.Identical(t, types.Universe.Lookup("error").Type())
	}
	switch t := s.Info.TypeOf(call).(type) {
	case *types.Tuple:
		for v := range t.Variables() {
			if leads(v.Type()) {
				return true
			}
		}
		return false
	case nil:
		return false
	default:
		return leads(t)
	}
}

// edits takes the object from the named pool, and puts it back when the function returns.
func (o *resettable) edits(pool string) []advice.Edit {
	return []advice.Edit{
		edit.Replace(o.made.Node(), fmt.Sprintf("%s.Get().(%s)", pool, o.typ)),
		edit.Insert(o.made.Parent().Node().End(), fmt.Sprintf("\n%s.Reset()\ndefer %s.Put(%[1]s)", o.v.Name(), pool)),
	}
}

// declaration declares the pool above the site's function.
func (o *resettable) declaration(s *advice.Site, pool string) (e advice.Edit, ok bool) {
	sync, ok := facts.PackageName(s.Place, "sync", s.Decl.Pos())
	return edit.BeforeDecl(s, fmt.Sprintf("var %s = %s.Pool{New: func() any { return %s }}", pool, sync, o.Source(o.made.Node()))), ok
}

// review says what to check when an object comes from a pool.
func (o *resettable) review(m *advice.Match) {
	m.Imports = append(m.Imports, "sync")
	edit.MustCheck(m, []string{fmt.Sprintf("that Reset makes %s what it is when new", o.v.Name()), fmt.Sprintf("that no code keeps %s, or memory that its methods return, after the function returns", o.v.Name())})
}

// poolObject takes the object that a statement makes from a pool.
func poolObject(s *advice.Site, made inspector.Cursor, m *advice.Match) bool {
	o, ok := resettableAt(s, made)
	if !ok {
		return false
	}
	pool := s.Unused(poolName(o.v.Type()), made.Node().Pos())
	if call, isCall := made.Node().(*ast.CallExpr); isCall && types.IsInterface(o.v.Type()) {
		if pkg, _, ok := strings.Cut(s.Source(call.Fun), "."); ok { // sha256Pool says more than hashPool
			pool = s.Unused(pkg+"Pool", made.Node().Pos())
		}
	}
	decl, ok := o.declaration(s, pool)
	if !ok {
		return false
	}
	m.Edits = append(o.edits(pool), decl)
	o.review(m)
	return true
}

// poolName is a name for a pool of objects of a type: hasherPool.
func poolName(t types.Type) string {
	name := strings.TrimLeft(facts.TypeName(t), "*")
	return edit.LowerFirst(name[strings.LastIndexByte(name, '.')+1:]) + "Pool"
}

// elsewhere is 1 for code in another file than the site's, and 0 in the same.
func elsewhere(s *advice.Site, n ast.Node) int {
	if facts.Within(s.File, n.Pos()) {
		return 0
	}
	return 1
}

// poolConstructed makes the calls of a constructor take their objects from a pool. All calls are alike. Those in its own file
// come first: the pool is declared there.
func poolConstructed(s *advice.Site, m *advice.Match) bool {
	fn, ok := s.Info.Defs[s.Decl.Name].(*types.Func)
	if !ok || s.Decl.Recv != nil || s.Decl.Type.TypeParams != nil {
		return false
	}
	var first *resettable
	pool := ""
	uses := slices.Clone(s.Uses(fn))
	slices.SortStableFunc(uses, func(a, b *ast.Ident) int { return cmp.Compare(elsewhere(s, a), elsewhere(s, b)) })
	for _, id := range uses {
		c, ok := s.Root().FindNode(id)
		if !ok {
			continue
		}
		call, ok := c.Parent().Node().(*ast.CallExpr)
		if !ok || call.Fun != ast.Expr(id) {
			continue
		}
		site := *s
		site.Place = s.Package.Around(c)
		if pool != "" && s.Unused(pool, call.Pos()) != pool || !edit.Reaches(s, s.Decl, site.File) {
			continue
		}
		o, ok := resettableAt(&site, c.Parent())
		if !ok || first != nil && s.Source(call) != s.Source(first.made.Node()) {
			continue
		}
		if first == nil {
			first, pool = o, s.Unused(poolName(o.v.Type()), call.Pos())
		}
		m.Edits = append(m.Edits, o.edits(pool)...)
	}
	if first == nil {
		return false
	}
	decl, ok := first.declaration(s, pool)
	if !ok {
		m.Edits = nil
		return false
	}
	m.Edits = append(m.Edits, decl)
	first.review(m)
	return true
}
