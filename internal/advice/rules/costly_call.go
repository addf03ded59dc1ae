package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var costlyCall = &advice.Rule{
	ID:    "costly-call",
	Title: "a function does more than is needed here",
	Doc: `Some functions of the standard library are made for any case, and have something beside them that does the usual one
for a fraction: strconv beside fmt.Sscanf, netip.ParseAddr beside net.ParseIP, a table or a product beside math.Pow. Others ask the
operating system for what stays as it is while the program runs: its host, its folder, its own build.

It takes a twentieth of the time or memory of a benchmark or program before this is reported, and another rule that knows
more of the line goes first. What is needed only the code around knows, so that it is advice only.`,
	Class:   advice.AdviceOnly,
	Frames:  costlyFrames(),
	Generic: true,
	Match:   matchCostlyCall,
}

func costlyFrames() *lazyregexp.Regexp {
	var names []string
	for _, f := range costlyFunctions {
		names = append(names, f.name)
	}
	return framesOf(names...)
}

func matchCostlyCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		f, ok := costlyByName()[c.Name]
		if !ok || facts.RunsOnce(s, c.Cursor) || facts.Excused(s, c.Cursor) || f.kind == knowsUnicode && knowsASCII(s) || !isCost(s, c, f) {
			continue
		}
		frames := framesOf(c.Name)
		if s.Share(frames) < muchAllocated {
			continue
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Frames: frames, Gain: f.gain,
			Why: fmt.Sprintf("%s %s.", edit.Short(c.Name), insteadOf[f.kind])})
	}
	return matches
}

// isCost reports whether it is the function itself that costs what is below it, where that may be
// what it reads from.
func isCost(s *advice.Site, c advice.Call, f costly) bool {
	switch f.kind {
	case limitsReader:
		n, constant := facts.ConstantInt(s, c.Args[2])
		return constant && n <= 64
	case readsLayout: // those of the standard have a way of their own
		layout, constant := facts.ConstantText(s, c.Args[0])
		return !constant || layout != time.RFC3339 && layout != time.RFC3339Nano
	case parsesAnyBase:
		return facts.IsInt(s, c.Args[1], 10) && (facts.IsInt(s, c.Args[2], 0) || facts.IsInt(s, c.Args[2], 64))
	case copiesPieces:
		callee, share := s.AllocatesMost()
		return share >= muchAllocated && framesOf(c.Name).MatchString(callee)
	}
	return true
}

// knowsASCII reports whether the function at a site tells ASCII from other characters.
func knowsASCII(s *advice.Site) bool {
	for n := range ast.Preorder(s.Func.Node()) {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == "RuneSelf" || n.Name == "MaxASCII" || n.Name == "MaxLatin1" {
				return true
			}
		case *ast.BasicLit:
			if n.Kind == token.INT && (facts.IsInt(s, n, 127) || facts.IsInt(s, n, 128)) {
				return true
			}
		}
	}
	return false
}
