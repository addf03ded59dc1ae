package code

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// A Package has the syntax, the types and the text of a package.
type Package struct {
	Path      string
	Fset      *token.FileSet
	Files     []*ast.File
	Types     *types.Package
	Info      *types.Info
	Sizes     types.Sizes
	GoVersion string            // the go line of its module, "go1.24"; "" if unknown
	Texts     map[string][]byte // what is in Files, by file name, and the originals of copies

	inspector *inspector.Inspector
	uses      map[types.Object][]*ast.Ident
	names     *nameSet // nil until a rewrite needs a new one
	memo      map[any]any
}

// AtLeast reports whether the module's go line allows what came with a version. A single file may be
// restricted to an older version: see Place.AtLeast.
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

// Uses returns the identifiers that refer to an object anywhere in the package, without its
// declaration.
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

// Memo returns the result of compute for a key, and computes it only once. Keys are comparable, of
// types that the caller declares.
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

// Source returns the source text of a node.
func (p *Package) Source(n ast.Node) string { return p.Text(n.Pos(), n.End()) }

// Line returns the line that a position is on.
func (p *Package) Line(pos token.Pos) int { return p.Fset.Position(pos).Line }

// LineStart returns the start of a line of a file, by the number that Line has for it.
func (p *Package) LineStart(f *ast.File, line int) token.Pos {
	tf := p.Fset.File(f.FileStart)
	for at := line; at < tf.LineCount(); at++ { // in a copy, there are lines above
		if pos := tf.LineStart(at); tf.Line(pos) == line {
			return pos
		}
	}
	return tf.LineStart(min(line, tf.LineCount()))
}

// Name returns the name of the file that a person would change. If it isn't the one that was read, that is a copy that
// cgo has made, whose positions are those of the original.
func (p *Package) Name(f *ast.File) (name string, copied bool) {
	name = p.Fset.Position(f.Package).Filename
	return name, name != p.Fset.File(f.FileStart).Name()
}

// Callee returns the name of the called function, as go/types writes it; "" if that is only known at
// run time.
func (p *Package) Callee(call *ast.CallExpr) string {
	switch f := typeutil.Callee(p.Info, call).(type) {
	case *types.Func:
		return f.Origin().FullName()
	case *types.Builtin:
		return f.Name()
	}
	return ""
}

// File returns the syntax of a file, by its absolute name or that of its copy; nil if the package doesn't have it.
func (p *Package) File(name string) *ast.File {
	i := slices.IndexFunc(p.Files, func(f *ast.File) bool {
		original, _ := p.Name(f)
		return original == name || p.Fset.File(f.FileStart).Name() == name
	})
	if i < 0 {
		return nil
	}
	return p.Files[i]
}

// A nameSet has the names that the files of a package use, including files that aren't built here:
// tests, and files for other systems or with other build tags.
type nameSet struct {
	declared  map[string]bool // at package level
	imported  map[string]bool // by some file
	mentioned map[string]bool // in any way
}
