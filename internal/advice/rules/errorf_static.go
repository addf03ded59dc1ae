package rules

import (
	"fmt"
	"go/ast"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/hone-go/hone/internal/advice"
)

var errorfStatic = &advice.Rule{
	ID:      "errorf-static",
	Pattern: "P42",
	Title:   "the same error is made again and again",
	Doc: `An error with a constant text is the same each time: as a variable of the package it is made once, and returning it
allocates nothing. fmt.Errorf without verbs reads its format on top.

The rewrite is left to review: an error that is one variable is equal to itself with ==, and callers may tell it from
others. What runs once is not reported.`,
	Class:  advice.Review,
	Frames: regexp.MustCompile(`^fmt\.Errorf$|^errors\.New$`),
	Gain:   5,
	Match:  matchErrorfStatic,
}

func matchErrorfStatic(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("fmt.Errorf", "errors.New") {
		if len(c.Args) != 1 || s.Decl == nil || runsOnce(s, c.Cursor) {
			continue
		}
		text, ok := constantText(s, c.Args[0])
		if !ok || !returned(s, c) {
			continue
		}
		if c.Name == "fmt.Errorf" {
			if strings.Contains(strings.ReplaceAll(text, "%%", ""), "%") {
				continue
			}
			text = strings.ReplaceAll(text, "%%", "%")
		}
		pkg, ok := packageName(s, "errors", s.Decl.Pos())
		if !ok || commented(s, c.Pos(), c.End()) {
			continue
		}
		name := s.Unused(errorName(text), c.Pos())
		m := advice.Match{Node: c.CallExpr, Class: advice.Review, Imports: []string{"errors"}}
		m.Edits = []advice.Edit{beforeDecl(s, fmt.Sprintf("var %s = %s.New(%s)", name, pkg, strconv.Quote(text))), replace(c.CallExpr, name)}
		m.Why = fmt.Sprintf("%s allocates the same error %s for each call: make it once, as a variable of the package.", short(c.Name), quoted(text))
		matches = append(matches, m)
	}
	return matches
}

// returned reports whether an error goes to a caller, or to a variable.
func returned(s *advice.Site, c advice.Call) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.ReturnStmt, *ast.AssignStmt:
		return true
	case *ast.CallExpr:
		return s.Callee(p) != "panic"
	}
	return false
}

// errorName makes a name of the first words of an error's text.
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
