package differ

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Program is a command that calls functions of a package, for a folder below the package's: FILE FIRST CALL are its arguments.
type Program struct {
	Package   string
	Dir       string // of the package
	Files     map[string][]byte
	Functions []string // that it calls
}

// Folder is the one for a program's files.
const Folder = "honediffer"

// command has the command that calls. Its list is written for each package.
//
//go:embed calls/*.go
var command embed.FS

func write(p *packages.Package, all []exported) (Program, error) {
	one := Program{Package: p.PkgPath, Dir: filepath.Dir(p.GoFiles[0]), Files: make(map[string][]byte)}
	files, err := command.ReadDir("calls")
	if err != nil {
		return one, err
	}
	for _, f := range files {
		if one.Files[f.Name()], err = command.ReadFile("calls/" + f.Name()); err != nil {
			return one, err
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "//go:build go1.22\n\npackage main\n\nimport p %q\n\nvar functions, methods = []function{\n", p.PkgPath)
	method := func(f exported) bool { return strings.Contains(f.name, ".") }
	line := func(f exported) {
		fmt.Fprintf(&b, "\t{%q, %s, %v},\n", f.name, f.expr, f.target)
		if f.target {
			one.Functions = append(one.Functions, f.name)
		}
	}
	for _, f := range all {
		if !method(f) {
			line(f)
		}
	}
	b.WriteString("}, []function{\n")
	for _, f := range all {
		if method(f) {
			line(f)
		}
	}
	b.WriteString("}\n\nvar texts = []string{\n")
	for _, s := range textsOf(one.Dir) {
		fmt.Fprintf(&b, "\t%s,\n", strconv.Quote(s))
	}
	b.WriteString("}\n\n// of makes a function of a package's variable.\nfunc of[T any](v T) any { return func() T { return v } }\n")
	text, err := format.Source(b.Bytes())
	one.Files["list.go"] = text
	return one, err
}

const (
	mostTexts = 300
	mostText  = 2 << 10 // bytes of one
)

// textsOf are the strings in a package's tests: inputs that mean something to it.
func textsOf(dir string) (all []string) {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && len(s) <= mostText && len(all) < mostTexts && !slices.Contains(all, s) {
					all = append(all, s)
				}
			}
			return true
		})
	}
	return all
}
