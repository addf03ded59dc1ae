package hone_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// platforms are those that hone is built for, as in the Makefile.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// TestPlatforms checks the types of every package, tests included, on every
// platform. make cross compiles them too, which takes a hundred times as long and so far
// has found nothing more: there is no assembly and no linkname in this repository.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if line := "PLATFORMS = " + strings.Join(platforms, " ") + "\n"; !strings.Contains(string(makefile), line) {
		t.Errorf("the Makefile has no line %q", line)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	fset, parsed := token.NewFileSet(), parsedFiles{own: root + string(filepath.Separator)}
	for _, platform := range platforms {
		for _, dir := range []string{".", "agent"} { // modules
			goos, goarch, _ := strings.Cut(platform, "/")
			cfg := &packages.Config{
				Context: t.Context(),
				Dir:     dir,
				Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule |
					packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes,
				Env:   append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch),
				Tests: true,
				Fset:  fset, ParseFile: parsed.parse,
			}
			initial, err := packages.Load(cfg, "./...")
			if err != nil {
				t.Fatalf("%s: %v", platform, err)
			}
			if least := map[string]int{".": 20, "agent": 2}[dir]; len(initial) < least {
				t.Errorf("%s: %d packages only", platform, len(initial))
			}
			errs := map[string]bool{} // a file is in its package and in that of its test
			packages.Visit(initial, nil, func(p *packages.Package) {
				if p.Module == nil || !p.Module.Main {
					return // has no bodies, and so imports that it does not use
				}
				for _, err := range p.Errors {
					errs[err.Error()] = true
				}
			})
			for _, err := range slices.Sorted(maps.Keys(errs)) {
				t.Errorf("%s: %s", platform, err)
			}
		}
	}
}

// parsedFiles holds files that are parsed, for most are of all platforms: whole
// those below own, and of others what they declare.
type parsedFiles struct {
	sync.Map
	own string
}

func (p *parsedFiles) parse(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	once, _ := p.LoadOrStore(name, sync.OnceValues(func() (*ast.File, error) {
		file, err := parser.ParseFile(fset, name, src, parser.AllErrors|parser.SkipObjectResolution)
		if file != nil && strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, p.own) { // the main package of a test has no .go
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					f.Body = nil
				}
			}
		}
		return file, err
	}))
	return once.(func() (*ast.File, error))()
}
