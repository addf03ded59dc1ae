package differ

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// An exported function or method that may be called.
type exported struct {
	name    string // "Join", "Tree.Get"
	expr    string // in the program: "p.Join[int]", "(*p.Tree).Get"
	target  bool   // it reaches what changed
	changed bool   // it has changed itself
}

// A listing collects the functions and methods of a package that only compute.
type listing struct {
	x       *index
	p       *packages.Package
	changed Changed
	pure    func(pkg string) bool
	all     []exported
}

// callable are the exported functions and methods of a package that only compute, by name.
func callable(x *index, p *packages.Package, changed Changed, pure func(pkg string) bool) []exported {
	l := &listing{x: x, p: p, changed: changed, pure: pure}
	scope := p.Types.Scope()
	for _, name := range scope.Names() { // sorted
		o := scope.Lookup(name)
		if !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.Func:
			l.function(o)
		case *types.Var:
			l.variable(o)
		case *types.TypeName:
			if named, ok := o.Type().(*types.Named); ok && !o.IsAlias() {
				l.methods(named)
			}
		}
	}
	return withMade(p, l.all)
}

// add lists what calls one of some declarations, if all of them only compute.
func (l *listing) add(name, expr string, declarations ...string) {
	target, changed := l.changed.Whole, false
	for _, d := range declarations {
		reached := l.x.reached(d)
		for _, r := range reached {
			if !l.x.module[r.pkg] && !harmless(r, l.pure) {
				return
			}
		}
		target = target || slices.ContainsFunc(l.changed.Functions, func(name string) bool {
			_, ok := reached[name]
			return ok || name == d
		})
		changed = changed || slices.Contains(l.changed.Functions, d)
	}
	l.all = append(l.all, exported{name, expr, target, changed})
}

func (l *listing) function(o *types.Func) {
	if !possible(o.Signature()) {
		return
	}
	u, _ := useOf(o)
	for i, args := range instances(o.Signature().TypeParams(), 3) {
		name := o.Name()
		if i > 0 {
			name += args
		}
		l.add(name, "p."+o.Name()+args, u.name)
	}
	results := o.Signature().Results()
	if results.Len() == 0 || o.Signature().TypeParams().Len() > 0 {
		return
	}
	of := namedOf(results.At(0).Type())
	if of == nil || of.Obj().Pkg() != l.p.Types || of.TypeParams().Len() > 0 || slices.ContainsFunc(l.all, func(f exported) bool { return strings.HasPrefix(f.name, of.Obj().Name()+".") }) {
		return
	}
	set := types.NewMethodSet(results.At(0).Type())
	for s := range set.Methods() {
		m, ok := s.Obj().(*types.Func)
		if !ok || !m.Exported() || !possible(m.Signature()) {
			continue
		}
		switch name := of.Obj().Name() + "." + m.Name(); {
		case types.IsInterface(of) && of.Obj().Exported():
			l.add(name, "p."+name, l.x.named[m.Name()]...)
		case !types.IsInterface(of) && !of.Obj().Exported():
			u, _ := useOf(m)
			l.add(name, fmt.Sprintf("method(p.%s, %q)", o.Name(), m.Name()), u.name)
		}
	}
}

func (l *listing) variable(o *types.Var) {
	if s, ok := o.Type().Underlying().(*types.Signature); ok && possible(s) {
		u, _ := useOf(o)
		l.add(o.Name(), "p."+o.Name(), u.name)
		return
	}
	if of := namedOf(o.Type()); of != nil && of.Obj().Pkg() == l.p.Types && !types.IsInterface(of) {
		l.all = append(l.all, exported{o.Name(), "of(p." + o.Name() + ")", false, false})
	}
}

// methods lists those of a type, also those that it has from embedded types which aren't exported.
func (l *listing) methods(named *types.Named) {
	if types.IsInterface(named) {
		return
	}
	of := named.Obj().Name()
	for i, args := range instances(named.TypeParams(), 2) {
		name := of
		if i > 0 {
			name += args
		}
		set := types.NewMethodSet(types.NewPointer(named))
		for s := range set.Methods() {
			m, ok := s.Obj().(*types.Func)
			if !ok || !m.Exported() || !possible(m.Signature()) {
				continue
			}
			from := receiverOf(m)
			promoted := from == nil || from.Obj() != named.Obj()
			if promoted && (from == nil || from.Obj().Exported() || from.Obj().Pkg() != l.p.Types || types.IsInterface(from)) {
				continue
			}
			expr := "p." + of + args
			if _, ok := m.Signature().Recv().Type().(*types.Pointer); ok || promoted {
				expr = "(*" + expr + ")"
			}
			u, _ := useOf(m)
			l.add(name+"."+m.Name(), expr+"."+m.Name(), u.name)
		}
	}
}

// withMade makes the methods of those types targets that a target returns: what is wrong in a value shows in what its methods say.
func withMade(p *packages.Package, all []exported) []exported {
	made := make(map[string]bool)
	for _, f := range all {
		if fn, ok := p.Types.Scope().Lookup(generic(f.name)).(*types.Func); ok && f.target {
			for v := range fn.Signature().Results().Variables() {
				if of := namedOf(v.Type()); of != nil && of.Obj().Pkg() == p.Types {
					made[of.Obj().Name()] = true
				}
			}
		}
	}
	for i, f := range all {
		if of, _, ok := strings.Cut(f.name, "."); ok && made[generic(of)] {
			all[i].target = true
		}
	}
	return all
}

// possible reports whether arguments can be made, as far as their types tell: a channel would wait.
func possible(s *types.Signature) bool {
	for v := range s.Params().Variables() {
		if _, ok := v.Type().Underlying().(*types.Chan); ok {
			return false
		}
	}
	return true
}

// generic is a name without type arguments.
func generic(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}

// instances are lists of type arguments that satisfy constraints: "[int, string]", or "" if there are no parameters.
func instances(params *types.TypeParamList, most int) (all []string) {
	if params.Len() == 0 {
		return []string{""}
	}
	for shift := range basics {
		if args, ok := instance(params, shift); ok && !slices.Contains(all, args) && len(all) < most {
			all = append(all, args)
		}
	}
	return all
}

// instance chooses an argument for each parameter: a basic type, or what its constraint makes of those of others.
func instance(params *types.TypeParamList, shift int) (string, bool) {
	chosen := make(map[*types.TypeParam]types.Type)
	for before := -1; len(chosen) < params.Len(); {
		if before == len(chosen) {
			return "", false
		}
		before = len(chosen)
		for i := range params.Len() {
			p := params.At(i)
			if constraint, ok := p.Constraint().Underlying().(*types.Interface); ok && chosen[p] == nil {
				if t := satisfying(constraint, chosen, i+shift); t != nil {
					chosen[p] = t
				}
			}
		}
	}
	var names []string
	for p := range params.TypeParams() {
		names = append(names, types.TypeString(chosen[p], nil))
	}
	return "[" + strings.Join(names, ", ") + "]", true
}

func satisfying(constraint *types.Interface, chosen map[*types.TypeParam]types.Type, first int) types.Type {
	if constraint.NumEmbeddeds() == 1 && constraint.NumMethods() == 0 {
		of := constraint.EmbeddedType(0)
		if u, ok := of.(*types.Union); ok && u.Len() == 1 {
			of = u.Term(0).Type()
		}
		switch of.(type) {
		case *types.Slice, *types.Map, *types.Pointer, *types.Array:
			return substituted(of, chosen)
		}
	}
	for k := range basics {
		if t := types.Typ[basics[(first+k)%len(basics)]]; types.Satisfies(t, constraint) {
			return t
		}
	}
	return nil
}

// substituted is a type with arguments in place of parameters, nil if one of them isn't chosen.
func substituted(t types.Type, chosen map[*types.TypeParam]types.Type) types.Type {
	switch t := t.(type) {
	case *types.TypeParam:
		return chosen[t]
	case *types.Basic:
		return t
	case *types.Slice:
		if e := substituted(t.Elem(), chosen); e != nil {
			return types.NewSlice(e)
		}
	case *types.Array:
		if e := substituted(t.Elem(), chosen); e != nil {
			return types.NewArray(e, t.Len())
		}
	case *types.Pointer:
		if e := substituted(t.Elem(), chosen); e != nil {
			return types.NewPointer(e)
		}
	case *types.Map:
		if k, e := substituted(t.Key(), chosen), substituted(t.Elem(), chosen); k != nil && e != nil {
			return types.NewMap(k, e)
		}
	}
	return nil
}

var basics = []types.BasicKind{types.Int, types.String, types.Float64, types.Uint64}

// harmless reports whether an object outside of the module may be used by what is called with any input.
func harmless(u use, pure func(pkg string) bool) bool {
	if !standard(u.pkg) {
		return pure(u.pkg)
	}
	if !Outside(u.pkg) {
		return true
	}
	switch u.name {
	case "os.ErrNotExist", "os.ErrExist", "os.ErrInvalid", "os.FileMode", "os.FileInfo", "os.PathError", "os.Getenv", "os.LookupEnv", "os.IsNotExist", "os.Getpagesize",
		"os.Stderr", "os.Stdout", "os.Exit", "io/ioutil.Discard", "io/ioutil.ReadAll", "io/ioutil.NopCloser",
		"net.IP", "net.IPNet", "net.IPMask", "net.ParseIP", "net.ParseCIDR", "net.CIDRMask", "net.IPv4", "net.IPv4len", "net.IPv6len", "net.HardwareAddr":
		return true
	}
	return strings.HasPrefix(u.name, "net.IP") // methods, which compute
}

// standard reports whether a package is one of the standard library.
func standard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".")
}

// Outside reports whether a package of the standard library acts on files, processes or the network.
func Outside(pkg string) bool {
	switch pkg {
	case "net/netip", "net/url", "net/mail", "net/textproto", "testing/iotest":
		return false
	case "syscall", "plugin", "io/ioutil", "log/syslog", "testing", "runtime/debug", "database/sql", "flag":
		return true
	}
	first, _, _ := strings.Cut(pkg, "/")
	return first == "os" || first == "net"
}
