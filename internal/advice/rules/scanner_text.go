package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var scannerText = &advice.Rule{
	ID:    "scanner-text",
	Title: "each scanned token is copied to a string",
	Doc: `(*bufio.Scanner).Text allocates a string per token. Bytes returns the token in the scanner's buffer, valid until the
next Scan. string(b) in a comparison, as a map key or in a switch doesn't copy.

The rewrite is offered for a variable that is only read: compared, measured, indexed, searched with package strings, or
looked up. Review it, because no code may use the bytes after the next Scan.`,
	Class:  advice.Review,
	Frames: lazyregexp.New(`^bufio\.\(\*Scanner\)\.Text$`),
	Gain:   1.2,
	Match:  matchScannerText,
	Conditions: advice.Conditions{
		Offered: "the text is only compared, measured, indexed, searched or looked up",
		Review:  "no code uses it after the next Scan",
	},
}

func matchScannerText(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("(*bufio.Scanner).Text") {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		assign, isAssign := c.Parent().Node().(*ast.AssignStmt)
		if !ok || !isAssign || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		obj := facts.Object(s.Place, assign.Lhs[0])
		if obj == nil || obj.Pos() != assign.Lhs[0].Pos() || !facts.SameOwner(s.Place, sel, "Bytes") || !facts.Builtins(s.Place, c.Pos(), "string", "byte") {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.Review}
		m.Edits = []advice.Edit{edit.Replace(sel.Sel, "Bytes")}
		ok = len(s.Uses(obj)) > 0 && !scansBefore(s, sel.X, assign.End(), s.Uses(obj))
		for _, id := range s.Uses(obj) {
			at, found := s.Root().FindNode(id)
			ok = ok && found && lookedAt(s, at, &m)
		}
		if !ok {
			continue
		}
		m.Why = fmt.Sprintf("%s allocates a string per token that is only read; Bytes returns the token without a copy. Check that no code calls Scan while %s is in use, which would change it.", s.Source(c.Fun), obj.Name())
		matches = append(matches, m)
	}
	return matches
}

// scansBefore reports whether something may be scanned between a position and the last of some uses:
// by calling Scan, or a function that may use the scanner.
func scansBefore(s *advice.Site, scanner ast.Expr, from token.Pos, uses []*ast.Ident) bool {
	to := uses[len(uses)-1].Pos()
	for _, id := range uses { // in a loop, later statements also run before
		at, found := s.Root().FindNode(id)
		if !found {
			return true
		}
		for loop, ok := facts.LoopAround(at); ok && !facts.Within(loop.Node(), from); loop, ok = facts.LoopAround(loop) {
			to = max(to, loop.Node().End())
		}
	}
	root := facts.RootOf(s.Place, scanner)
	v, isVar := root.(*types.Var)
	if !isVar {
		return true
	}
	found := false
	ast.Inspect(s.Body(), func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() < from || to < call.Pos() || s.Info.Types[call.Fun].IsType() {
			return !found
		}
		f, _ := typeutil.Callee(s.Info, call).(*types.Func)
		if _, builtin := typeutil.Callee(s.Info, call).(*types.Builtin); f == nil && !builtin {
			found = true // a function value, which may scan
		}
		if f != nil && f.Pkg() == s.Types && !facts.IsLocal(s.Place, v) {
			found = true // it may use the same scanner
		}
		if method, handed := facts.HandedTo(s.Place, call, root); handed {
			found = found || method != "Text" && method != "Bytes" && method != "Err"
		}
		return !found
	})
	return found
}

// lookedAt rewrites a use of a string for bytes, if it only reads it.
func lookedAt(s *advice.Site, c inspector.Cursor, m *advice.Match) bool {
	id := c.Node().(*ast.Ident)
	for outer := range c.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		if outer != s.Func {
			return false // it may run after the next Scan
		}
		break
	}
	asText := edit.Replace(id, "string("+id.Name+")")
	switch p := c.Parent().Node().(type) {
	case *ast.BinaryExpr:
		if facts.IsComparison(p.Op) {
			m.Edits = append(m.Edits, asText)
			return true
		}
	case *ast.SwitchStmt:
		m.Edits = append(m.Edits, asText)
		return p.Tag == id
	case *ast.IndexExpr:
		if p.X == id {
			return true // a byte
		}
		if facts.IsAssigned(c.Parent()) {
			return false // a key that is kept
		}
		if _, isInc := c.Parent().Parent().Node().(*ast.IncDecStmt); isInc || !facts.IsMap(s.Place, p.X) {
			return false
		}
		m.Edits = append(m.Edits, asText)
		return true
	case *ast.CallExpr:
		name := s.Callee(p)
		if name == "len" {
			return true
		}
		return lookedAtBy(s, p, name, id, m)
	}
	return false
}

// lookedAtBy rewrites functions of package strings that have a twin in package bytes.
func lookedAtBy(s *advice.Site, call *ast.CallExpr, name string, id *ast.Ident, m *advice.Match) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	for _, t := range edit.Twins {
		if t.Text != name || !strings.HasPrefix(name, "strings.") || len(call.Args) != len(t.Params) || !ok || call.Args[0] != id {
			continue
		}
		if len(call.Args) > 1 && t.Params[1] == 'b' {
			if s.Info.Types[call.Args[1]].Value == nil {
				return false
			}
			m.Edits = append(m.Edits, edit.Replace(call.Args[1], "[]byte("+s.Source(call.Args[1])+")"))
		}
		pkg, imported := facts.PackageName(s.Place, "bytes", call.Pos())
		m.Edits = append(m.Edits, edit.Replace(sel.X, pkg))
		m.Imports = []string{"bytes"}
		return imported
	}
	return false
}
