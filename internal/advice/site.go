package advice

import (
	"bytes"
	"go/ast"
	"go/token"
	"iter"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/srcfind"
)

// A Site is a hot line of the user's code, in its function, with its profile data.
type Site struct {
	*code.Place
	In   *Package // the place's, with what the compiler says
	Line int      // now; the profile may have known it as another

	Costs
	Allocations
	nodes []inspector.Cursor
}

// Compiler returns the compiler's messages about the line: "x escapes to heap", "copies 400 bytes".
func (s *Site) Compiler() []string { return s.In.Diagnostics()[lineOf{s.hot.file, s.Line}] }

// Decisions returns the compiler's decisions about the line.
func (s *Site) Decisions() []Decision { return s.In.Decisions().At(s.hot.file, s.Line) }

// Nodes are the nodes of the site's function on its line: those that start or end there and, for
// calls, those with their name or a parenthesis there. Function literals are separate functions: the
// nodes in them are not included.
//
// Neighbouring lines don't count. Calls are attributed to the line of the call, exactly. Only the leaf
// of a stack may be an instruction late; it is hot because it is in a loop, which rarely moves it to
// another line, and a share of 1 % leaves room for that. Rules that took patterns of neighbouring
// lines would report code that costs nothing.
func (s *Site) Nodes() []inspector.Cursor {
	if s.nodes != nil {
		return s.nodes
	}
	s.nodes = []inspector.Cursor{}
	s.Func.Inspect(nil, func(c inspector.Cursor) bool {
		n := c.Node()
		if n.Pos() == token.NoPos {
			return true
		}
		if s.Package.Line(n.Pos()) > s.Line || s.Package.Line(n.End()) < s.Line {
			return false
		}
		if s.touches(n) {
			s.nodes = append(s.nodes, c)
		}
		_, literal := n.(*ast.FuncLit)
		return !literal || n == s.Func.Node()
	})
	return s.nodes
}

// touches reports whether the cost of a node may be attributed to the line.
func (s *Site) touches(n ast.Node) bool {
	on := func(pos token.Pos) bool { return s.Package.Line(pos) == s.Line }
	switch n := n.(type) {
	case *ast.CallExpr:
		return on(n.Pos()) || on(n.Lparen) || on(n.Rparen) || on(n.Fun.End()-1)
	case *ast.BinaryExpr:
		return on(n.Pos()) || on(n.OpPos)
	case *ast.AssignStmt:
		return on(n.Pos()) || on(n.TokPos)
	case *ast.FuncLit, *ast.RangeStmt, *ast.ForStmt, *ast.IfStmt, *ast.BlockStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.CaseClause:
		return on(n.Pos())
	}
	return on(n.Pos()) || on(n.End()-1)
}

// Calls returns the calls on the line. With names, it only returns calls of these functions: see
// CallAt.
func (s *Site) Calls(names ...string) []code.Call {
	var found []code.Call
	for _, c := range s.Nodes() {
		if call, ok := s.CallAt(c, names...); ok {
			found = append(found, call)
		}
	}
	return found
}

// FlatIn is Flat for all lines of a node together.
func (s *Site) FlatIn(n ast.Node) float64 {
	own := make(matched)
	for h := range s.linesOf(n) {
		h.flat(own)
	}
	return s.seen.largest(own)
}

// ShareIn is Share for the hottest line of a node.
func (s *Site) ShareIn(n ast.Node, re *lazyregexp.Regexp) float64 {
	most := 0.0
	for h := range s.linesOf(n) {
		most = max(most, s.seen.largest(h.match(about{frames: re})))
	}
	return most
}

// TimeAt returns the share of the CPU time of the line of a position, with what it calls, in the subject where it is
// largest.
func (s *Site) TimeAt(pos token.Pos) float64 { return s.shareAt(pos, cpuTime) }

// BlockedAt is TimeAt for the time that goroutines were blocked.
func (s *Site) BlockedAt(pos token.Pos) float64 { return s.shareAt(pos, blockTime) }

func (s *Site) shareAt(pos token.Pos, d dimension) float64 {
	at := s.Fset.Position(pos)
	most := 0.0
	for _, h := range s.seen.linesIn(at.Filename) {
		if h.line != int64(at.Line) {
			continue
		}
		for subject, v := range h.match(about{}) {
			most = max(most, s.seen.share(v[d], subject, d))
		}
	}
	return most
}

// linesOf are the lines of a node that occur in profiles.
func (s *Site) linesOf(n ast.Node) iter.Seq[*hot] {
	first, last := s.Fset.Position(n.Pos()), s.Fset.Position(n.End())
	return func(yield func(*hot) bool) {
		for _, h := range s.seen.linesIn(first.Filename) {
			if int64(first.Line) <= h.line && h.line <= int64(last.Line) && !yield(h) {
				return
			}
		}
	}
}

// functionName is the name of the enclosing declaration: "Type.Method" or "function".
func (s *Site) functionName() string {
	if s.Decl == nil {
		return ""
	}
	return srcfind.DeclName(s.Decl)
}

func (s *Site) lineText(line int) string {
	name, _ := s.Name(s.File)
	for text := range bytes.Lines(s.Texts[name]) {
		if line--; line == 0 {
			return strings.TrimRight(string(text), "\n")
		}
	}
	return ""
}
