package differ

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// An exported function or method that may be called.
type exported struct {
	name   string // "Join", "Tree.Get"
	expr   string // in the program: "p.Join[int]", "(*p.Tree).Get"
	target bool   // it reaches what changed
}

// callable are the exported functions and methods of a package that only compute, by name.
func callable(x *index, p *packages.Package, changed Changed, pure func(pkg string) bool) []exported {
	var all []exported
	add := func(fn *types.Func, name, expr string) {
		u, _ := useOf(fn)
		reached := x.reached(u.name)
		for _, r := range reached {
			if !x.module[r.pkg] && !harmless(r, pure) {
				return
			}
		}
		target := changed.Whole || slices.ContainsFunc(changed.Functions, func(name string) bool {
			_, ok := reached[name]
			return ok || name == u.name
		})
		all = append(all, exported{name, expr, target})
	}
	scope := p.Types.Scope()
	for _, name := range scope.Names() { // sorted
		o := scope.Lookup(name)
		if !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.Func:
			if args, ok := instance(o.Signature().TypeParams()); ok && possible(o.Signature()) {
				add(o, name, "p."+name+args)
			}
		case *types.Var:
			if of := namedOf(o.Type()); of != nil && of.Obj().Pkg() == p.Types && !types.IsInterface(of) {
				all = append(all, exported{name, "of(p." + name + ")", false})
			}
		case *types.TypeName:
			named, ok := o.Type().(*types.Named)
			if !ok || o.IsAlias() || types.IsInterface(named) {
				continue
			}
			args, ok := instance(named.TypeParams())
			if !ok {
				continue
			}
			for m := range named.Methods() {
				if !m.Exported() || !possible(m.Signature()) {
					continue
				}
				expr := "p." + name + args
				if _, ok := m.Signature().Recv().Type().(*types.Pointer); ok {
					expr = "(*" + expr + ")"
				}
				add(m, name+"."+m.Name(), expr+"."+m.Name())
			}
		}
	}
	return withMade(p, all)
}

// withMade makes the methods of those types targets that a target returns: what is wrong in a value shows in what its methods say.
func withMade(p *packages.Package, all []exported) []exported {
	made := make(map[string]bool)
	for _, f := range all {
		if fn, ok := p.Types.Scope().Lookup(f.name).(*types.Func); ok && f.target {
			for v := range fn.Signature().Results().Variables() {
				if of := namedOf(v.Type()); of != nil && of.Obj().Pkg() == p.Types {
					made[of.Obj().Name()] = true
				}
			}
		}
	}
	for i, f := range all {
		if of, _, ok := strings.Cut(f.name, "."); ok && made[of] {
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

// instance are type arguments that satisfy constraints: "[int, string]", or "" if there are no parameters.
func instance(params *types.TypeParamList) (string, bool) {
	if params.Len() == 0 {
		return "", true
	}
	var names []string
	for p := range params.TypeParams() {
		constraint, ok := p.Constraint().Underlying().(*types.Interface)
		if !ok {
			return "", false
		}
		i := slices.IndexFunc(basics, func(k types.BasicKind) bool { return types.Satisfies(types.Typ[k], constraint) })
		if i < 0 {
			return "", false
		}
		names = append(names, types.Typ[basics[i]].Name())
	}
	return "[" + strings.Join(names, ", ") + "]", true
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
