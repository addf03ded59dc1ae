package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice"
)

// oneLine reports whether source fits a sentence.
func oneLine(text string) bool { return !strings.Contains(text, "\n") && len(text) < 60 }

// short is a function's name without the path of its package: "json.Marshal", or
// "(*json.Decoder).Decode".
func short(name string) string {
	bare := strings.TrimLeft(name, "(*")
	return name[:len(name)-len(bare)] + bare[strings.LastIndexByte(bare, '/')+1:]
}

// quoted is a text for a sentence, cut where it is long.
func quoted(text string) string {
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// shownFunction is a function for a sentence.
func shownFunction(s *advice.Site, f ast.Expr) string {
	if _, literal := ast.Unparen(f).(*ast.FuncLit); literal {
		return "the function"
	}
	return s.Source(f)
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.4g KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// spelled is the type of an expression for people.
func spelled(s *advice.Site, e ast.Expr) string {
	return types.TypeString(s.Info.TypeOf(e), func(p *types.Package) string {
		if p == s.Types {
			return ""
		}
		return p.Name()
	})
}

// called names what a call calls as it is written.
func called(s *advice.Site, call *ast.CallExpr) string {
	if text := s.Source(call.Fun); oneLine(text) {
		return text
	}
	return "the function"
}
