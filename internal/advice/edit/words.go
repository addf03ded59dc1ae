package edit

import (
	"fmt"
	"go/ast"
	"go/types"
	"go/version"
	"strings"

	"github.com/hone-go/hone/internal/advice"
)

// OneLine reports whether source text is short enough to quote in a sentence.
func OneLine(text string) bool { return !strings.Contains(text, "\n") && len(text) < 60 }

// Short is the name of a function without the path of its package: "json.Marshal", or
// "(*json.Decoder).Decode".
func Short(name string) string {
	bare := strings.TrimLeft(name, "(*")
	return name[:len(name)-len(bare)] + bare[strings.LastIndexByte(bare, '/')+1:]
}

// Quoted quotes text for a sentence, and shortens long text.
func Quoted(text string) string {
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// ShownFunction is a function for a sentence.
func ShownFunction(s *advice.Site, f ast.Expr) string {
	if _, literal := ast.Unparen(f).(*ast.FuncLit); literal {
		return "the function"
	}
	return s.Source(f)
}

// Spelled is the type of an expression, for people.
func Spelled(s *advice.Site, e ast.Expr) string {
	return types.TypeString(s.Info.TypeOf(e), func(p *types.Package) string {
		if p == s.Types {
			return ""
		}
		return p.Name()
	})
}

// Called returns the name of the called function as it is written.
func Called(s *advice.Site, call *ast.CallExpr) string {
	if text := s.Source(call.Fun); OneLine(text) {
		return text
	}
	return "the function"
}

// UpgradeJSON says what a newer Go version improves in encoding/json, if this one is older. It
// continues a sentence.
func UpgradeJSON(s *advice.Site) string {
	if s.In.Toolchain != "" && version.Compare(s.In.Toolchain, "go1.27") >= 0 {
		return ""
	}
	return "; Go 1.27, where encoding/json is based on v2, is already faster"
}
