package rules

import (
	"cmp"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

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
				if found.Line == p.Line(call.Pos()) && strings.HasPrefix(found.Why, edit.Short(name)+" "+insteadOf[costlyByName()[name].Kind]) {
					reported[name] = true
				}
			}
		}
	}
	seen := make(map[string]bool)
	for _, f := range costlyFunctions {
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
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	measured := make(map[string]float64)
	for r := benchfmt.NewReader(f, name); r.Scan(); {
		switch facts := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(facts)
		case *benchfmt.Result:
			call, _, _ := strings.Cut(strings.TrimPrefix(facts.Name.String(), "Costly/"), "-")
			var used, better float64
			for _, row := range facts.Values {
				switch cmp.Or(row.OrigUnit, row.Unit) {
				case "used-ns/call":
					used = row.Value
				case "better-ns/call":
					better = row.Value
				}
			}
			if used <= 0 || better <= 0 {
				t.Errorf("%s: want used-ns/call and better-ns/call", facts.Name)
			}
			measured[call] = used / better
		}
	}
	for _, row := range costlyFunctions {
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
