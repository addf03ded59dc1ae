package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var sliceToJoin = &advice.Rule{
	ID:    "slice-to-join",
	Title: "a slice is filled only to be joined",
	Doc: `strings.Join walks its slice twice and copies all parts. A slice that exists only for this is allocated, filled and
collected, and so are parts created for it. If you write the parts and separators to a strings.Builder, or append them
to a []byte with enough capacity, each is copied once.

A loop that joins a slice up to each of its elements copies the first parts repeatedly. Each of these texts is a prefix
of the whole text, and each text joined from an element on is a suffix. Join once and slice the string.

The rule reports slices that a function creates and fills, that are used only for the join, and whose elements are
created for it or which are known to be allocated. Slices that are sorted, reversed or filled by several goroutines are
not reported. A Builder without Grow allocates more often than Join. Only the surrounding code shows the right capacity,
so this rule only gives advice.`,
	Class:     advice.AdviceOnly,
	Frames:    lazyregexp.New(`^(strings|bytes)\.Join$`),
	Allocates: true,
	Gain:      1.5,
	Match:     matchSliceToJoin,
}

func matchSliceToJoin(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("strings.Join", "bytes.Join") {
		if s.Share(framesOf(c.Name)) < muchAllocated || facts.RunsOnce(s.Place, c.Cursor) || facts.RarelyRuns(s.Place, c.Cursor) {
			continue
		}
		if each := joinsUpTo(s, c); each != "" {
			matches = append(matches, advice.Match{Node: c.CallExpr, Title: "a loop joins the same parts repeatedly",
				Why: fmt.Sprintf("Each iteration joins parts that another one has joined. Build the whole text once and remember the position of each part; each %s, without a copy.", each)})
			continue
		}
		list := ast.Unparen(c.Args[0])
		if part, ok := list.(*ast.SliceExpr); ok {
			list = ast.Unparen(part.X)
		}
		v := facts.Object(s.Place, list)
		if v == nil || !facts.IsLocal(s.Place, v) || facts.IsParameter(s.Place, v) {
			continue
		}
		d, ok := facts.DeclarationOf(s.Place, v)
		if !ok || !isOwn(s, d) || facts.AddressTaken(s.Place, v) {
			continue
		}
		made, ok := onlyFilled(s, v, c.CallExpr)
		if at := s.Fset.Position(d.Node().Pos()); !ok || !made && !s.In.Diagnostics().Escapes(at.Filename, at.Line) {
			continue // its parts exist, and it is on the stack: Join allocates once
		}
		matches = append(matches, advice.Match{Node: c.CallExpr,
			Why: fmt.Sprintf("%s is filled only for %s. Append the parts and separators to a []byte or strings.Builder with enough capacity, numbers with strconv.Append functions. This avoids the slice and the strings in it.", v.Name(), c.Name)})
	}
	return matches
}

// joinsUpTo says which part of the whole text a call joins in each iteration of a loop over a slice,
// or "" if it isn't a part: if the loop is left afterwards, the slice differs per iteration, or the
// text may change.
func joinsUpTo(s *advice.Site, c code.Call) string {
	part, ok := ast.Unparen(c.Args[0]).(*ast.SliceExpr)
	loop, looped := facts.LoopAround(c.Cursor)
	if c.Name != "strings.Join" || !ok || !looped || (part.Low == nil) == (part.High == nil) || !facts.Pure(s.Place, part.X) || facts.LastIteration(s.Place, c.Cursor, loop) {
		return ""
	}
	each, end := "prefix is text[:end]", part.High
	if end == nil {
		each, end = "suffix is text[begin:]", part.Low
	}
	if sum, ok := ast.Unparen(end).(*ast.BinaryExpr); ok && (sum.Op == token.ADD || sum.Op == token.SUB) && facts.IsInt(s.Place, sum.Y, 1) {
		end = sum.X
	}
	i := facts.Object(s.Place, end)
	body := facts.LoopBody(loop.Node())
	if i == nil || facts.Assigned(s.Place, i, body) || facts.AssignedAny(s.Place, part.X, body) || declaresAny(s, loop.Node(), part.X) {
		return ""
	}
	if f, ok := loop.Node().(*ast.ForStmt); ok {
		if post, ok := f.Post.(*ast.IncDecStmt); !ok || facts.Object(s.Place, post.X) != i {
			return ""
		}
	} else if !facts.Counts(s.Place, loop.Node(), i) {
		return ""
	}
	return each
}

// declaresAny reports whether an expression uses a variable that a loop declares.
func declaresAny(s *advice.Site, loop ast.Node, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, isVar := s.Info.Uses[id].(*types.Var)
			found = found || isVar && facts.Within(loop, v.Pos())
		}
		return !found
	})
	return found
}

// isOwn reports whether a variable is declared as the function's own slice: nil, made, or a literal.
func isOwn(s *advice.Site, d facts.Declaration) bool {
	switch value := ast.Unparen(d.Value).(type) {
	case nil, *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		return s.Callee(value) == "make"
	}
	return false
}

// onlyFilled reports whether the elements of a slice are only set, read and appended, and its length
// read, apart from one call that gets the slice. made is set if a call or + creates some element.
func onlyFilled(s *advice.Site, v types.Object, join *ast.CallExpr) (made, ok bool) {
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false, false
		}
		if facts.Within(join.Args[0], id.Pos()) {
			continue
		}
		switch p := c.Parent().Node().(type) {
		case *ast.IndexExpr:
			if u, ok := c.Parent().Parent().Node().(*ast.UnaryExpr); p.X != id || ok && u.Op == token.AND {
				return false, false
			}
			assign, isAssign := c.Parent().Parent().Node().(*ast.AssignStmt)
			if isAssign && len(assign.Lhs) > 1 {
				return false, false // elements are swapped
			}
			made = made || isAssign && assign.Lhs[0] == p && makes(s, assign.Rhs[0])
		case *ast.RangeStmt:
			if p.X != id || p.Value != nil {
				return false, false
			}
		case *ast.CallExpr:
			switch s.Callee(p) {
			case "len", "cap":
			case "append":
				assign, isAssign := c.Parent().Parent().Node().(*ast.AssignStmt)
				if !isAssign || p.Args[0] != id {
					return false, false
				}
				if _, ok := facts.AppendTo(s.Place, assign); !ok {
					return false, false
				}
				made = made || slices.ContainsFunc(p.Args[1:], func(e ast.Expr) bool { return makes(s, e) })
			default:
				return false, false
			}
		case *ast.AssignStmt:
			if call, ok := facts.AppendTo(s.Place, p); !ok || p.Lhs[0] != id || facts.Object(s.Place, call.Args[0]) != v {
				return false, false
			}
		default:
			return false, false
		}
	}
	return made, true
}

// makes reports whether an expression is created by a call, a conversion or +.
func makes(s *advice.Site, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return true
	case *ast.BinaryExpr:
		return s.Info.Types[e].Value == nil
	}
	return false
}
