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
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

var falseSharing = &advice.Rule{
	ID:    "false-sharing",
	Title: "goroutines write to neighbours in one cache line",
	Doc: `A CPU that writes to memory takes the whole cache line, 64 bytes on most processors, from the others. If goroutines on
different CPUs write to variables in the same line, each write waits for the line, although no data is shared. This gets
worse with more CPUs.

The rule reports two patterns where more than one CPU was busy. Two fields of a struct are less than 64 bytes apart, both
are updated atomically or are mutexes, by functions that don't use the other one, and both updates are hot: put a padding
between them, such as _ [64]byte. Or each goroutine updates its own small element of a slice or array in a loop: use a
local variable, and store it once at the end.

Only measuring shows what it gains: use a benchmark with several goroutines, and -cpu. A padding takes memory in each
value, so this rule only gives advice.`,
	Class: advice.AdviceOnly,
	Match: matchFalseSharing,
}

// cacheLine is the size of a cache line in bytes.
const cacheLine = 64

// An update that takes less of the time than sharedHot isn't reported: an atomic operation takes 5 ns without
// another CPU.
const sharedHot = 0.05

func matchFalseSharing(s *advice.Site) []advice.Match {
	if s.TimeAt(s.LineStart(s.File, s.Line)) < sharedHot || !s.Parallel(nil) {
		return nil
	}
	for _, c := range s.Nodes() {
		if call, ok := c.Node().(*ast.CallExpr); ok {
			if field := updated(s.Place, call); field != nil {
				if why := besideHot(s, field); why != "" {
					return []advice.Match{{Node: call, Why: why}}
				}
			}
		}
		if why := ownElement(s, c); why != "" {
			return []advice.Match{{Node: c.Node(), Why: why}}
		}
	}
	return nil
}

// updated returns the field that a call updates atomically, or the mutex that it locks.
func updated(s *code.Place, call *ast.CallExpr) *types.Var {
	field := func(e ast.Expr) *types.Var {
		if v, ok := facts.VariableOf(s, e).(*types.Var); ok && v.IsField() {
			return v.Origin()
		}
		return nil
	}
	name := s.Callee(call)
	if function, ok := strings.CutPrefix(name, "sync/atomic."); ok && len(call.Args) > 1 && !strings.HasPrefix(function, "Load") {
		if at, ok := ast.Unparen(call.Args[0]).(*ast.UnaryExpr); ok && at.Op == token.AND {
			return field(at.X)
		}
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	method := strings.HasPrefix(name, "(*sync/atomic.") && !strings.HasSuffix(name, ".Load")
	if method || name == "(*sync.Mutex).Lock" || name == "(*sync.RWMutex).Lock" || name == "(*sync.RWMutex).RLock" {
		return field(sel.X)
	}
	return nil
}

// besideHot says which field next to one is updated elsewhere, on a hot line; "" if there is none.
func besideHot(s *advice.Site, mine *types.Var) string {
	for _, near := range neighbours(s, mine) {
		other, distance := near.field, near.distance
		for _, id := range s.Uses(other) {
			at, ok := s.Root().FindNode(id)
			if !ok {
				continue
			}
			call, place := updateAt(s, at, other)
			if call == nil || s.TimeAt(call.Pos()) < sharedHot || usesBoth(place, mine, other) || usesBoth(s.Place, mine, other) {
				continue
			}
			together := "so that they are mostly in one cache line"
			if distance > cacheLine/2 {
				together = "which may be in the same cache line"
			}
			return fmt.Sprintf("%s is %d bytes from %s, %s. The code at %s updates %s, and takes %.0f %% of the CPU time. If different goroutines do so, put a padding between the two, such as _ [%d]byte.",
				mine.Name(), distance, other.Name(), together, lineIn(s, call.Pos()), other.Name(), 100*s.TimeAt(call.Pos()), cacheLine)
		}
	}
	return ""
}

// updateAt returns the call that updates a field where it is used, and its place.
func updateAt(s *advice.Site, use inspector.Cursor, field *types.Var) (*ast.CallExpr, *code.Place) {
	for c := range use.Enclosing((*ast.CallExpr)(nil)) {
		place := s.Package.Around(c)
		if call := c.Node().(*ast.CallExpr); updated(place, call) == field {
			return call, place
		}
		return nil, nil
	}
	return nil, nil
}

// usesBoth reports whether a function uses both of two fields: one goroutine writes them then.
func usesBoth(p *code.Place, a, b *types.Var) bool {
	uses := func(v *types.Var) bool {
		for _, id := range p.Uses(v) {
			if facts.Within(p.Func.Node(), id.Pos()) {
				return true
			}
		}
		return false
	}
	return uses(a) && uses(b)
}

// A neighbour is a field less than a cache line away from another one.
type neighbour struct {
	field    *types.Var
	distance int64 // in bytes
}

// neighbours returns the fields near a field, the nearest first; nil if the struct isn't a named one of the package,
// or is generic.
func neighbours(s *advice.Site, field *types.Var) (near []neighbour) {
	scope := s.Types.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if named, ok := t.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
			continue
		}
		of, ok := t.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		var fields []*types.Var
		mine := -1
		for i := range of.NumFields() {
			fields = append(fields, of.Field(i))
			if of.Field(i) == field {
				mine = i
			}
		}
		if mine < 0 {
			continue
		}
		offsets := s.Sizes.Offsetsof(fields)
		for i, f := range fields {
			if distance := max(offsets[i]-offsets[mine], offsets[mine]-offsets[i]); i != mine && distance < cacheLine {
				near = append(near, neighbour{f, distance})
			}
		}
		slices.SortStableFunc(near, func(a, b neighbour) int { return cmp.Compare(a.distance, b.distance) })
		return near
	}
	return nil
}

// ownElement says that a goroutine updates its own element of a slice or array in a loop, next to those of others;
// "" if not.
func ownElement(s *advice.Site, c inspector.Cursor) string {
	var target ast.Expr
	switch n := c.Node().(type) {
	case *ast.IncDecStmt:
		target = n.X
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
			return ""
		}
		target = n.Lhs[0]
	case *ast.CallExpr:
		sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		if !ok || !strings.HasPrefix(s.Callee(n), "(*sync/atomic.") || strings.HasSuffix(s.Callee(n), ".Load") {
			return ""
		}
		target = sel.X
	}
	element := elementOf(target)
	if element == nil {
		return ""
	}
	t := s.Info.TypeOf(element)
	if _, generic := types.Unalias(t).(*types.TypeParam); generic || !facts.HasElements(s.Info.TypeOf(element.X)) {
		return ""
	}
	size := s.Sizes.Sizeof(t)
	index, ok := facts.Object(s.Place, element.Index).(*types.Var)
	if !ok || size >= cacheLine || size == 0 || !goroutineOf(s, index) {
		return ""
	}
	loop, ok := facts.LoopAround(c)
	if !ok || facts.Within(loop.Node(), index.Pos()) || facts.Assigned(s.Place, index, s.Body()) {
		return ""
	}
	if list, ok := facts.VariableOf(s.Place, element.X).(*types.Var); !ok || facts.Within(s.Func.Node(), list.Pos()) && !facts.IsParameter(s.Place, list) {
		return "" // another one for each goroutine
	}
	return fmt.Sprintf("Each goroutine updates its own element of %s in a loop, but elements of %d bytes share a cache line with those of other goroutines. Use a local variable in the loop, and store it in %s at the end.", s.Source(element.X), size, s.Source(element))
}

// elementOf returns the element that an expression is, or is a field of.
func elementOf(e ast.Expr) *ast.IndexExpr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			return x
		default:
			return nil
		}
	}
}

// goroutineOf reports whether the site's function is a literal that is started as a goroutine, and a variable is the
// same while it runs, and another for others: a parameter of the literal, or declared by a loop around it.
func goroutineOf(s *advice.Site, v *types.Var) bool {
	lit, ok := s.Func.Node().(*ast.FuncLit)
	if !ok {
		return false
	}
	started := false
	call, ok := s.Func.Parent().Node().(*ast.CallExpr)
	if !ok {
		return false
	}
	if _, isGo := s.Func.Parent().Parent().Node().(*ast.GoStmt); isGo && call.Fun == ast.Expr(lit) {
		started = true
	}
	name := s.Callee(call)
	started = started || name == "(*sync.WaitGroup).Go" || name == "(*golang.org/x/sync/errgroup.Group).Go"
	if !started {
		return false
	}
	loop, ok := facts.LoopAround(s.Func)
	if !ok {
		for up := range s.Func.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)) {
			loop, ok = up, true
			break
		}
	}
	return ok && (facts.IsParameter(s.Place, v) || facts.Within(loop.Node(), v.Pos()) && !facts.Within(lit, v.Pos()))
}
