package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var poolCandidate = &advice.Rule{
	ID:    "pool-candidate",
	Title: "a large buffer is allocated per call",
	Doc: `A buffer of a kilobyte or more that is only needed until the function returns can be reused by the next call. Keep it in
the receiver if only one goroutine uses that, have the caller supply it, or use a sync.Pool. This also saves clearing
the memory.

The rule reports buffers, arrays and structs of at least 512 bytes, by their type or by a profile, that don't seem to leave their function, and
constructors of such objects.

The rewrite takes a buffer or array of numbers from a sync.Pool, clears it, and puts it back when the function returns.
An object with a Reset method is reset instead; if a constructor allocates it, its callers in the package are rewritten.
Review the rewrite, because memory must not be used after it is returned to the pool: a function that receives it may keep
it.`,
	Class:     advice.Review,
	Frames:    lazyregexp.New(`^runtime\.(makeslice|newobject|mallocgc\w*)$`),
	Allocates: true,
	Since:     "1.21",
	Gain:      2,
	Match:     matchPoolCandidate,
	Conditions: advice.Conditions{
		Offered: "the buffer contains no pointers, is allocated outside of loops, and is only used by the function " +
			"and by calls that usually don't keep their arguments, such as Read and Write; or the object has a Reset method, is made in the same way " +
			"each time, and the function only calls methods that return no memory",
		Review: "no function keeps the buffer or object after it returns; Reset makes an object what it is when new; memory of the largest size may stay in the pool; " +
			"a size that varies is never negative",
	},
}

// poolable is the smallest size in bytes for which a pool is worth its lock and cache misses. With 128 bytes, a pool and an
// allocation take the same time; with 512, the allocation takes 3.6 times as long.
const poolable = 512

func matchPoolCandidate(s *advice.Site) []advice.Match {
	if s.Allocates() < someAllocated {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		if m, ok := pooledArray(s, c); ok {
			matches = append(matches, m)
			continue
		}
		if m, ok := pooledVarying(s, c); ok {
			matches = append(matches, m)
			continue
		}
		size, what := allocatedSize(s, c)
		if size < poolable || facts.RunsOnce(s.Place, c) || facts.Pooled(s.Place, c) || facts.RarelyRuns(s.Place, c) {
			continue
		}
		m := advice.Match{Node: c.Node(), Class: advice.AdviceOnly}
		at := c
		if p, ok := c.Parent().Node().(*ast.UnaryExpr); ok && p.Op == token.AND {
			at = c.Parent()
		}
		switch p := at.Parent().Node().(type) {
		case *ast.AssignStmt:
			if len(p.Lhs) != len(p.Rhs) || p.Tok != token.DEFINE {
				continue
			}
			i := 0
			for p.Rhs[i] != at.Node() {
				i++
			}
			obj := facts.Object(s.Place, p.Lhs[i])
			if obj == nil {
				continue
			}
			if m.Why = fmt.Sprintf("%s of %s is allocated per call and not needed afterwards. Take it from a sync.Pool and call Reset.", what, advice.BytesText(size)); poolObject(s, at, &m) {
				break
			}
			switch leaves(s, obj, 3) {
			case "":
				m.Why = fmt.Sprintf("%s of %s is allocated per call and not needed afterwards. To reuse it, %s.", what, advice.BytesText(size), keepIt(s))
				poolBuffer(s, at, obj, &m)
			case "return":
				constructor := s.Decl != nil && strings.HasPrefix(strings.ToLower(s.Decl.Name.Name), "new")
				if !constructor {
					continue
				}
				constructed(s, what, size, &m)
			default:
				continue
			}
		case *ast.ReturnStmt:
			if s.Decl == nil || !strings.HasPrefix(strings.ToLower(s.Decl.Name.Name), "new") {
				continue
			}
			constructed(s, what, size, &m)
		case *ast.CallExpr:
			switch s.Callee(p) {
			case "io.CopyBuffer":
				m.Why = fmt.Sprintf("%s of %s is allocated per call and not needed afterwards. To reuse it, %s.", what, advice.BytesText(size), keepIt(s))
			default:
				continue
			}
		default:
			continue
		}
		matches = append(matches, m)
	}
	return matches
}

// constructed says what to do about objects that a function creates for others.
func constructed(s *advice.Site, what string, size int64, m *advice.Match) {
	m.Why = fmt.Sprintf("Each call of %s allocates %s of %s", s.Decl.Name.Name, strings.ToLower(what), advice.BytesText(size))
	why := m.Why
	m.Why += ", and callers don't need it after they return. Take it from a sync.Pool and call Reset."
	if !poolConstructed(s, m) {
		m.Why = why + ". If these objects are short-lived, give them a Reset method and reuse them, for example from a sync.Pool."
	}
}

// allocatedSize returns how many bytes an expression allocates, if that is a constant.
func allocatedSize(s *advice.Site, c inspector.Cursor) (size int64, what string) {
	switch n := c.Node().(type) {
	case *ast.CallExpr:
		switch s.Callee(n) {
		case "make":
			slice, ok := s.Info.TypeOf(n).Underlying().(*types.Slice)
			if !ok || len(n.Args) < 2 {
				return 0, ""
			}
			count, ok := facts.ConstantInt(s.Place, n.Args[len(n.Args)-1])
			elem, sized := facts.SizeOf(slice.Elem())
			if !ok || !sized {
				return 0, ""
			}
			return count * elem, "A buffer"
		case "new":
			size, _ := facts.SizeOf(s.Info.TypeOf(n.Args[0]))
			return size, "A value"
		}
	case *ast.CompositeLit:
		if p, ok := c.Parent().Node().(*ast.UnaryExpr); ok && p.Op == token.AND {
			size, _ := facts.SizeOf(s.Info.TypeOf(n))
			return size, "A value"
		}
	}
	return 0, ""
}

// leaves says how the value of a variable may outlive its function, as far as that can be seen:
// "return", "else", or "" if it doesn't. Whether a callee keeps it can only be told by the callee's
// name: readers, writers and functions that copy are known. Other variables that it is assigned to are
// followed for a few steps.
func leaves(s *advice.Site, obj types.Object, steps int) string {
	if steps == 0 || !facts.IsLocal(s.Place, obj) {
		return "else"
	}
	if obj.(*types.Var).Kind() == types.ResultVar {
		return "return" // also by a return statement without results
	}
	how := ""
	s.Func.Inspect([]ast.Node{(*ast.Ident)(nil)}, func(c inspector.Cursor) bool {
		if s.Info.Uses[c.Node().(*ast.Ident)] != obj {
			return true
		}
		for range c.Enclosing((*ast.GoStmt)(nil)) {
			how = "else"
		}
		for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
			if lit.Node() != s.Func.Node() && facts.Within(s.Func.Node(), lit.Node().Pos()) {
				how = "else"
			}
		}
		if w := useLeaves(s, c, obj, steps); w != "" && how != "else" {
			how = w
		}
		return true
	})
	return how
}

// elementAddressed reports whether code takes the address of an element, or calls a method on it.
func elementAddressed(s *advice.Site, element inspector.Cursor) bool {
	switch p := facts.WithParens(element).Parent().Node().(type) {
	case *ast.UnaryExpr:
		return p.Op == token.AND
	case *ast.SelectorExpr:
		return facts.CalledByAddress(s.Place, p)
	}
	return false
}

func useLeaves(s *advice.Site, x inspector.Cursor, obj types.Object, steps int) string {
	for {
		switch p := x.Parent().Node().(type) {
		case *ast.ParenExpr, *ast.StarExpr:
		case *ast.SliceExpr:
			if p.X != x.Node() {
				return ""
			}
		case *ast.IndexExpr:
			if p.X != x.Node() {
				return ""
			}
			if _, basic := s.Info.TypeOf(p).Underlying().(*types.Basic); basic && !elementAddressed(s, x.Parent()) {
				return ""
			}
			return "else"
		case *ast.SelectorExpr:
			if _, basic := s.Info.TypeOf(p).Underlying().(*types.Basic); basic {
				return ""
			}
			return "else"
		case *ast.RangeStmt, *ast.BinaryExpr, *ast.ExprStmt, *ast.IfStmt, *ast.ForStmt, *ast.IncDecStmt:
			return ""
		case *ast.AssignStmt:
			for i, l := range p.Lhs {
				if l == x.Node() {
					return ""
				}
				if i < len(p.Rhs) && p.Rhs[i] == x.Node() {
					if to := facts.Object(s.Place, l); to != nil && to != obj {
						return leaves(s, to, steps-1)
					} else if to == obj {
						return ""
					}
				}
			}
			return "else"
		case *ast.ReturnStmt:
			return "return"
		case *ast.CallExpr:
			if s.Info.Types[p.Fun].IsType() { // a conversion: strings and numbers are copied
				if _, basic := s.Info.TypeOf(p).Underlying().(*types.Basic); basic {
					return ""
				}
				return "else"
			}
			name := s.Callee(p)
			switch {
			case facts.Borrows(s.Place, p, x.Node()):
				return ""
			case strings.HasPrefix(strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]), "append") && p.Args[0] == x.Node():
				// The result uses the same memory, or more.
			default:
				return "else"
			}
		default:
			return "else"
		}
		x = x.Parent()
	}
}
