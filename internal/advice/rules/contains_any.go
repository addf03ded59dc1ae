package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"

	"github.com/hone-go/hone/internal/advice"
)

var containsAny = &advice.Rule{
	ID:    "contains-any",
	Title: "a few bytes are searched for by a set",
	Doc: `ContainsAny and IndexAny make a set of the characters for each call, and go through the text byte by byte.
IndexByte compares 16 or 32 bytes at a time: for two or three bytes it is faster to look for one after the other,
unless the text is very short or the first byte usually stands near its begin. A single byte they hand to IndexByte
themselves.`,
	Class:  advice.Review,
	Frames: regexp.MustCompile(`^(strings|bytes)\.(ContainsAny|IndexAny)$`),
	Gain:   2,
	Match:  matchContainsAny,
}

func matchContainsAny(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("strings.ContainsAny", "bytes.ContainsAny", "strings.IndexAny", "bytes.IndexAny") {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		chars, constant := constantText(s, c.Args[1])
		if !ok || !constant || len(chars) < 2 || len(chars) > 3 || strings.ContainsFunc(chars, func(r rune) bool { return r >= 0x80 }) {
			continue
		}
		pkg, text := s.Source(sel.X), s.Source(c.Args[0])
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		m.Why = fmt.Sprintf("%s makes a set of %q for each call and looks at the text byte by byte: IndexByte, called for each of them, compares many bytes at once.", short(c.Name), chars)
		if strings.HasSuffix(c.Name, "ContainsAny") && pure(s, c.Args[0]) && !commented(s, c.Pos(), c.End()) {
			var parts []string
			for i := range len(chars) {
				parts = append(parts, fmt.Sprintf("%s.IndexByte(%s, %q) >= 0", pkg, text, chars[i]))
			}
			code := strings.Join(parts, " || ")
			switch p := c.Parent().Node().(type) {
			case *ast.UnaryExpr:
				code = "(" + code + ")"
			case *ast.BinaryExpr:
				if p.Op != token.LOR {
					code = "(" + code + ")"
				}
			case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
				continue
			}
			m.Edits = []advice.Edit{replace(c.CallExpr, code)}
			m.Class = advice.Review
		}
		matches = append(matches, m)
	}
	return matches
}
