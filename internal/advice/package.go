package advice

import (
	"context"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/infile"
)

// A Package is a hot package, with results of the compiler and of analyzers.
type Package struct {
	Path      string
	Fset      *token.FileSet
	Files     []*ast.File
	Types     *types.Package
	Info      *types.Info
	Sizes     types.Sizes
	GoVersion string      // the go line of its module, "go1.24"; "" if unknown
	Toolchain string      // "go1.26.1"; "" if unknown
	Says      Diagnostics // nil if the compiler was not asked

	inspector *inspector.Inspector
	analyzed  map[*analysis.Analyzer]*analyzed
	bare      []*ast.File // Files, where functions have no bodies
	uses      map[types.Object][]*ast.Ident
	Texts     map[string][]byte // of files, by name
	names     *nameSet          // nil until a rewrite needs a new one
	memo      map[any]any
}

// AtLeast reports whether the module's go line allows what came with a version. A single file may
// be held to an older one: ask its Site.
func (p *Package) AtLeast(v string) bool {
	return p.GoVersion == "" || version.Compare(p.GoVersion, "go"+v) >= 0
}

// Root is a cursor over all files.
func (p *Package) Root() inspector.Cursor {
	if p.inspector == nil {
		p.inspector = inspector.New(p.Files)
	}
	return p.inspector.Root()
}

// Uses returns the identifiers that refer to an object anywhere in the package,
// the one that declares it not among them.
func (p *Package) Uses(obj types.Object) []*ast.Ident {
	if p.uses == nil {
		p.uses = make(map[types.Object][]*ast.Ident)
		for id, o := range p.Info.Uses {
			p.uses[o] = append(p.uses[o], id)
		}
		for _, ids := range p.uses {
			slices.SortFunc(ids, func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
		}
	}
	return p.uses[obj]
}

// Memo returns what compute returns for a key, and computes it once. Keys are comparable, of types that
// the asker declares.
func Memo[T any](p *Package, key any, compute func() T) T {
	if v, ok := p.memo[key]; ok {
		return v.(T)
	}
	v := compute()
	if p.memo == nil {
		p.memo = make(map[any]any)
	}
	p.memo[key] = v
	return v
}

// Text returns the source between two positions.
func (p *Package) Text(from, to token.Pos) string {
	f := p.Fset.File(from)
	text := p.Texts[f.Name()]
	a, b := f.Offset(from), f.Offset(to)
	if b > len(text) {
		return ""
	}
	return string(text[a:b])
}

// Source returns a node as it is written.
func (p *Package) Source(n ast.Node) string { return p.Text(n.Pos(), n.End()) }

// Line returns the line that a position is on.
func (p *Package) Line(pos token.Pos) int { return p.Fset.Position(pos).Line }

// Callee names the function that a call is of, as go/types does; "" if that isn't
// known before it runs.
func (p *Package) Callee(call *ast.CallExpr) string {
	switch f := typeutil.Callee(p.Info, call).(type) {
	case *types.Func:
		return f.Origin().FullName()
	case *types.Builtin:
		return f.Name()
	}
	return ""
}

// spread reports whether a call's arguments are the results of another call.
func (p *Package) spread(call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	_, several := p.Info.TypeOf(call.Args[0]).(*types.Tuple)
	return several
}

// analyzed is the result of an analyzer in a package.
type analyzed struct {
	diagnostics []analysis.Diagnostic
	result      any
	err         error
}

var errNotBuilt = errors.New("isn't part of the package in this build")

// NewPackage is of files that are checked already, for rules alone.
func NewPackage(p Package, texts map[string][]byte) *Package {
	p.Texts = texts
	return &p
}

func (p *Package) read(files []string) error {
	p.Texts = make(map[string][]byte)
	for _, name := range files {
		text, err := infile.ReadFile(context.Background(), name, infile.MaxSource)
		if err != nil {
			return err
		}
		p.Texts[name] = text
	}
	return nil
}

// File returns the syntax of a file, by its absolute name.
func (p *Package) File(name string) *ast.File {
	i := slices.IndexFunc(p.Files, func(f *ast.File) bool { return p.Fset.File(f.FileStart).Name() == name })
	if i < 0 {
		return nil
	}
	return p.Files[i]
}

// A nameSet is what the files of a package call things by, those that aren't built here among
// them: tests, and files for other systems or with other build tags.
type nameSet struct {
	declared map[string]bool // at package level
	imported map[string]bool // by some file
}
