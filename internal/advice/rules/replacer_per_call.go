package rules

import (
	"go/ast"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var replacerPerCall = &advice.Rule{
	ID:    "replacer-per-call",
	Title: "a strings.Replacer is created per call",
	Doc: `A strings.Replacer builds a lookup table when it is first used: hundreds of bytes, up to a kilobyte per byte it
replaces. Replacing in a short text takes a fraction of that time. A Replacer never changes and is safe for concurrent
use, so create it once, as a package variable.

The rewrite does this if all arguments are constant. Review it, because the variable is shared.`,
	Class:     advice.Review,
	Frames:    lazyregexp.New(`^strings\.NewReplacer|^strings\.\(\*Replacer\)\.build|^strings\.(makeGenericReplacer|makeSingleStringReplacer|makeStringFinder|\(\*trieNode\)\.add)|^sync\.\(\*Once\)\.(Do|doSlow)`),
	Allocates: true,
	Gain:      5,
	Match:     matchReplacerPerCall,
	Conditions: advice.Conditions{
		Offered: "all arguments are constant",
		Review:  "no code compares the Replacer, which all callers share; " + edit.InitOrder,
	},
}

func matchReplacerPerCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	add := func(c inspector.Cursor) {
		call := c.Node().(*ast.CallExpr)
		if facts.RunsOnce(s.Place, c) || len(call.Args) == 0 || len(call.Args)%2 != 0 || call.Ellipsis.IsValid() {
			return
		}
		for _, a := range call.Args {
			if _, ok := facts.ConstantText(s.Place, a); !ok {
				return
			}
		}
		m := advice.Match{Node: call, Class: advice.AdviceOnly}
		m.Why = "strings.NewReplacer gets the same constants on each call and builds a table each time; create it once, as a package variable. Check that no code compares it with another one."
		if s.Decl != nil && facts.AtPackageLevel(s.Place, call) {
			name := s.Unused(edit.LowerFirst(s.Decl.Name.Name)+"Replacer", call.Pos())
			m.Edits = toPackageVariable(s, c, name, s.Source(call), []advice.Edit{edit.Replace(call, name)})
			m.Class = advice.Review
		}
		matches = append(matches, m)
	}
	for _, c := range s.Calls("strings.NewReplacer") {
		add(c.Cursor)
	}
	// The table is built when the Replacer is first used.
	for _, c := range s.Calls("(*strings.Replacer).Replace", "(*strings.Replacer).WriteString") {
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		obj := facts.Object(s.Place, sel.X)
		if obj == nil || !facts.IsLocal(s.Place, obj) {
			continue
		}
		if made, ok := facts.Definition(s.Place, obj); ok {
			if call, ok := made.Node().(*ast.CallExpr); ok && s.Callee(call) == "strings.NewReplacer" && !facts.InLoop(c.Cursor) {
				add(made)
			}
		}
	}
	return matches
}
