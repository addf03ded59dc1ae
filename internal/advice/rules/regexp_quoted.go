package rules

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// A quotedPattern is a pattern that is made at run time, and is a text to find all the
// same: of regexp.QuoteMeta, with constants around it.
type quotedPattern struct {
	text         ast.Expr
	begins, ends bool // ^ before it, $ behind it
	fold         bool // in whatever case
}

// quotedText takes a pattern apart; ok is false where it is another one.
func quotedText(s *advice.Site, pattern ast.Expr) (q quotedPattern, ok bool) {
	before, behind := "", ""
	for _, part := range facts.Operands(s, pattern) {
		constant, isConstant := facts.ConstantText(s, part)
		switch {
		case isConstant && q.text == nil:
			before += constant
		case isConstant:
			behind += constant
		case q.text != nil:
			return q, false
		default:
			call, ok := ast.Unparen(part).(*ast.CallExpr)
			if !ok || s.Callee(call) != "regexp.QuoteMeta" {
				return q, false
			}
			q.text = call.Args[0]
		}
	}
	before, q.fold = strings.CutPrefix(before, "(?i)")
	before, q.begins = strings.CutPrefix(before, "^")
	behind, q.ends = strings.CutSuffix(behind, "$")
	return q, q.text != nil && before == "" && behind == ""
}

// findQuoted fills in what finds a text without a pattern; false where the call is
// another, or has no such rewrite.
func findQuoted(s *advice.Site, c advice.Call, m *advice.Match) bool {
	q, ok := quotedText(s, c.Args[0])
	if !ok {
		return false
	}
	m.Why = fmt.Sprintf("%s compiles a pattern for each call, only to find a text: that takes no pattern.", edit.Short(c.Name))
	in, at, method := ast.Expr(nil), c.CallExpr, c.Name
	switch c.Name {
	case "regexp.MatchString":
		in = c.Args[1]
	case "regexp.MustCompile":
		sel, ok := c.Parent().Node().(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "MatchString" {
			return true
		}
		call, ok := c.Parent().Parent().Node().(*ast.CallExpr)
		if !ok || call.Fun != sel {
			return true
		}
		in, at, method = call.Args[0], call, "(*regexp.Regexp).MatchString"
	default:
		return true
	}
	pkg, imported := facts.PackageName(s, "strings", c.Pos())
	if s.Decl == nil || !imported || facts.Commented(s, at.Pos(), at.End()) {
		return true
	}
	// The two are evaluated in another order.
	if facts.Calls(s, in) && facts.Calls(s, q.text) || !facts.UnchangedBy(s, q.text, false, facts.Change{Code: []ast.Node{in}}) || !facts.UnchangedBy(s, in, false, facts.Change{Code: []ast.Node{q.text}}) {
		return true
	}
	text, within := s.Source(q.text), s.Source(in)
	var found string
	var helper []advice.Edit
	m.Imports = []string{"strings"}
	switch {
	case q.fold && q.begins && q.ends:
		found = fmt.Sprintf("%s.EqualFold(%s, %s)", pkg, within, text)
	case q.fold && !q.begins && !q.ends:
		utf8, imported := facts.PackageName(s, "unicode/utf8", s.Decl.Pos())
		if !imported {
			return true
		}
		name := s.Unused("containsFold", c.Pos())
		found = fmt.Sprintf("%s(%s, %s)", name, within, text)
		helper = []advice.Edit{edit.BeforeDecl(s, fmt.Sprintf(containsFold, name, utf8, pkg))}
		m.Imports = append(m.Imports, "unicode/utf8")
	case q.fold:
		return true
	case q.begins && q.ends:
		found = fmt.Sprintf("(%s == %s)", within, text)
	case q.begins:
		found = fmt.Sprintf("%s.HasPrefix(%s, %s)", pkg, within, text)
	case q.ends:
		found = fmt.Sprintf("%s.HasSuffix(%s, %s)", pkg, within, text)
	default:
		found = fmt.Sprintf("%s.Contains(%s, %s)", pkg, within, text)
	}
	edits := []advice.Edit{edit.Replace(at, found)}
	if method == "regexp.MatchString" {
		if edits, ok = withoutError(c, found); !ok {
			return true
		}
	}
	m.Why += " Check that the text is valid UTF-8: a pattern that isn't is an error, or a panic."
	m.Class, m.Edits = advice.Review, append(helper, edits...)
	return true
}

// containsFold does what (?i) does. Letters are equal as unicode.SimpleFold has it, to
// strings.EqualFold as to package regexp.
const containsFold = `// %[1]s reports whether text is within s, in whatever case.
func %[1]s(s, text string) bool {
	end := 0 // of as many characters from i on as text has
	for range text {
		if end == len(s) {
			return false
		}
		_, size := %[2]s.DecodeRuneInString(s[end:])
		end += size
	}
	for i := range s {
		if %[3]s.EqualFold(s[i:end], text) {
			return true
		}
		if end == len(s) {
			return false
		}
		_, size := %[2]s.DecodeRuneInString(s[end:])
		end += size
	}
	return true // of no characters
}`

// withoutError puts a value in the place of a call that returned one and an error, which
// is nil now: where both are assigned, or returned.
func withoutError(c advice.Call, value string) (edits []advice.Edit, ok bool) {
	switch p := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		if !facts.TwoResults(c) {
			return nil, false
		}
		if facts.IsBlank(p.Lhs[1]) {
			return []advice.Edit{edit.Replace(c.CallExpr, value), {Pos: p.Lhs[0].End(), End: p.Lhs[1].End()}}, true
		}
		return []advice.Edit{edit.Replace(c.CallExpr, value+", error(nil)")}, true
	case *ast.ReturnStmt:
		return []advice.Edit{edit.Replace(c.CallExpr, value+", nil")}, len(p.Results) == 1
	}
	return nil, false
}
