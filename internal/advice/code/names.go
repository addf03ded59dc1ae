package code

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

// Declares reports whether any file of the package, including tests and files with other build tags,
// declares a name at package level.
func (p *Package) Declares(name string) bool {
	return p.Types.Scope().Lookup(name) != nil || p.allNames().declared[name]
}

// Unused returns a name based on want that no file of the package declares at package level or uses
// for an import, and that the file of a position doesn't mention.
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

// Unmentioned returns a name based on want that no file of the package mentions in any way, including tests and
// files with other build tags: a type may then have a method or field of that name.
func (p *Package) Unmentioned(want string) string {
	for i := 1; ; i++ {
		name := want
		if i > 1 {
			name += strconv.Itoa(i)
		}
		if !token.IsKeyword(name) && types.Universe.Lookup(name) == nil && !p.Declares(name) && !p.allNames().imported[name] && !p.allNames().mentioned[name] {
			return name
		}
	}
}

// allNames also reads the files of the package's folder that aren't built here. It does so once, when
// a rewrite first needs a name.
func (p *Package) allNames() *nameSet {
	if p.names != nil {
		return p.names
	}
	p.names = &nameSet{make(map[string]bool), make(map[string]bool), make(map[string]bool)}
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
		// The names that can be parsed in a file with mistakes are better than none.
		if f, _ := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution); f != nil && f.Name != nil && f.Name.Name == p.Types.Name() {
			p.names.add(f)
		}
	}
	return p.names
}

func (s *nameSet) add(f *ast.File) {
	for n := range ast.Preorder(f) {
		if id, ok := n.(*ast.Ident); ok {
			s.mentioned[id.Name] = true
		}
	}
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
