package samecode

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// Before a benchmark, every package of its program is initialized. What a benchmark can
// notice of that is what the initializers leave behind: the values of variables, and the
// state of packages and of the process.
//
// An initializer is confined if all it can reach is code in sight, variables of its own
// package, and functions of the standard library that leave nothing behind. A benchmark
// notices a confined initializer only through these variables. So, if one changed, the
// variables that it can reach are tainted, and so are those of initializers of its package
// that share a tainted one, which may have made both refer to the same memory. A
// benchmark that can reach a tainted variable runs changed code.
//
// Any other initializer may do anything. Such initializers run for every benchmark: all of
// them must be the same, in the same order.
//
// The task of a package (..inittask) lists its initializers, and the tasks of the packages
// that it imports. The latter only decide the order, which matters between packages whose
// initializers are not confined.

const taskSuffix = "..inittask<0>"

// task returns the initializers of a unit in the order in which they run, and the tasks
// that run before.
func (p *program) task(u *unit) (initializers, before []int32) {
	name := p.names.find(u.prefix + taskSuffix)
	for _, s := range u.symbols[name] {
		for _, r := range s.refs {
			if strings.HasSuffix(p.names.text[r], taskSuffix) {
				before = append(before, r)
			} else {
				initializers = append(initializers, r)
			}
		}
	}
	return initializers, before
}

// An initialization is what is known of the initializers of a side.
type initialization struct {
	confined map[int32][]*symbol // by name, the variables that each one can reach
	others   map[string][]int32  // by path of the unit, in order
}

func (p *program) initializationOf(s int) initialization {
	in := initialization{make(map[int32][]*symbol), make(map[string][]int32)}
	for _, u := range p.units[s] {
		initializers, _ := p.task(u)
		for _, name := range initializers {
			if variables, ok := p.confines(s, u, name); ok {
				in.confined[name] = variables
			} else {
				in.others[u.path] = append(in.others[u.path], name)
			}
		}
	}
	return in
}

// confines returns the variables that an initializer can reach, if it is confined.
func (p *program) confines(s int, u *unit, initializer int32) (variables []*symbol, ok bool) {
	seen, todo := map[int32]bool{initializer: true}, []int32{initializer}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		text := p.names.text[name]
		if len(p.defs[s][name]) == 0 && !leavesNothing(text) {
			return nil, false
		}
		for _, d := range p.defs[s][name] {
			if d.variable {
				if !strings.HasPrefix(text, u.prefix+".") {
					return nil, false
				}
				variables = append(variables, d)
			}
			for _, r := range d.refs {
				if !seen[r] {
					seen[r] = true
					todo = append(todo, r)
				}
			}
		}
	}
	return variables, true
}

// taint marks the variables that changed confined initializers can reach, and pairs up the
// other confined initializers, with their variables.
func (p *program) taint(in [2]initialization) {
	variables := make(map[int32][]*symbol) // by initializer, of both sides
	changed := make(map[int32]bool)
	for s := range in {
		for name, own := range in[s].confined {
			variables[name] = append(variables[name], own...)
			if _, both := in[1-s].confined[name]; !both {
				changed[name] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(variables))
	for again := true; again; {
		p.pairs = newPairs()
		p.pairs.tainted = spread(variables, changed)
		again = false
		for _, name := range names {
			if !changed[name] && !p.same(name) {
				changed[name], again = true, true
			}
		}
	}
}

// spread returns the variables of changed initializers, and adds to these all that share
// one of them.
func spread(variables map[int32][]*symbol, changed map[int32]bool) map[*symbol]bool {
	tainted := make(map[*symbol]bool)
	taint := func(name int32) {
		for _, v := range variables[name] {
			tainted[v] = true
		}
	}
	for name := range changed {
		taint(name)
	}
	for before := -1; before < len(changed); {
		before = len(changed)
		for name, own := range variables {
			if !changed[name] && slices.ContainsFunc(own, func(v *symbol) bool { return tainted[v] }) {
				changed[name] = true
				taint(name)
			}
		}
	}
	return tainted
}

// otherInitializer returns the path of a package with an initializer that is not confined,
// and that is not the same on both sides or runs at another place in the order.
func (p *program) otherInitializer(in [2]initialization) string {
	paths := make(map[string]bool)
	for s := range in {
		for path := range in[s].others {
			paths[path] = true
		}
	}
	looked := make(map[string]bool)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if !p.pairUp(in[base].others[path], in[head].others[path]) || !p.sameOrder(path, looked) {
			return path
		}
	}
	return ""
}

// sameOrder reports whether a package is initialized after the same packages on both sides,
// and each of these after the same, as far as they are in sight: the others are equal. The
// linker takes the packages by their names, each as soon as all that it waits for are done.
// So two packages for which this is true run in the same order on both sides, except for
// packages with which the order makes no difference.
func (p *program) sameOrder(path string, looked map[string]bool) bool {
	if looked[path] {
		return true
	}
	looked[path] = true
	before := [2]map[string]bool{base: p.before(base, path), head: p.before(head, path)}
	for s := range before {
		for other := range before[s] {
			if !before[1-s][other] && !mindsOwn(other) || !p.sameOrder(other, looked) {
				return false
			}
		}
	}
	return true
}

// before returns the paths of all packages that are initialized before one in sight,
// because its task says so.
func (p *program) before(s int, path string) map[string]bool {
	all := make(map[string]bool)
	for _, u := range p.units[s] {
		if u.path != path {
			continue
		}
		_, tasks := p.task(u)
		for _, t := range tasks {
			prefix := strings.TrimSuffix(p.names.text[t], taskSuffix)
			all[prefix] = true // the path of a package that isn't listed, such as runtime
			if dep := p.byPrefix[s][prefix]; dep != nil {
				delete(all, prefix)
				all[dep.path] = true
				for _, name := range dep.deps {
					all[pathOf(name)] = true
				}
			}
		}
	}
	return all
}

// mindsOwn reports whether the initializers of a package mind only their own: it makes no
// difference whether they run before or after those of packages that don't import it. Others
// register something in a third package, as image/png does.
func mindsOwn(path string) bool {
	switch path {
	case "bufio", "context", "encoding", "encoding/csv", "encoding/json", "flag", "io", "io/fs", "io/ioutil", "iter", "log",
		"math/rand", "math/rand/v2", "os", "os/exec", "path/filepath", "syscall", "text/scanner", "text/tabwriter",
		"text/template", "text/template/parse", "time", "unique", "unsafe", "weak":
		return true
	}
	return keepsNothing(path) || path == "runtime" || strings.HasPrefix(path, "runtime/") || strings.HasPrefix(path, "internal/")
}

// keepsNothing reports whether the functions of a package keep nothing of what they are called
// with, except in caches and in what they return, start no goroutine, and change nothing of
// the process.
func keepsNothing(pkg string) bool {
	switch pkg {
	case "bytes", "cmp", "container/heap", "container/list", "container/ring", "encoding/base32", "encoding/base64",
		"encoding/binary", "encoding/hex", "errors", "fmt", "hash/adler32", "hash/crc32", "hash/crc64", "hash/fnv", "html",
		"maps", "math", "math/big", "math/bits", "math/cmplx", "path", "reflect", "regexp", "regexp/syntax",
		"slices", "sort", "strconv", "strings", "sync", "sync/atomic", "unicode", "unicode/utf16", "unicode/utf8",
		"internal/abi", "internal/bytealg", "internal/byteorder", "internal/cpu", "internal/fmtsort", "internal/goarch",
		"internal/itoa", "internal/race", "internal/reflectlite", "internal/runtime/atomic", "internal/runtime/maps",
		"internal/runtime/math", "internal/runtime/sys", "internal/stringslite", "internal/strconv", "internal/sync":
		return true
	}
	return false
}

// keepsNothingOfTime reports whether a function is like that though package time also starts
// timers.
func keepsNothingOfTime(function string) bool {
	switch function {
	case "time.Now", "time.Date", "time.Unix", "time.UnixMilli", "time.FixedZone", "time.Since", "time.Parse",
		"time.ParseDuration", "time.Duration.String", "time.Time.Add", "time.Time.Sub", "time.Time.Format", "time.Time.Unix",
		"time.Time.UTC":
		return true
	}
	return false
}

// named matches names of types and functions with the packages they are from.
var named = lazyregexp.New(`[^\s*\[\](){},;"<>]+`)

// leavesNothing reports whether an initializer that refers to a name leaves nothing behind
// in the code that this is from, which is out of sight.
func leavesNothing(name string) bool {
	text, abi := withoutABI(name), strings.HasSuffix(name, "<1>")
	switch {
	case text == "", strings.HasPrefix(text, "go:string."), strings.HasPrefix(text, "type:."),
		strings.HasPrefix(text, "gclocals·"), strings.HasPrefix(text, "runtime.gcbits."):
		return true
	case strings.HasPrefix(text, "type:"):
		return onlyOf(strings.TrimPrefix(text, "type:"))
	case strings.HasPrefix(text, "go:itab."):
		return onlyOf(strings.TrimPrefix(text, "go:itab."))
	case strings.HasPrefix(text, "runtime."):
		// What the compiler calls is not exported. A go statement calls newproc.
		first, _ := utf8.DecodeRuneInString(text[len("runtime."):])
		return text != "runtime.newproc" && unicode.IsLower(first)
	case strings.HasPrefix(text, "internal/cpu."), strings.HasPrefix(text, "internal/bytealg."):
		return true // variables and assembly, too
	}
	text, value := strings.CutSuffix(text, "·f")
	// Else it may be a variable, which the initializer may set.
	return (abi || value) && (keepsNothing(packageOf(text)) || keepsNothingOfTime(text))
}

// onlyOf reports whether types are of the language and of packages that keep nothing.
func onlyOf(types string) bool {
	for _, t := range named.Get().FindAllString(types, -1) {
		if strings.ContainsRune(t, '.') && !keepsNothing(packageOf(t)) {
			return false
		}
	}
	return true
}

// packageOf returns the import path of the package that has a name, as symbols have it.
func packageOf(name string) string {
	path := name
	if i := strings.IndexAny(path, "[("); i >= 0 {
		path = path[:i]
	}
	slash := strings.LastIndexByte(path, '/') + 1
	if i := strings.IndexByte(path[slash:], '.'); i >= 0 {
		return path[:slash+i]
	}
	return ""
}
