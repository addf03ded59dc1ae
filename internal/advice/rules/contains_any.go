package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var containsAny = &advice.Rule{
	ID:    "contains-any",
	Title: "a set search looks for only a few bytes",
	Doc: `ContainsAny and IndexAny build a set of the characters on each call and check the text byte by byte. IndexByte compares
16 or 32 bytes per instruction. For two or three bytes, a search for each of them is faster, unless the text is
very short or the first byte is usually near the start. A single byte already goes to IndexByte.

For a text of up to eight bytes they don't build a set, but look up each byte among the characters. If profiles show
that this takes the time, bytes.ContainsAny is rewritten to slices.ContainsFunc, which is inlined with its comparisons.`,
	Class:  advice.Review,
	Frames: anyOf,
	Gain:   2,
	Match:  matchContainsAny,
	Conditions: advice.Conditions{
		Offered: "the characters are two or three constant bytes, or the text is short",
		Review:  "evaluating the text again gives the same result",
	},
}

var anyOf = lazyregexp.New(`^(strings|bytes)\.(ContainsAny|IndexAny)$`)

// amongChars matches the functions that look up a byte of a short text among the characters.
var amongChars = lazyregexp.New(`^(internal/bytealg\.IndexByteString|indexbytebody)$`)

func matchContainsAny(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("strings.ContainsAny", "bytes.ContainsAny", "strings.IndexAny", "bytes.IndexAny") {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		chars, constant := facts.ConstantText(s.Place, c.Args[1])
		if !ok || !constant || len(chars) < 2 || len(chars) > 3 || strings.ContainsFunc(chars, func(r rune) bool { return r >= 0x80 }) {
			continue
		}
		pkg, text := s.Source(sel.X), s.Source(c.Args[0])
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		m.Why = fmt.Sprintf("%s builds a set of %q on each call and checks the text byte by byte; one IndexByte per character compares many bytes at once. Check that the texts are longer than a few bytes.", edit.Short(c.Name), chars)
		rewritten := strings.HasSuffix(c.Name, "ContainsAny") && facts.Pure(s.Place, c.Args[0]) && !facts.Commented(s.Place, c.Pos(), c.End())
		slicesName, imported := facts.PackageName(s.Place, "slices", c.Pos())
		_, typed := s.Info.TypeOf(c.Args[0]).Underlying().(*types.Slice) // nil isn't
		inlined := imported && typed && c.Name == "bytes.ContainsAny" && s.AtLeast("1.21") && s.Share(amongChars) > s.Share(anyOf)/3
		switch {
		case rewritten && inlined:
			m.Why = fmt.Sprintf("The texts are short, and %s looks up each byte among %q with a call; comparisons cost less. Check that the texts are short wherever this is called.", edit.Short(c.Name), chars)
			m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.ContainsFunc(%s, func(c byte) bool { return %s })", slicesName, text, either(chars, func(c byte) string { return fmt.Sprintf("c == %q", c) })))}
			m.Class, m.Imports = advice.Review, []string{"slices"}
		case rewritten:
			code := either(chars, func(c byte) string { return fmt.Sprintf("%s.IndexByte(%s, %q) >= 0", pkg, text, c) })
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
			m.Edits = []advice.Edit{edit.Replace(c.CallExpr, code)}
			m.Class = advice.Review
		}
		matches = append(matches, m)
	}
	return matches
}

// either returns code that tests for any of some single-byte characters.
func either(chars string, is func(c byte) string) string {
	var parts []string
	for i := range len(chars) {
		parts = append(parts, is(chars[i]))
	}
	return strings.Join(parts, " || ")
}
