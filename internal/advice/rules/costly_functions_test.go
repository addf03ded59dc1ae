package rules

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
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
			costly, _ := facts.Costly(name)
			for _, found := range findings {
				if found.Line == p.Line(call.Pos()) && strings.HasPrefix(found.Why, edit.Short(name)+" "+insteadOf[costly.Kind]) {
					reported[name] = true
				}
			}
		}
	}
	seen := make(map[string]bool)
	for _, f := range facts.CostlyFunctions() {
		if seen[f.Name] {
			t.Errorf("%s is in the table twice", f.Name)
		}
		seen[f.Name] = true
		if !reported[f.Name] {
			t.Errorf("%s: no case in testdata/costly-call has a finding about it", f.Name)
		}
	}
}

// TestCostlyGains: no row of the table promises more than the committed measurement of it shows.
func TestCostlyGains(t *testing.T) {
	const name = "testdata/costly-call/gains.txt"
	measured := readGains(t, name, "Costly/")
	for _, row := range facts.CostlyFunctions() {
		switch gain, ok := measured[row.Name]; {
		case !ok:
			t.Errorf("%s is not in %s", row.Name, name)
		case row.Gain > gain:
			t.Errorf("%s: the table has a gain of %v, and %s of %.2f", row.Name, row.Gain, name, gain)
		}
		delete(measured, row.Name)
	}
	for call := range measured {
		t.Errorf("%s is measured and not in the table", call)
	}
}
