package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// matchChosen matches fmt.Sprintf(format, …), where the function sets format to one of a few constants:
//
//	format := "%d"
//	if quoted {
//		format = "'%d'"
//	}
//	return fmt.Sprintf(format, n)
func matchChosen(s *advice.Site, c code.Call) (advice.Match, bool) {
	m := advice.Match{Node: c.CallExpr, Class: advice.Safe}
	formats := textFormats(s, c)
	if formats == nil {
		return m, false
	}
	declared, set, ok := textFor(s, c)
	if !ok {
		return m, false
	}
	var checks [][]string
	var all []edit.Piece
	var codes []string
	branch := func(format string) (string, bool) {
		pieces, ok := edit.PiecesOf(s, format, c.Args[1:], c.Pos())
		if !ok || wordy(pieces) {
			return "", false
		}
		code, constant := edit.Concatenation(s, pieces)
		if moreThanFmt(s, pieces) != "" {
			code = edit.InBuffer(s, pieces, c.Pos())
		}
		all, codes = append(all, pieces...), append(codes, code)
		steps := edit.StepsOf(s, pieces)
		checks = append(checks, edit.Reviews(pieces), facts.InTurn(s.Place, steps, nil), facts.Overtaken(s.Place, c.Cursor, steps))
		return set + code, code != "" && !constant
	}
	name := s.Source(c.Args[0])
	text := declared + "switch " + name + " {\n"
	for _, format := range formats[1:] {
		code, ok := branch(format)
		if !ok {
			return m, false
		}
		text += fmt.Sprintf("case %s:\n%s\n", edit.Literal(format), code)
	}
	code, ok := branch(formats[0])
	if !ok {
		return m, false
	}
	text += fmt.Sprintf("default:\n%s\n}", code)
	if declared != "" && mentions(name+" "+strings.Join(codes, " "), strings.TrimSuffix(set, " = ")) {
		return m, false // it would be the new variable
	}
	m.Edits = append(edit.Helpers(s, all), edit.Replace(c.Parent().Node(), text))
	m.Imports = stringImports(all)
	m.Why = fmt.Sprintf("%s parses its format and takes its arguments as interfaces on each call. %s is one of %d constants: a switch makes each string directly.", edit.Short(c.Name), name, len(formats))
	edit.MustCheck(&m, checks...)
	return m, true
}

// mentions reports whether a name occurs in some code, or in a string in it.
func mentions(code, name string) bool {
	words := strings.FieldsFunc(code, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.Contains(words, name)
}

// textFormats are the constants that a variable with a format may have, beginning with its first
// value. It returns nil if there is only one, or not all are known.
func textFormats(s *advice.Site, c code.Call) (formats []string) {
	const most = 4 // branches that are still easy to read
	v, ok := facts.Object(s.Place, c.Args[0]).(*types.Var)
	if !ok || !facts.IsLocal(s.Place, v) || facts.IsAnyParameter(v) || !facts.Private(s.Place, v) {
		return nil
	}
	if first, ok := facts.Definition(s.Place, v); !ok || s.Info.Types[first.Node().(ast.Expr)].Value == nil {
		return nil
	}
	for value := range facts.ValuesOf(s.Place, v) {
		if value == nil {
			return nil
		}
		text, ok := facts.ConstantText(s.Place, value)
		if !ok {
			return nil
		}
		if !slices.Contains(formats, text) {
			formats = append(formats, text)
		}
	}
	if len(formats) < 2 || len(formats) > most {
		return nil
	}
	return formats
}

// textFor returns what is before the string in each branch, where a call is all that a statement
// returns or assigns, and the declaration that comes before the branches.
func textFor(s *advice.Site, c code.Call) (declared, set string, ok bool) {
	if !facts.InBlock(c.Parent()) || strings.Contains(s.Source(c.Args[0]), "(") {
		return "", "", false
	}
	switch stmt := c.Parent().Node().(type) {
	case *ast.ReturnStmt:
		return "", "return ", len(stmt.Results) == 1
	case *ast.AssignStmt:
		if len(stmt.Lhs) != 1 || facts.Calls(s.Place, stmt.Lhs[0]) {
			return "", "", false
		}
		to := s.Source(stmt.Lhs[0])
		if stmt.Tok == token.DEFINE {
			return "var " + to + " string\n", to + " = ", facts.Builtins(s.Place, c.Pos(), "string")
		}
		return "", to + " " + stmt.Tok.String() + " ", stmt.Tok == token.ASSIGN || stmt.Tok == token.ADD_ASSIGN
	}
	return "", "", false
}

// inStatements fills in the edits for a call that formats several numbers: statements append them to a
// buffer on the stack, and only the string is allocated. The caller says why, and what to check.
func inStatements(s *advice.Site, c code.Call, pieces []edit.Piece, m *advice.Match) bool {
	const room = 128 // bytes of the buffer; texts of unknown length may need more
	declared, set, ok := textFor(s, c)
	if !ok || keyMayChange(s, c) || !facts.Builtins(s.Place, c.Pos(), "string", "byte", "append", "make") {
		return false
	}
	if declared != "" {
		declared, set = "", strings.Replace(set, " = ", " := ", 1)
	}
	name := facts.Fresh(s.Place, "buf", c.Pos(), s.Func.Node())
	text, size := "", 0
	for _, p := range edit.Merged(pieces) {
		switch {
		case p.Arg == nil && len(p.Text) == 1:
			text += fmt.Sprintf("%s = append(%[1]s, %s)\n", name, edit.QuotedByte(p.Text[0]))
		case p.Arg == nil:
			text += fmt.Sprintf("%s = append(%[1]s, %s...)\n", name, edit.Literal(p.Text))
		case p.Appends[0] == "" || p.Longest == 0:
			return false
		default:
			text += fmt.Sprintf("%s = %s%[1]s%[3]s\n", name, p.Appends[0], p.Appends[1])
		}
		size += len(p.Text) + p.Longest
	}
	if size > room {
		return false
	}
	text = fmt.Sprintf("%s := %s\n", name, edit.StackBytes(edit.RoundUp(size))) + text + set + "string(" + name + ")"
	m.Edits = append(edit.Helpers(s, pieces), edit.Replace(c.Parent().Node(), text))
	m.Imports = stringImports(pieces)
	m.Class = advice.Safe
	return true
}

// keyMayChange reports whether a call is assigned to an element of a map, and making its text may change
// which element that is, or what += adds to.
func keyMayChange(s *advice.Site, c code.Call) (may bool) {
	stmt, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok {
		return false
	}
	by := facts.Change{Code: []ast.Node{c.CallExpr}} // with the methods that it calls
	to := ast.Unparen(stmt.Lhs[0])
	ast.Inspect(to, func(n ast.Node) bool {
		index, ok := n.(*ast.IndexExpr)
		switch {
		case !ok || !facts.IsMap(s.Place, index.X):
		case index == to && stmt.Tok == token.ASSIGN:
			may = may || !facts.UnchangedBy(s.Place, index.X, false, by) || !facts.UnchangedBy(s.Place, index.Index, false, by)
		default:
			may = may || !facts.UnchangedBy(s.Place, index, false, by)
		}
		return !may
	})
	return may
}
