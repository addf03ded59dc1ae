package rules

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice/edit"
)

// TestCostlyFunctions: the cases of costly-call have a finding about each function of its table.
func TestCostlyFunctions(t *testing.T) {
	files, err := filepath.Glob("testdata/costly-call/*.go")
	if err != nil {
		t.Fatal(err)
	}
	reported := make(map[string]bool)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, p := check(t, file, text)
		findings := examinePackage(p, marked(t, f, file, text), costlyCall).Findings
		for n := range ast.Preorder(f) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				continue
			}
			name := p.Callee(call)
			for _, found := range findings {
				if found.Line == p.Line(call.Pos()) && strings.HasPrefix(found.Why, edit.Short(name)+" "+insteadOf[costlyByName()[name].kind]) {
					reported[name] = true
				}
			}
		}
	}
	seen := make(map[string]bool)
	for _, f := range costlyFunctions {
		if seen[f.name] {
			t.Errorf("%s is in the table twice", f.name)
		}
		seen[f.name] = true
		if !reported[f.name] {
			t.Errorf("%s: no case in testdata/costly-call has a finding about it", f.name)
		}
	}
}
