package advice

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// compiles checks the types of the package with other texts of some of its files, whose
// changes nothing but their functions and new names can see: of the other files the bodies are
// left out. Of what it imports the types are those that are known already; what is used of a
// package that nothing here has imported so far isn't checked.
func (p *Package) compiles(changes []FileChange) error {
	if p.bare == nil {
		for _, f := range p.Files {
			p.bare = append(p.bare, withoutBodies(f))
		}
	}
	files := slices.Clone(p.bare)
	var changed []*ast.File
	defer func() {
		for _, f := range changed {
			p.Fset.RemoveFile(p.Fset.File(f.FileStart))
		}
	}()
	for _, c := range changes {
		if c.New {
			continue
		}
		f, err := parser.ParseFile(p.Fset, c.File, c.After, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		changed = append(changed, f)
		i := slices.Index(p.Files, p.File(c.File))
		if i < 0 {
			return errNotBuilt
		}
		files[i] = f
	}
	return p.typeCheck(files, changed)
}

// typeCheck returns the first type error in files that changed, of a package in which other functions lack bodies.
func (p *Package) typeCheck(files, changed []*ast.File) error {
	known := imported(p.Types.Imports())
	unknown := map[token.Pos]bool{} // imports that fail
	in := map[*token.File]bool{}
	for _, f := range changed {
		if err := p.redeclared(f); err != nil {
			return err
		}
		in[p.Fset.File(f.FileStart)] = true
		for _, spec := range f.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && known.find(path) == nil {
				unknown[spec.Path.Pos()] = true
			}
		}
	}
	var first error
	config := types.Config{
		GoVersion: p.GoVersion, Sizes: p.Sizes, Importer: known,
		Error: func(err error) {
			at := err.(types.Error).Pos
			switch {
			case !in[p.Fset.File(at)]:
				// Elsewhere, what is used in bodies alone is not used, and functions have to have one.
			case unknown[at]:
			case first == nil:
				first = err
			}
		},
	}
	config.Check(p.Path, p.Fset, files, nil) // its error is the first, too
	return first
}

// redeclared returns an error if a file declares a name that another file of the package
// has, too.
func (p *Package) redeclared(f *ast.File) error {
	name := p.Fset.File(f.FileStart).Name()
	for _, id := range declarations(f) {
		o := p.Types.Scope().Lookup(id.Name)
		if o == nil {
			continue
		}
		if other := p.Fset.File(o.Pos()); other != nil && other.Name() != name {
			return types.Error{Fset: p.Fset, Pos: id.Pos(), Msg: id.Name + " redeclared: " + p.Fset.Position(o.Pos()).String() + " has it"}
		}
	}
	return nil
}

// declarations returns the names that a file declares in its package.
func declarations(f *ast.File) (names []*ast.Ident) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name)
				case *ast.ValueSpec:
					names = append(names, spec.Names...)
				}
			}
		}
	}
	return names
}

// withoutBodies is a file whose functions have none, which takes a fraction of the time to
// check.
func withoutBodies(f *ast.File) *ast.File {
	bare := *f
	bare.Decls = slices.Clone(f.Decls)
	for i, d := range bare.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			head := *fn
			head.Body = nil
			bare.Decls[i] = &head
		}
	}
	return &bare
}

var errNotImported = errors.New("not among what is imported so far")

// imported are the packages that a package imports.
type imported []*types.Package

// Import returns one of them.
func (packages imported) Import(path string) (*types.Package, error) {
	if p := packages.find(path); p != nil {
		return p, nil
	}
	return nil, errNotImported
}

// find returns one of them, or nil.
func (packages imported) find(path string) *types.Package {
	if path == "unsafe" {
		return types.Unsafe
	}
	i := slices.IndexFunc(packages, func(p *types.Package) bool { return p.Path() == path })
	if i < 0 {
		return nil
	}
	return packages[i]
}
