package differ

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
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

func write(p *packages.Package, all []exported, from constants) (Program, error) {
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
	var functions, methods []exported
	for _, f := range all {
		if strings.Contains(f.name, ".") {
			methods = append(methods, f)
		} else {
			functions = append(functions, f)
		}
		if f.target {
			one.Functions = append(one.Functions, f.name)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "//go:build go1.23\n\npackage main\n\nimport (\n\"reflect\"\n\np %q\n)\n\nconst (\npath = %[1]q\nrunes = %v\n)\n", p.PkgPath, !spells(p, "int32"))
	list(&b, "functions", "function", functions, exported.text)
	list(&b, "methods", "function", methods, exported.text)
	list(&b, "texts", "string", textsOf(one.Dir), strconv.Quote)
	list(&b, "ownTexts", "string", from.texts, strconv.Quote)
	list(&b, "numbers", "int64", from.numbers, func(n int64) string { return strconv.FormatInt(n, 10) })
	list(&b, "fractions", "float64", from.fractions, func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) })
	b.WriteString("\nvar failures = map[string]error{\n")
	for _, name := range failuresOf(p) {
		fmt.Fprintf(&b, "%q: p.%[1]s,\n", name)
	}
	b.WriteString(`}

// of makes a function of a package's variable.
func of[T any](v T) any { return func() T { return v } }

// method is one of the values that a function returns.
func method(producer any, name string) any {
	m, _ := reflect.TypeOf(producer).Out(0).MethodByName(name)
	return m.Func.Interface()
}
`)
	text, err := format.Source(b.Bytes())
	one.Files["list.go"] = text
	return one, err
}

// text is the function in the program's list.
func (f exported) text() string {
	return fmt.Sprintf("{%q, %s, %v, %v}", f.name, f.expr, f.target, f.changed)
}

// list writes a variable with a slice.
func list[T any](b *bytes.Buffer, name, of string, all []T, show func(T) string) {
	fmt.Fprintf(b, "\nvar %s = []%s{\n", name, of)
	for _, v := range all {
		b.WriteString(show(v) + ",\n")
	}
	b.WriteString("}\n")
}

// spells reports whether a package's files use a name of the universe.
func spells(p *packages.Package, name string) bool {
	for id, o := range p.TypesInfo.Uses {
		if id.Name == name && o.Parent() == types.Universe {
			return true
		}
	}
	return false
}

// failuresOf are the exported variables of a package that are errors.
func failuresOf(p *packages.Package) (all []string) {
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		if v, ok := scope.Lookup(name).(*types.Var); ok && v.Exported() && types.AssignableTo(v.Type(), types.Universe.Lookup("error").Type()) {
			all = append(all, name)
		}
	}
	return all
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
