package advice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/hone-go/hone/internal/infile"
)

// source is what was loaded of the user's packages.
type source struct {
	files      map[string]*Package // by absolute name
	packages   []*Package
	unexamined []string
}

// noGoLine is the language version of a module whose go.mod has no go line.
const noGoLine = "1.16"

// load reads and checks the packages in some folders. Of what they import it reads
// the compiler's export data, not the source.
func load(ctx context.Context, dir, toolchain string, flags, dirs []string) (*source, error) {
	s := &source{files: make(map[string]*Package)}
	if len(dirs) == 0 {
		return s, nil
	}
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, BuildFlags: append([]string{"-buildvcs=false"}, flags...), // or else it runs git
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}, dirs...)
	if err != nil {
		return nil, fmt.Errorf("reading packages: %w", err)
	}
	for _, l := range loaded {
		if len(l.Errors) > 0 {
			s.unexamined = append(s.unexamined, fmt.Sprintf("%s: %v", l.PkgPath, l.Errors[0]))
			continue
		}
		p := &Package{Path: l.PkgPath, Fset: l.Fset, Files: l.Syntax, Types: l.Types, Info: l.TypesInfo, Sizes: l.TypesSizes, Toolchain: toolchain}
		if l.Module != nil {
			p.GoVersion = "go" + cmp.Or(l.Module.GoVersion, noGoLine)
		}
		if err := p.read(l.CompiledGoFiles); err != nil {
			return nil, err
		}
		for _, name := range l.CompiledGoFiles {
			s.files[name] = p
		}
		s.packages = append(s.packages, p)
	}
	return s, nil
}

// NewPackage is of files that are checked already, for rules alone.
func NewPackage(p Package, texts map[string][]byte) *Package {
	p.texts = texts
	return &p
}

func (p *Package) read(files []string) error {
	p.texts = make(map[string][]byte)
	for _, name := range files {
		text, err := infile.ReadFile(context.Background(), name, infile.MaxSource)
		if err != nil {
			return err
		}
		p.texts[name] = text
	}
	return nil
}

// fileOf returns the syntax of a file, by its absolute name.
func (p *Package) fileOf(name string) *ast.File {
	i := slices.IndexFunc(p.Files, func(f *ast.File) bool { return p.Fset.File(f.FileStart).Name() == name })
	if i < 0 {
		return nil
	}
	return p.Files[i]
}

var (
	errNotBuilt = errors.New("is not part of the package as it is built here")
	errMoved    = errors.New("is not the source that the profile is of: measure again")
	errOnce     = errors.New("runs once, when the package is initialized: no rule is for that")
)

// site finds the syntax of a hot line. A function is known by its first line, or, if
// the file has changed since, by its name, and the line by its distance from there.
func (p *Package) site(h *hot, e *evidence) (*Site, error) {
	file := p.fileOf(h.file)
	if file == nil {
		return nil, errNotBuilt
	}
	root, ok := p.Root().FindNode(file)
	if !ok {
		return nil, errNotBuilt
	}
	s := &Site{Package: p, File: file, hot: h, seen: e, Line: int(h.line)}
	names := parseName(h.function)
	var named, begun inspector.Cursor
	for c := range root.Preorder((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		n := c.Node()
		first, last := p.Line(n.Pos()), p.Line(n.End())
		decl, _ := n.(*ast.FuncDecl)
		if decl != nil {
			first = p.Line(decl.Type.Func)
		}
		inside := names.inside && (decl != nil) == (names.closure == "") && first <= s.Line
		if (h.startLine != 0 && int64(first) == h.startLine || inside) && s.Line <= last && names.within(c) {
			begun = c // of several on one line the innermost
		}
		if decl != nil && names.closure == "" && names.is(decl) && !names.initializes() {
			named = c
		}
	}
	switch {
	case begun.Valid():
		s.Func = begun
	case named.Valid() && !names.inside:
		s.Func = named
		first, last := p.Line(named.Node().(*ast.FuncDecl).Type.Func), p.Line(named.Node().End())
		if h.startLine != 0 {
			s.Line += first - int(h.startLine)
		}
		if s.Line < first || s.Line > last {
			return nil, errMoved
		}
	case names.initializes():
		return nil, errOnce
	default:
		return nil, errMoved
	}
	if d, ok := s.Func.Node().(*ast.FuncDecl); ok {
		s.Decl = d
	} else {
		for c := range s.Func.Enclosing((*ast.FuncDecl)(nil)) {
			s.Decl = c.Node().(*ast.FuncDecl)
		}
	}
	return s, nil
}

// A funcName is a function's name as profiles have it, in parts.
type funcName struct {
	receiver string   // type without * and type arguments
	name     string   // of the declared function
	closure  string   // "func1.2", "func1"; "" for the function itself
	all      []string // elements, where an inlined closure has names of several functions
	// inside is set for what the compiler makes of a statement in the function: the
	// body of a loop over a function, "f-range1", and the call of a defer or go
	// statement, "f.deferwrap1". It begins where the statement does.
	inside bool
}

// parseName takes "pkg/path.(*T[...]).Method.func1" apart.
func parseName(full string) funcName {
	if i := strings.LastIndexByte(cutTypeArguments(full), '/'); i >= 0 {
		full = cutTypeArguments(full)[i+1:]
	} else {
		full = cutTypeArguments(full)
	}
	_, rest, _ := strings.Cut(full, ".")
	var f funcName
	rest = strings.TrimSuffix(rest, "-fm")
	rest, _, f.inside = strings.Cut(rest, "-range")
	if i := strings.LastIndexByte(rest, '.'); i > 0 && isWrapper(rest[i+1:]) {
		rest, f.inside = rest[:i], true
	}
	if r, ok := strings.CutPrefix(rest, "("); ok {
		f.receiver, rest, _ = strings.Cut(r, ").")
		f.receiver = strings.TrimPrefix(f.receiver, "*")
	}
	f.all = strings.Split(rest, ".")
	f.name = f.all[0]
	f.closure = strings.Join(f.all[1:], ".")
	if f.receiver == "" && f.closure != "" && !isClosure(f.all[1]) { // a method of a value: T.Method
		f.receiver, f.name = f.all[0], f.all[1]
		f.closure = strings.Join(f.all[2:], ".")
	}
	return f
}

// declared is the declaration that the function is of: "Type.Method" or "function".
func (f *funcName) declared() string { return strings.TrimPrefix(f.receiver+"."+f.name, ".") }

// cutTypeArguments removes what is in brackets, which may have slashes and dots.
func cutTypeArguments(name string) string {
	if !strings.Contains(name, "[") {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// isClosure reports whether an element of a name is the compiler's for a literal.
func isClosure(element string) bool {
	if digits, ok := strings.CutPrefix(element, "func"); ok && digits != "" && strings.Trim(digits, "0123456789-range") == "" {
		return true
	}
	return isWrapper(element) || element != "" && strings.Trim(element, "0123456789") == ""
}

// isWrapper reports whether an element of a name is the compiler's for the call of a
// defer or go statement.
func isWrapper(element string) bool {
	for _, prefix := range []string{"gowrap", "deferwrap"} {
		if digits, ok := strings.CutPrefix(element, prefix); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return true
		}
	}
	return false
}

func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func (f funcName) is(d *ast.FuncDecl) bool {
	return d.Name.Name == f.name && receiverName(d) == f.receiver
}

// initializes reports whether a function is what the compiler makes of a package's
// variables, "init" and "map.init.0", or an init function, "init.0".
func (f funcName) initializes() bool {
	return f.name == "init" && (f.receiver == "" || f.receiver == "map") && strings.Trim(f.closure, "0123456789") == ""
}

// within reports whether a function may have the name: a declared one must have it,
// a literal lie in one that does, or, as an inlined one carries the names of those
// it was inlined into, in one that the name has anywhere.
func (f funcName) within(c inspector.Cursor) bool {
	if d, ok := c.Node().(*ast.FuncDecl); ok {
		return f.is(d) || f.name == "init" && d.Name.Name == "init"
	}
	for outer := range c.Enclosing((*ast.FuncDecl)(nil)) {
		d := outer.Node().(*ast.FuncDecl)
		return f.is(d) || slices.Contains(f.all, d.Name.Name)
	}
	return f.name == "init" || f.name == "glob" || f.name == "" // a variable's value
}
