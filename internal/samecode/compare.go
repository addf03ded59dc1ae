package samecode

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
)

// A program is the test binary of a package on both sides.
type program struct {
	path  string
	names *names
	units [2][]*unit
	defs  [2]map[int32][]*symbol // of all units

	// byPrefix has all packages of the program, in sight or not, by how symbols have them.
	byPrefix [2]map[string]*unit

	// differs says what no benchmark can be without and differs: something that the listing
	// doesn't show, or what runs before any benchmark does. "" is nothing.
	differs string
	pairs   pairs
}

// newProgram returns nil if the head has no such test.
func newProgram(path string, lists [2]map[string]*unit, visible map[string]bool, n *names) *program {
	p := &program{path: path, names: n, pairs: newPairs()}
	var mains [2]*unit
	for s, units := range lists {
		mains[s] = units[path+".test"]
		p.defs[s], p.byPrefix[s] = make(map[int32][]*symbol), make(map[string]*unit)
		if mains[s] == nil {
			continue
		}
		for _, name := range mains[s].deps {
			u := units[name]
			if u == nil || isTestMain(name) {
				continue
			}
			p.byPrefix[s][u.prefix] = u
			if visible[name] {
				p.units[s] = append(p.units[s], u)
			}
		}
		slices.SortFunc(p.units[s], func(a, b *unit) int { return strings.Compare(a.name, b.name) })
		for _, u := range p.units[s] {
			p.define(s, u)
		}
	}
	switch {
	case mains[head] == nil:
		return nil
	case mains[base] == nil:
		p.differs = "the base has no such tests"
	case mains[base].godebug != mains[head].godebug:
		p.differs = "the defaults of GODEBUG changed"
	default:
		if p.differs = p.otherDiffers(); p.differs == "" {
			p.differs = p.rootDiffers()
		}
	}
	return p
}

// define adds a unit's symbols. What several units have is there once, if it is the
// same: the linker takes any.
func (p *program) define(s int, u *unit) {
	for name, symbols := range u.symbols {
		for _, d := range symbols {
			if !slices.ContainsFunc(p.defs[s][name], func(e *symbol) bool {
				return d.shared && e.shared && d.content == e.content && slices.Equal(d.refs, e.refs)
			}) {
				p.defs[s][name] = append(p.defs[s][name], d)
			}
		}
	}
}

// otherDiffers says which package differs in what other compilers make of it.
func (p *program) otherDiffers() string {
	others := make(map[string][2][sha256.Size]byte)
	for s := range p.units {
		for _, u := range p.units[s] {
			if u.hasOther {
				sums := others[u.path]
				sums[s] = u.other
				others[u.path] = sums
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(others)) {
		if sums := others[path]; sums[base] != sums[head] {
			return "assembly or C code of " + path + " changed"
		}
	}
	return ""
}

// rootDiffers compares what runs in every process, or may: what initializes packages,
// TestMain, and what code out of sight may call by its name. It says what differs.
func (p *program) rootDiffers() string {
	in := [2]initialization{base: p.initializationOf(base), head: p.initializationOf(head)}
	p.taint(in)
	if path := p.otherInitializer(in); path != "" {
		return "the initialization of " + path + " changed"
	}
	roots := make(map[int32]bool)
	for s := range p.units {
		for _, u := range p.units[s] {
			for name := range p.rootsOf(u) {
				roots[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(roots)) {
		if !p.same(name) {
			f, _ := functionName(p.names.text[name])
			return f + " changed"
		}
	}
	return ""
}

// rootsOf yields the roots of a unit: of those that may be there, the ones that a side
// has.
func (p *program) rootsOf(u *unit) map[int32]bool {
	roots := make(map[int32]bool)
	var candidates []string
	if u.path == p.path || u.path == p.path+"_test" {
		candidates = append(candidates, u.prefix+".TestMain<1>")
	}
	for _, name := range u.fromAssembly {
		candidates = append(candidates, name+"<0>", name+"<1>")
	}
	for _, name := range candidates {
		if i := p.names.find(name); i >= 0 && len(p.defs[base][i])+len(p.defs[head][i]) > 0 {
			roots[i] = true
		}
	}
	for i, symbols := range u.symbols { // go:linkname may give it a name that others use
		if s := symbols[0]; !s.shared && (s.function || s.variable) && !strings.HasPrefix(p.names.text[i], u.prefix+".") {
			roots[i] = true
		}
	}
	return roots
}

// benchmark returns the function of a benchmark on a side, -1 if it is not there.
func (p *program) benchmark(s int, function string) int32 {
	for _, prefix := range []string{symbolPrefix(p.path), symbolPrefix(p.path + "_test")} {
		if i := p.names.find(prefix + "." + function + "<1>"); i >= 0 && len(p.defs[s][i]) > 0 {
			return i
		}
	}
	return -1
}

// pairs are symbols of the two sides that take each other's part: the same code, with
// references to such pairs at the same places. Their names may differ, since the
// compiler numbers closures and constants.
type pairs struct {
	toHead, toBase map[*symbol]*symbol
	trail          []*symbol // of the base, in the order they were paired
	differing      map[int32]bool
	tainted        map[*symbol]bool // variables that may differ for what was done before
}

func newPairs() pairs {
	return pairs{toHead: make(map[*symbol]*symbol), toBase: make(map[*symbol]*symbol), differing: make(map[int32]bool)}
}

// same pairs what a name means on both sides, and all that follows from it. Where that
// fails nothing stays paired of what was not.
func (p *program) same(name int32) bool {
	if p.pairs.differing[name] {
		return false
	}
	if p.pairUp([]int32{name}, []int32{name}) {
		return true
	}
	p.pairs.differing[name] = true
	return false
}

// pairUp is same for several names in order.
func (p *program) pairUp(bases, heads []int32) bool {
	before := len(p.pairs.trail)
	matches := len(bases) == len(heads)
	for i := 0; matches && i < len(bases); i++ {
		matches = p.match(bases[i], heads[i])
	}
	if matches && p.follow(before) {
		return true
	}
	for _, b := range p.pairs.trail[before:] {
		delete(p.pairs.toBase, p.pairs.toHead[b])
		delete(p.pairs.toHead, b)
	}
	p.pairs.trail = p.pairs.trail[:before]
	return false
}

// follow pairs the references of pairs, from one on.
func (p *program) follow(i int) bool {
	for ; i < len(p.pairs.trail); i++ {
		b := p.pairs.trail[i]
		h := p.pairs.toHead[b]
		for k := range b.refs {
			if !p.match(b.refs[k], h.refs[k]) {
				return false
			}
		}
	}
	return true
}

// match pairs what two names mean. What no unit in sight defines is the same, or
// assembly that is, if the names are.
func (p *program) match(baseName, headName int32) bool {
	bases, heads := p.defs[base][baseName], p.defs[head][headName]
	if len(bases) == 0 && len(heads) == 0 {
		return baseName == headName
	}
	if len(bases) != len(heads) {
		return false
	}
	for i, b := range bases {
		h := heads[i]
		switch other, known := p.pairs.toHead[b]; {
		case p.pairs.tainted[b] || p.pairs.tainted[h]:
			return false
		case known && other == h:
			continue
		case known || p.pairs.toBase[h] != nil:
			return false
		case b.content != h.content || len(b.refs) != len(h.refs):
			return false
		}
		p.pairs.toHead[b], p.pairs.toBase[h] = h, b
		p.pairs.trail = append(p.pairs.trail, b)
	}
	return true
}
