package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var objectPerElement = &advice.Rule{
	ID:    "object-per-element",
	Title: "a loop allocates an object per iteration",
	Doc: `A loop that stores &T{} or new(T) per element allocates each object on its own. One slice for all objects is a single
allocation, and pointers to its elements do the same. The objects are also next to each other in memory.

Review the rewrite, because the garbage collector frees the slice as a whole: if one object stays in use, so does the
memory of all. If the objects have different lifetimes, leave the loop as it is.`,
	Class:     advice.Review,
	Frames:    newObject,
	Allocates: true,
	Own:       true,
	Since:     "1.21",
	Gain:      2,
	Match:     matchObjectPerElement,
	Conditions: advice.Conditions{
		Offered: "the number of iterations is known before the loop, and a statement of its body stores the new object in a variable, " +
			"an element or a field, or appends it to a slice, and is not in a case or an inner branch",
		Review: "the objects are dropped together; a count that comes from outside isn't inflated; most iterations reach the statement; " +
			"no code sets a finalizer for an object",
	},
}

func matchObjectPerElement(s *advice.Site) []advice.Match {
	if s.Allocates() < someAllocated && s.Share(newObject) < someAllocated || s.In.Diagnostics() == nil {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		o, ok := newObjectAt(s, c)
		if !ok || facts.RarelyRuns(s.Place, c) || facts.RunsOnce(s.Place, c) || !s.In.Diagnostics().Escapes(s.Fset.Position(c.Node().Pos()).Filename, s.Package.Line(c.Node().Pos())) {
			continue
		}
		if m, ok := o.perElement(); ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// An elementObject is one that a statement of a loop allocates.
type elementObject struct {
	site  *advice.Site
	new   inspector.Cursor // &T{…} or new(T)
	typ   ast.Expr         // T
	value string           // T{…}; "" for its zero value
	stmt  inspector.Cursor // stores it
	loop  inspector.Cursor
}

// newObjectAt reads an expression that allocates a struct or an array, and is stored by a statement of a
// loop.
func newObjectAt(s *advice.Site, c inspector.Cursor) (o elementObject, ok bool) {
	o = elementObject{site: s, new: c}
	switch n := c.Node().(type) {
	case *ast.UnaryExpr:
		lit, ok := n.X.(*ast.CompositeLit)
		if n.Op != token.AND || !ok || lit.Type == nil {
			return o, false
		}
		o.typ = lit.Type
		if len(lit.Elts) > 0 {
			o.value = s.Source(lit)
		}
	case *ast.CallExpr:
		if s.Callee(n) != "new" || !s.Info.Types[n.Args[0]].IsType() {
			return o, false
		}
		o.typ = n.Args[0]
	default:
		return o, false
	}
	if t := s.Info.TypeOf(o.typ); t != nil {
		size, sized := facts.SizeOf(t)
		switch t.Underlying().(type) {
		case *types.Struct, *types.Array:
			ok = sized && size > 0 && !facts.HasLock(t) || o.value == "" && sized && size > 0
		}
	}
	if !ok || !stored(s, c) || finalized(s, s.Info.TypeOf(o.typ)) {
		return o, false
	}
	if o.stmt, ok = facts.Statement(c); !ok {
		return o, false
	}
	o.loop, ok = facts.LoopAround(c)
	return o, ok
}

// stored reports whether an expression is the value that an assignment stores, or appends to a slice.
func stored(s *advice.Site, c inspector.Cursor) bool {
	at := c
	if call, ok := c.Parent().Node().(*ast.CallExpr); ok {
		if len(call.Args) != 2 || call.Args[1] != c.Node() || s.Callee(call) != "append" || !facts.Plain(s.Place, call.Args[0]) {
			return false
		}
		at = c.Parent()
	}
	assign, ok := at.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 || len(assign.Lhs) != 1 || assign.Rhs[0] != at.Node() || facts.Calls(s.Place, assign.Lhs[0]) {
		return false
	}
	_, inBlock := assign.Lhs[0].(*ast.Ident)
	return inBlock || assign.Tok == token.ASSIGN
}

// perElement matches the object if the loop's number of iterations is known.
func (o *elementObject) perElement() (m advice.Match, ok bool) {
	s, loop := o.site, o.loop.Node()
	body := facts.LoopBody(loop)
	b, known := facts.TripsOf(s.Place, loop)
	before, inBlock := facts.Statement(o.loop)
	if !known || o.seldom(&b) || o.replaced() || b.Call || !inBlock || before.Node() != loop || !facts.Within(body, o.stmt.Node().Pos()) || !facts.InBlock(o.stmt) || facts.LastIteration(s.Place, o.new, o.loop) ||
		facts.Jumps(s.Place) || !facts.SameAt(s.Place, o.typ, loop.Pos()) || !facts.Builtins(s.Place, loop.Pos(), "make", "len", "max") || !facts.Builtins(s.Place, o.new.Node().Pos(), "append", "len") || facts.Commented(s.Place, o.stmt.Node().Pos(), o.new.Node().Pos()) {
		return m, false
	}
	if n, constant := facts.ConstantInt(s.Place, b.Expr); b.Counts && constant && n < 2 {
		return m, false
	}
	size, _ := b.Size(s.Place, loop.Pos())
	typ := s.Source(o.typ)
	if !edit.OneLine(size) || !edit.OneLine(typ) {
		return m, false
	}
	if b.Negative {
		size = fmt.Sprintf("max(%s, 0)", size)
	}
	all := o.plural()
	if facts.Resolves(s.Place, all, loop.Pos()) != nil || facts.UsesName(s.Func.Node(), all) {
		all = facts.Fresh(s.Place, "all"+strings.ToUpper(all[:1])+all[1:], loop.Pos(), s.Func.Node())
	}
	m = advice.Match{Node: o.new.Node(), Class: advice.Review}
	skipped := o.stmt.Parent().Node() != ast.Node(body) || facts.ExitsOf(s.Place, o.loop).Skips
	each := "Each iteration"
	if skipped {
		each = "Each iteration that gets here"
	}
	m.Why = fmt.Sprintf("%s allocates one %s; a slice of %s of them is one allocation.", each, typ, b.Text(s.Place))
	_, ranges := loop.(*ast.RangeStmt)
	index, indexed := o.index()
	if indexed && o.value == "" && (ranges || facts.UnchangedBy(s.Place, b.Expr, false, facts.Change{Code: []ast.Node{body}})) {
		m.Edits = []advice.Edit{
			edit.Insert(loop.Pos(), fmt.Sprintf("%s := make([]%s, %s)\n", all, typ, size)),
			edit.Replace(o.new.Node(), fmt.Sprintf("&%s[%s]", all, index)),
		}
	} else {
		value := o.value
		if value == "" {
			value = typ + "{}"
		}
		m.Edits = []advice.Edit{
			edit.Insert(loop.Pos(), fmt.Sprintf("%s := make([]%s, 0, %s)\n", all, typ, size)),
			edit.Insert(o.stmt.Node().Pos(), fmt.Sprintf("%s = append(%[1]s, %s)\n", all, value)),
			edit.Replace(o.new.Node(), fmt.Sprintf("&%s[len(%[1]s)-1]", all)),
		}
	}
	check := []string{"that the objects are dropped together: one that stays in use keeps the memory of all"}
	if misaligned(s.Info.TypeOf(o.typ)) {
		check = append(check, fmt.Sprintf("that code for 32-bit systems doesn't use fields of %s with 64-bit functions of sync/atomic, which may panic there for elements of a slice", typ))
	}
	if skipped {
		check = append(check, "that most iterations get here")
	}
	if e := facts.ExitsOf(s.Place, o.loop); e.Stops || len(e.Returns) > 0 {
		check = append(check, "that the loop rarely ends early: memory for all elements is allocated first")
	}
	edit.MustCheck(&m, check, b.Claimed(s.Place, loop))
	return m, true
}

// seldom reports whether most iterations may well not reach the statement: it is in a case, in a branch of a branch, or
// in a branch that is taken for some characters of a text.
func (o *elementObject) seldom(b *facts.Trips) bool {
	branches := 0
	for c := o.stmt.Parent(); c.Node() != o.loop.Node(); c = c.Parent() {
		switch c.Node().(type) {
		case *ast.CaseClause, *ast.CommClause:
			return true
		case *ast.IfStmt:
			branches++
		}
	}
	text := !b.Counts && (facts.IsString(o.site.Place, b.Expr) || facts.IsBytes(o.site.Place, b.Expr))
	return branches > 1 || branches == 1 && text
}

// replaced reports whether each iteration stores its object in the same field or variable of the package, so that only
// the last one stays in use.
func (o *elementObject) replaced() bool {
	s, loop := o.site, o.loop.Node()
	assign, ok := o.stmt.Node().(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 || assign.Rhs[0] != o.new.Node() {
		return false
	}
	to := ast.Unparen(assign.Lhs[0])
	if id, ok := to.(*ast.Ident); ok {
		v, ok := s.Info.ObjectOf(id).(*types.Var)
		return ok && v.Parent() == s.Types.Scope()
	}
	if _, field := to.(*ast.SelectorExpr); !field {
		return false
	}
	for n := range ast.Preorder(to) {
		id, ok := n.(*ast.Ident)
		if !ok {
			continue
		}
		if v, ok := s.Info.Uses[id].(*types.Var); ok && !v.IsField() && (facts.Within(loop, v.Pos()) || facts.Assigned(s.Place, v, loop)) {
			return false
		}
	}
	return true
}

// finalized reports whether the package calls runtime.SetFinalizer for objects of a type. It ends the program if
// the object isn't an allocation of its own.
func finalized(s *advice.Site, t types.Type) bool {
	type takers struct{}
	finalizers := code.Memo(s.Package, takers{}, func() (given []types.Type) {
		for _, f := range s.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && s.Callee(call) == "runtime.SetFinalizer" && len(call.Args) > 0 {
					given = append(given, s.Info.TypeOf(call.Args[0]))
				}
				return true
			})
		}
		return given
	})
	return slices.ContainsFunc(finalizers, func(given types.Type) bool {
		p, pointer := types.Unalias(given).(*types.Pointer)
		return !pointer || types.Identical(p.Elem(), t) || isTypeParam(p.Elem())
	})
}

// misaligned reports whether a type has integers of 64 bits that are aligned for package sync/atomic on 32-bit
// systems if the value is an allocation of its own, and not if it is an element of a slice.
func misaligned(t types.Type) bool {
	sizes := types.SizesFor("gc", "386")
	if sizes.Sizeof(t)%8 == 0 {
		return false
	}
	var long func(t types.Type, at int64) bool
	long = func(t types.Type, at int64) bool {
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return (u.Kind() == types.Int64 || u.Kind() == types.Uint64) && at%8 == 0
		case *types.Array:
			return u.Len() > 0 && (long(u.Elem(), at) || long(u.Elem(), at+sizes.Sizeof(u.Elem())))
		case *types.Struct:
			var fields []*types.Var
			for f := range u.Fields() {
				fields = append(fields, f)
			}
			for i, offset := range sizes.Offsetsof(fields) {
				if long(fields[i].Type(), at+offset) {
					return true
				}
			}
		}
		return false
	}
	return long(t, 0)
}

// plural is a name for many objects of the type.
func (o *elementObject) plural() string {
	t, ok := types.Unalias(o.site.Info.TypeOf(o.typ)).(*types.Named)
	if !ok {
		return "objects"
	}
	name := edit.LowerFirst(t.Obj().Name())
	if !strings.HasSuffix(name, "s") {
		name += "s"
	}
	return name
}

// index returns the variable that the loop counts its iterations with, from 0, if its body doesn't change
// it, and nothing else has its name where the object is allocated.
func (o *elementObject) index() (string, bool) {
	s, loop := o.site, o.loop.Node()
	var key ast.Expr
	switch l := loop.(type) {
	case *ast.RangeStmt:
		if l.Tok == token.DEFINE {
			key = l.Key
		}
	case *ast.ForStmt:
		if init, ok := l.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE && len(init.Lhs) == 1 && facts.IsInt(s.Place, init.Rhs[0], 0) {
			key = init.Lhs[0]
		}
	}
	v, ok := facts.Object(s.Place, key).(*types.Var)
	if key == nil || !ok || facts.IsBlank(key) || !facts.Counts(s.Place, loop, v) || facts.Assigned(s.Place, v, facts.LoopBody(loop)) || !facts.Private(s.Place, v) ||
		facts.Resolves(s.Place, v.Name(), o.new.Node().Pos()) != v {
		return "", false
	}
	return v.Name(), true
}
