package edit

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

// InPlace replaces a string expression with another one. constant says that the new one is a
// constant, which may change the meaning of the code around it; ok is false if the replacement
// isn't possible.
func InPlace(c inspector.Cursor, text string, constant bool) (edit advice.Edit, ok bool) {
	old := c.Node().(ast.Expr)
	switch p := c.Parent().Node().(type) {
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return advice.Edit{}, false
	case *ast.CallExpr, *ast.ReturnStmt, *ast.AssignStmt, *ast.ValueSpec, *ast.KeyValueExpr:
		return Replace(old, text), true
	case *ast.IndexExpr:
		if p.X == old && strings.Contains(text, " + ") {
			text = "(" + text + ")"
		}
	case *ast.SliceExpr:
		if p.X == old && strings.Contains(text, " + ") {
			text = "(" + text + ")"
		}
	}
	return Replace(old, text), !constant
}

// Operand returns an expression in a form that can be followed by a selector.
func Operand(e ast.Expr, src string) string {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr, *ast.ParenExpr:
		return src
	}
	return "(" + src + ")"
}

// Literal returns text as a source literal: raw if it would be full of backslashes.
func Literal(text string) string {
	if strings.ContainsAny(text, "\"\\") && !strings.Contains(text, "\t") && strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// Insert is an edit that puts text before a position.
func Insert(at token.Pos, text string) advice.Edit { return advice.Edit{Pos: at, End: at, New: text} }

// Replace is an edit that replaces a node with text.
func Replace(n ast.Node, text string) advice.Edit {
	return advice.Edit{Pos: n.Pos(), End: n.End(), New: text}
}

// Applied returns the source of a node after some edits in it.
func Applied(s *advice.Site, n ast.Node, edits []advice.Edit) string {
	edits = slices.SortedFunc(slices.Values(edits), func(a, b advice.Edit) int { return int(a.Pos - b.Pos) })
	var text strings.Builder
	at := n.Pos()
	for _, e := range edits {
		text.WriteString(s.Text(at, e.Pos) + e.New)
		at = e.End
	}
	text.WriteString(s.Text(at, n.End()))
	return text.String()
}

// InitOrder is the review condition for rewrites that add a package variable. Go initializes variables
// in the order of their references, but doesn't see calls through an interface.
const InitOrder = "no initialization of a package variable calls this function through an interface: the new variable may not be set yet"

// BeforeDecl is an edit that adds a package-level declaration above the function of a site and
// its comment.
func BeforeDecl(s *advice.Site, text string) advice.Edit {
	at := s.Decl.Pos()
	if s.Decl.Doc != nil {
		at = s.Decl.Doc.Pos()
	}
	return Insert(at, text+"\n\n")
}

// LowerFirst turns the name of a function into the start of a variable name: parse for Parse, and
// dwarfData for DWARFData.
func LowerFirst(name string) string {
	letters := []rune(name)
	for i, r := range letters {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(letters) && unicode.IsLower(letters[i+1]) {
			break
		}
		letters[i] = unicode.ToLower(r)
	}
	return string(letters)
}

// QuotedByte returns a byte as a literal.
func QuotedByte(b byte) string {
	if b >= 0x80 {
		return fmt.Sprintf("%#x", b)
	}
	return strconv.QuoteRune(rune(b))
}

// RewrittenCalls returns a match for each call of a function for which rewrite returns edits.
func RewrittenCalls(s *advice.Site, function string, rewrite func(*advice.Site, code.Call) []advice.Edit, why string) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls(function) {
		if edits := rewrite(s, c); edits != nil {
			matches = append(matches, advice.Match{Node: c.CallExpr, Why: why, Edits: KeepingComments(s, edits)})
		}
	}
	return matches
}

// KeepingComments returns the edits, or nil if they would lose a comment.
func KeepingComments(s *advice.Site, edits []advice.Edit) []advice.Edit {
	for _, e := range edits {
		if facts.Commented(s.Place, e.Pos, e.End) {
			return nil
		}
	}
	return edits
}

// MustCheck adds conditions to a match, and makes it class B if there are any.
func MustCheck(m *advice.Match, lists ...[]string) {
	var all []string
	for _, item := range slices.Concat(lists...) {
		if !slices.Contains(all, item) && !strings.Contains(m.Why, item) {
			all = append(all, item)
		}
	}
	if len(all) == 0 {
		return
	}
	m.Class = advice.Review
	check := " Check "
	if strings.Contains(m.Why, " Check that ") {
		check = " Also check "
	}
	m.Why += check + all[0]
	for i, item := range all[1:] {
		if strings.ContainsAny(all[i], ",:") { // it has a reason, which the next one isn't part of
			m.Why += ". Also check " + item
		} else {
			m.Why += ", and " + item
		}
	}
	m.Why += "."
}

// StackBytes is an empty byte slice with a capacity of so many bytes on the stack, if it doesn't
// escape.
func StackBytes(size int) string { return fmt.Sprintf("make([]byte, 0, %d)", size) }

// RoundUp returns the next power of two.
func RoundUp(n int) int { return 1 << bits.Len(uint(n-1)) }
