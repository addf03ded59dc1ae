package bench

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/srcfind"
)

// WriteSkeleton writes the skeleton of a benchmark of a function, which is "Parse", "Tree.Insert"
// or "(*Tree).Insert", into a new test file in dir, the folder of its package. It returns the
// names of the file and of the benchmark.
func WriteSkeleton(dir, function string) (file, benchmark string, err error) {
	b, err := findFunction(dir, function)
	if err != nil {
		return "", "", err
	}
	file = filepath.Join(dir, strings.ToLower(strings.TrimPrefix(b.name, "Benchmark"))+"_bench_test.go")
	source, err := b.source()
	if err != nil {
		return "", "", err
	}
	w, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return "", "", fmt.Errorf("%s already exists: hone bench -new doesn't replace files", file)
	}
	if err != nil {
		return "", "", err
	}
	if _, err := w.Write(source); err != nil {
		w.Close()
		return "", "", err
	}
	return file, b.name, w.Close()
}

// A skeleton is a benchmark to write.
type skeleton struct {
	name    string // BenchmarkTreeInsert
	pkg     string
	fn      *ast.FuncDecl
	imports []*ast.ImportSpec // of the function's file
	fset    *token.FileSet
}

func findFunction(dir, function string) (*skeleton, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no Go files in this folder", dir)
	}
	receiver, name := "", strings.NewReplacer("(", "", ")", "", "*", "").Replace(function)
	if r, method, ok := strings.Cut(name, "."); ok {
		receiver, name = r, method
	}
	b := &skeleton{name: "Benchmark" + exported(receiver) + exported(name), fset: token.NewFileSet()}
	var known []string
	for _, file := range files {
		parsed, err := parser.ParseFile(b.fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			of := srcfind.ReceiverOf(fn)
			switch {
			case strings.HasSuffix(file, "_test.go"):
				if fn.Recv == nil && fn.Name.Name == b.name {
					return nil, fmt.Errorf("%s already exists: %s", b.name, b.fset.Position(fn.Pos()))
				}
			case of.Type == receiver && fn.Name.Name == name && b.fn == nil:
				b.fn, b.pkg, b.imports = fn, parsed.Name.Name, parsed.Imports
			case fn.Name.Name == name || strings.EqualFold(fn.Name.Name, name):
				known = append(known, srcfind.DeclName(fn))
			}
		}
	}
	switch {
	case b.fn == nil && len(known) > 0:
		slices.Sort(known)
		return nil, fmt.Errorf("%s: no function %s in this folder; did you mean %s?", dir, function, strings.Join(slices.Compact(known), " or "))
	case b.fn == nil:
		return nil, fmt.Errorf("%s: no function %s in this folder (write a method as Type.Method)", dir, function)
	case b.fn.Type.TypeParams != nil || srcfind.ReceiverOf(b.fn).Generic:
		return nil, fmt.Errorf("%s: %s has type parameters: write its benchmark by hand, for the types that matter", b.fset.Position(b.fn.Pos()), function)
	}
	return b, nil
}

func exported(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// source returns the test file: variables for the receiver and the arguments, and a loop
// that calls the function.
func (b *skeleton) source() ([]byte, error) {
	var vars, args []string
	used := map[string]bool{} // names of packages
	taken := map[string]bool{"b": true, "testing": true, b.fn.Name.Name: true}
	for _, spec := range b.imports {
		taken[importName(spec)] = true
	}
	declare := func(name, fallback string, t ast.Expr) (string, error) {
		if name == "" || name == "_" || taken[name] {
			name = fallback
		}
		for n := 2; taken[name]; n++ {
			name = fallback + strconv.Itoa(n)
		}
		taken[name] = true
		ast.Inspect(t, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := s.X.(*ast.Ident); ok {
					used[pkg.Name] = true
				}
			}
			return true
		})
		var text bytes.Buffer
		if err := format.Node(&text, b.fset, t); err != nil {
			return "", err
		}
		vars = append(vars, "var "+name+" "+text.String())
		return name, nil
	}
	call := b.fn.Name.Name
	if b.fn.Recv != nil {
		field, name := b.fn.Recv.List[0], ""
		if len(field.Names) > 0 {
			name = field.Names[0].Name
		}
		name, err := declare(name, "receiver", ast.NewIdent(srcfind.ReceiverOf(b.fn).Type))
		if err != nil {
			return nil, err
		}
		call = name + "." + call
	}
	for _, field := range b.fn.Type.Params.List {
		names := field.Names
		if names == nil {
			names = []*ast.Ident{{Name: ""}}
		}
		t, more := field.Type, ""
		if variadic, ok := t.(*ast.Ellipsis); ok {
			t, more = &ast.ArrayType{Elt: variadic.Elt}, "..."
		}
		for _, id := range names {
			name, err := declare(id.Name, "arg", t)
			if err != nil {
				return nil, err
			}
			args = append(args, name+more)
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\nimport (\n\"testing\"\n", b.pkg)
	for _, spec := range b.imports {
		if used[importName(spec)] {
			name := ""
			if spec.Name != nil {
				name = spec.Name.Name
			}
			fmt.Fprintf(&out, "%s %s\n", name, spec.Path.Value)
		}
	}
	fmt.Fprintf(&out, ")\n\nfunc %s(b *testing.B) {\n", b.name)
	if len(vars) > 0 {
		fmt.Fprintf(&out, "// Inputs like those of the real program, of the sizes that matter.\n%s\n\n", strings.Join(vars, "\n"))
	}
	fmt.Fprintf(&out, "for b.Loop() {\n%s(%s)\n}\n}\n", call, strings.Join(args, ", "))
	return format.Source(out.Bytes())
}

// importName returns the name that a file uses for a package. Without an explicit name, it
// is the last element of the import path that isn't a version.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	p, _ := strconv.Unquote(spec.Path.Value)
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(p))
	}
	base, _, _ = strings.Cut(base, ".v")
	return strings.TrimPrefix(base, "go-")
}
