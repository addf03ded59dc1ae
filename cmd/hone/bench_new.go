package main

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

	"github.com/hone-go/hone/internal/shell"
)

// newBenchmark writes the skeleton of a benchmark, and says how to run it.
func newBenchmark(a *app, function string, packages []string) error {
	dir := "."
	switch {
	case len(packages) > 1 || len(packages) == 1 && strings.Contains(packages[0], "..."):
		return &shell.UsageError{Verb: "bench", Err: errors.New("-new takes one package: give the folder of the function")}
	case len(packages) == 1:
		dir = packages[0]
	}
	b, err := findFunction(dir, function)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, strings.ToLower(strings.TrimPrefix(b.name, "Benchmark"))+"_bench_test.go")
	source, err := b.source()
	if err != nil {
		return err
	}
	w, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: hone bench -new replaces no file", file)
	}
	if err != nil {
		return err
	}
	if _, err := w.Write(source); err != nil {
		w.Close()
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	target := filepath.ToSlash(dir)
	if target != "." && !filepath.IsAbs(dir) && !strings.HasPrefix(target, "../") {
		target = "./" + path.Clean(target)
	}
	_, err = fmt.Fprintf(a.stdout, "Wrote %s. Give it inputs like those of the real program, then run\n\n  hone bench -bench '^%s$' %s\n", file, b.name, target)
	return err
}

// A skeleton is the benchmark of a function that is to be written.
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
		return nil, fmt.Errorf("%s: no Go files there", dir)
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
			of := receiverName(fn)
			switch {
			case strings.HasSuffix(file, "_test.go"):
				if fn.Recv == nil && fn.Name.Name == b.name {
					return nil, fmt.Errorf("%s is there already: %s", b.name, b.fset.Position(fn.Pos()))
				}
			case of == receiver && fn.Name.Name == name && b.fn == nil:
				b.fn, b.pkg, b.imports = fn, parsed.Name.Name, parsed.Imports
			case fn.Name.Name == name || strings.EqualFold(fn.Name.Name, name):
				known = append(known, strings.TrimPrefix(of+"."+fn.Name.Name, "."))
			}
		}
	}
	switch {
	case b.fn == nil && len(known) > 0:
		slices.Sort(known)
		return nil, fmt.Errorf("%s: no function %s there; did you mean %s?", dir, function, strings.Join(slices.Compact(known), " or "))
	case b.fn == nil:
		return nil, fmt.Errorf("%s: no function %s there (write a method as Type.Method)", dir, function)
	case isGeneric(b.fn):
		return nil, fmt.Errorf("%s: %s has type parameters: write its benchmark for the types that matter", b.fset.Position(b.fn.Pos()), function)
	}
	return b, nil
}

func exported(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func receiverType(fn *ast.FuncDecl) ast.Expr {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return nil
	}
	t := fn.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.ParenExpr:
			t = of.X
		default:
			return t
		}
	}
}

func receiverName(fn *ast.FuncDecl) string {
	switch t := receiverType(fn).(type) {
	case *ast.Ident:
		return t.Name
	case *ast.IndexExpr: // T[K]
		return t.X.(*ast.Ident).Name
	case *ast.IndexListExpr:
		return t.X.(*ast.Ident).Name
	}
	return ""
}

func isGeneric(fn *ast.FuncDecl) bool {
	t := receiverType(fn)
	_, plain := t.(*ast.Ident)
	return fn.Type.TypeParams != nil || t != nil && !plain
}

// source returns the file: variables for the receiver and the arguments, and a loop
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
		name, err := declare(name, "receiver", receiverType(b.fn))
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

// importName returns the name that a file uses for a package. Without an explicit name it
// is the last element of the import path that is not a version.
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
