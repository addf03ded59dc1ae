package hone_test

import (
	"go/ast"
	"strings"
	"testing"
)

// TestTemporaryFiles: whatever makes a temporary file does so by package temporary, or
// kill -9 leaves it for good. What only tests use is not asked.
func TestTemporaryFiles(t *testing.T) {
	const maker = "internal/temporary/"
	makers := 0
	for _, f := range sourceFiles(t) {
		ours := strings.HasPrefix(f.name, "cmd/") || strings.HasPrefix(f.name, "internal/")
		forTests := strings.HasSuffix(f.name, "_test.go") || strings.Contains(f.name, "test/") || strings.Contains(f.name, "testdata/")
		if !ours || forTests {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok || pkg.Name != "os" && pkg.Name != "ioutil" {
				return true
			}
			switch sel.Sel.Name {
			case "MkdirTemp", "CreateTemp", "TempDir", "TempFile":
				if strings.HasPrefix(f.name, maker) {
					makers++
				} else if reason := elsewhere[f.name]; reason == "" {
					t.Errorf("%s uses %s.%s: temporary files are made by package temporary", f.name, pkg.Name, sel.Sel.Name)
				}
			}
			return true
		})
	}
	if makers < 3 {
		t.Errorf("package temporary has %d places that make temporary files: this test looks for the wrong names", makers)
	}
}

// elsewhere are files that name the temporary directory, each with the reason.
var elsewhere = map[string]string{
	"internal/doctor/doctor.go":      "tells how much room there is",
	"internal/capture/fetch_save.go": "keeps profiles for good where go tool pprof does, for want of another folder",
}
