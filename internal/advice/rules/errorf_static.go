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
	"github.com/hone-go/hone/internal/lazyregexp"
)

var errorfStatic = &advice.Rule{
	ID:    "errorf-static",
	Title: "the same error is created repeatedly",
	Doc: `An error with a constant message is always the same. As a package variable it is created once, and returning it doesn't
allocate. fmt.Errorf without verbs also parses its format each time.

Review the rewrite: a single error variable is equal to itself under ==, so callers may distinguish it from other
errors. Code that runs once is not reported.`,
	Class:  advice.Review,
	Frames: lazyregexp.New(`^fmt\.Errorf$|^errors\.New$`),
	Gain:   5,
	Match:  matchErrorfStatic,
	Conditions: advice.Conditions{
		Offered: "the message is constant",
		Review:  "no code distinguishes these errors with ==; " + edit.InitOrder,
	},
}

func matchErrorfStatic(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("fmt.Errorf", "errors.New") {
		if len(c.Args) != 1 || s.Decl == nil || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		text, ok := facts.ConstantText(s.Place, c.Args[0])
		if !ok || !returned(s, c) {
			continue
		}
		if c.Name == "fmt.Errorf" {
			if strings.Contains(strings.ReplaceAll(text, "%%", ""), "%") {
				continue
			}
			text = strings.ReplaceAll(text, "%%", "%")
		}
		pkg, ok := facts.PackageName(s.Place, "errors", s.Decl.Pos())
		if !ok || facts.Commented(s.Place, c.Pos(), c.End()) {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.Review}
		if name := errorName(text); isError(s, name, text, c.Pos()) {
			m.Edits = []advice.Edit{edit.Replace(c.CallExpr, name)}
		} else {
			name = s.Unused(name, c.Pos())
			m.Edits = toPackageVariable(s, c.Cursor, name, fmt.Sprintf("%s.New(%s)", pkg, edit.Literal(text)), []advice.Edit{edit.Replace(c.CallExpr, name)})
			m.Imports = []string{"errors"}
		}
		m.Why = fmt.Sprintf("%s allocates the same error %s on each call; create it once, as a package variable. Check that no code compares these errors with ==: they are now equal.", edit.Short(c.Name), edit.Quoted(text))
		matches = append(matches, m)
	}
	return matches
}

// isError reports whether a name is a package variable with such an error, for example from an earlier
// rewrite, that is only returned. If it is compared with something, the comparison would be true where
// it wasn't before.
func isError(s *advice.Site, name, text string, at token.Pos) bool {
	obj := s.Types.Scope().Lookup(name)
	if obj == nil || facts.Resolves(s.Place, name, at) != obj || !onlyReturned(s, obj) {
		return false
	}
	same := false
	for _, f := range s.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if ok && len(spec.Names) == 1 && len(spec.Values) == 1 && s.Info.Defs[spec.Names[0]] == obj {
				call, ok := ast.Unparen(spec.Values[0]).(*ast.CallExpr)
				if ok && s.Callee(call) == "errors.New" {
					made, constant := facts.ConstantText(s.Place, call.Args[0])
					same = constant && made == text
				}
			}
			return !same
		})
	}
	return same
}

// onlyReturned reports whether a variable is only returned.
func onlyReturned(s *advice.Site, obj types.Object) bool {
	return !slices.ContainsFunc(s.Uses(obj), func(id *ast.Ident) bool {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return true
		}
		_, ok = c.Parent().Node().(*ast.ReturnStmt)
		return !ok
	})
}

// returned reports whether an error is returned or assigned to a variable.
func returned(s *advice.Site, c code.Call) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.ReturnStmt, *ast.AssignStmt:
		return true
	case *ast.CallExpr:
		return s.Callee(p) != "panic"
	}
	return false
}

// errorName makes a name from the first words of an error's text.
func errorName(text string) string {
	name := "err"
	words := strings.FieldsFunc(text, func(r rune) bool { return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range words[:min(4, len(words))] {
		name += strings.ToUpper(w[:1]) + strings.ToLower(w[1:])
	}
	if name == "err" {
		return "errConstant"
	}
	return name
}
