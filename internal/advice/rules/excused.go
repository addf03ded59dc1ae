package rules

import (
	"go/ast"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
)

// excused reports whether code is there to fail, as it makes an error or panics, or to
// fill a pool.
func excused(s *advice.Site, c inspector.Cursor) bool {
	if pooled(s, c) {
		return true
	}
	for outer := range c.Enclosing((*ast.CallExpr)(nil)) {
		switch s.Callee(outer.Node().(*ast.CallExpr)) {
		case "panic", "fmt.Errorf", "errors.New", "errors.Join", "log.Fatal", "log.Fatalf":
			return true
		}
	}
	return false
}
