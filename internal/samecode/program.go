package samecode

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
)

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
