package advice

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// Declares reports whether some file of the package declares a name at package level, whatever its
// build tags are; tests are files of the package, too.
func (p *Package) Declares(name string) bool {
	return p.Types.Scope().Lookup(name) != nil || p.allNames().declared[name]
}

// Unused returns a name like the one wanted that no file of the package has at package level or
// for a package it imports, and that isn't mentioned in the file of a position.
func (p *Package) Unused(want string, at token.Pos) string {
	for i := 1; ; i++ {
		name := want
		if i > 1 {
			name += strconv.Itoa(i)
		}
		if !p.taken(name, at) {
			return name
		}
	}
}

func (p *Package) taken(name string, at token.Pos) bool {
	if token.IsKeyword(name) || types.Universe.Lookup(name) != nil || p.Declares(name) || p.allNames().imported[name] {
		return true
	}
	for _, f := range p.Files {
		if scope := p.Info.Scopes[f]; scope != nil && scope.Lookup(name) != nil {
			return true // imported, maybe by a dot
		}
		if at < f.FileStart || f.FileEnd <= at {
			continue
		}
		for n := range ast.Preorder(f) {
			if id, ok := n.(*ast.Ident); ok && id.Name == name {
				return true
			}
		}
	}
	return false
}

// allNames reads the files of the package's folder that aren't built here. It does so once, when a
// rewrite first needs a name.
func (p *Package) allNames() *nameSet {
	if p.names != nil {
		return p.names
	}
	p.names = &nameSet{make(map[string]bool), make(map[string]bool)}
	for _, f := range p.Files {
		p.names.add(f)
	}
	if len(p.Files) == 0 {
		return p.names
	}
	dir := filepath.Dir(p.Fset.File(p.Files[0].FileStart).Name())
	entries, err := os.ReadDir(dir)
	if err != nil {
		return p.names
	}
	fset := token.NewFileSet()
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if p.Texts[name] != nil || !e.Type().IsRegular() || filepath.Ext(name) != ".go" {
			continue
		}
		// What can be parsed of a file with mistakes is better than nothing.
		if f, _ := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution); f != nil && f.Name != nil && f.Name.Name == p.Types.Name() {
			p.names.add(f)
		}
	}
	return p.names
}

func (s *nameSet) add(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				s.declared[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					s.declared[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						s.declared[id.Name] = true
					}
				}
			}
		}
	}
	for _, spec := range f.Imports {
		if spec.Name != nil {
			s.imported[spec.Name.Name] = true
			continue
		}
		p, _ := strconv.Unquote(spec.Path.Value)
		base := path.Base(p)
		if majorVersion.MatchString(base) { // of math/rand/v2, as a rule
			s.imported[path.Base(path.Dir(p))] = true
		}
		name, _, _ := strings.Cut(base, ".") // of gopkg.in/yaml.v3
		s.imported[base], s.imported[name] = true, true
	}
}

var majorVersion = lazyregexp.New(`^v[0-9]+$`)
