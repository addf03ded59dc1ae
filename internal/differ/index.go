package differ

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// An index says what declarations of the module use: functions, types and variables, of the module and of others. Packages are
// read one by one, so names stand for objects.
type index struct {
	uses    map[string][]use
	module  map[string]bool     // packages that were read
	dynamic map[string]bool     // names of methods that interfaces have
	named   map[string][]string // methods by their names without the type
}

// A use is of a package-level object, or of a method.
type use struct{ pkg, name string }

func newIndex(loaded []*packages.Package) *index {
	x := &index{make(map[string][]use), make(map[string]bool), make(map[string]bool), make(map[string][]string)}
	for _, name := range usual {
		x.dynamic[name] = true
	}
	for _, p := range loaded {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if t, ok := n.(*ast.InterfaceType); ok {
					for _, m := range t.Methods.List {
						for _, name := range m.Names {
							x.dynamic[name.Name] = true
						}
					}
				}
				return true
			})
		}
	}
	for _, p := range loaded {
		x.module[p.PkgPath] = true
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				x.add(p, d)
			}
		}
	}
	return x
}

// usual are names of methods that interfaces of other modules have.
var usual = []string{
	"String", "GoString", "Error", "Format", "Scan", "Value", "Is", "As", "Unwrap", "Len", "Less", "Swap", "Push", "Pop", "Sum", "Reset", "Size", "BlockSize",
	"Read", "ReadByte", "ReadRune", "ReadAt", "ReadFrom", "Write", "WriteByte", "WriteString", "WriteAt", "WriteTo", "Seek", "Close", "Flush", "Open", "Stat",
	"MarshalText", "MarshalJSON", "MarshalBinary", "UnmarshalText", "UnmarshalJSON", "UnmarshalBinary", "GobEncode", "GobDecode", "Done", "Err", "Lock", "Unlock",
	"At", "Bounds", "ColorModel", "RGBA", "Set", "Int63", "Uint64", "Seed", "ServeHTTP",
}

// add notes what a declaration uses. A type uses those of its methods that may be called through an interface.
func (x *index) add(p *packages.Package, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		fn, ok := p.TypesInfo.Defs[d.Name].(*types.Func)
		if !ok {
			return
		}
		u, _ := useOf(fn)
		x.collect(p, u.name, d)
		if d.Recv != nil {
			x.named[fn.Name()] = append(x.named[fn.Name()], u.name)
		}
		if of := receiverOf(fn); of != nil && x.dynamic[fn.Name()] {
			key := Name(p.PkgPath, of.Obj().Name())
			x.uses[key] = append(x.uses[key], u)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					x.collect(p, Name(p.PkgPath, name.Name), s)
				}
			case *ast.TypeSpec:
				x.collect(p, Name(p.PkgPath, s.Name.Name), s)
			}
		}
	}
}

func (x *index) collect(p *packages.Package, key string, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if u, ok := useOf(p.TypesInfo.Uses[id]); ok && u.name != key {
				x.uses[key] = append(x.uses[key], u)
			}
		}
		return true
	})
}

// useOf names an object, if it is one of a package or a method.
func useOf(o types.Object) (use, bool) {
	if o == nil || o.Pkg() == nil {
		return use{}, false
	}
	path := o.Pkg().Path()
	if fn, ok := o.(*types.Func); ok {
		if of := receiverOf(fn); of != nil {
			return use{path, Name(path, of.Obj().Name()+"."+fn.Name())}, true
		}
		if fn.Signature().Recv() != nil {
			return use{path, Name(path, "?."+fn.Name())}, true // of an interface without a name
		}
	}
	if o.Parent() != o.Pkg().Scope() {
		if _, ok := o.(*types.Func); !ok {
			return use{}, false
		}
	}
	return use{path, Name(path, o.Name())}, true
}

// receiverOf is the type that a method belongs to, nil for a function.
func receiverOf(fn *types.Func) *types.Named {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	return namedOf(recv.Type())
}

// namedOf is a named type, also behind a pointer.
func namedOf(t types.Type) *types.Named {
	of := types.Unalias(t)
	if p, ok := of.(*types.Pointer); ok {
		of = types.Unalias(p.Elem())
	}
	named, _ := of.(*types.Named)
	return named
}

// reached is what a declaration uses, directly or through others of the module.
func (x *index) reached(key string) map[string]use {
	all := make(map[string]use)
	for next := x.uses[key]; len(next) > 0; {
		u := next[len(next)-1]
		next = next[:len(next)-1]
		if _, ok := all[u.name]; ok {
			continue
		}
		all[u.name] = u
		next = append(next[:len(next):len(next)], x.uses[u.name]...)
	}
	return all
}
