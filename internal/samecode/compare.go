package samecode

import "strings"

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
	// go:linkname may give a symbol a name that others use. Closures of other packages'
	// functions, which are inlined here, have names of these packages, too.
	for i, symbols := range u.symbols {
		name := p.names.text[i]
		if s := symbols[0]; !s.shared && (s.function || s.variable) && !strings.HasPrefix(name, u.prefix+".") && withoutHash(name) == name {
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
