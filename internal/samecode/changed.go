package samecode

import (
	"maps"
	"slices"
	"strings"
)

// A Benchmark names a benchmark function.
type Benchmark struct{ Package, Function string }

// Changed returns the functions of the head, except for those of tests, whose code is new
// or another than the base's, and which of them none of the benchmarks can run. They
// are sorted and of the form example.com/m.(*T).Method; closures count as the function
// they are in. What was inlined without leaving an instruction is not run.
func (c *Code) Changed(benchmarks []Benchmark) (all, notRun []string) {
	changed, reached := make(map[string]bool), make(map[string]bool)
	for path, p := range c.programs {
		p.addChanged(changed)
		var functions []string
		for _, b := range benchmarks {
			if b.Package == path {
				functions = append(functions, b.Function)
			}
		}
		p.addReached(reached, functions)
	}
	all = slices.Sorted(maps.Keys(changed))
	return all, slices.DeleteFunc(slices.Clone(all), func(f string) bool { return reached[f] })
}

func (p *program) addChanged(changed map[string]bool) {
	looked := make(map[[2]*symbol]bool)
	whole := make(map[string]bool) // functions, not what is in them
	for name := range p.defs[head] {
		if f, closure := functionName(p.names.text[name]); !closure {
			whole[f] = true
		}
	}
	hashed := make(map[string][]*symbol) // of the base, by their names without hashes
	for name, symbols := range p.defs[base] {
		if plain := withoutHash(p.names.text[name]); plain != p.names.text[name] {
			hashed[plain] = append(hashed[plain], symbols...)
		}
	}
	for _, u := range p.units[head] {
		if !u.local {
			continue
		}
		for name, symbols := range u.symbols {
			bases := p.defs[base][name]
			if plain := withoutHash(p.names.text[name]); plain != p.names.text[name] {
				bases = hashed[plain]
			}
			for _, h := range symbols {
				if !h.function || h.file < 0 || strings.HasSuffix(p.names.text[h.file], "_test.go") {
					continue
				}
				// A closure of a function that is inlined into another is F.G.func1.
				f, _ := functionName(p.names.text[name])
				if whole[f] && !slices.ContainsFunc(bases, func(b *symbol) bool { return p.alike(b, h, looked) }) {
					changed[f] = true
				}
			}
		}
	}
}

// alike reports whether two symbols have the same code themselves: a function that
// they call, or a variable they use, is the same if its name is. looked has the pairs
// that were, or are being, compared.
func (p *program) alike(b, h *symbol, looked map[[2]*symbol]bool) bool {
	if result, ok := looked[[2]*symbol{b, h}]; ok {
		return result
	}
	looked[[2]*symbol{b, h}] = true
	result := b.content == h.content && len(b.refs) == len(h.refs)
	for i := 0; result && i < len(b.refs); i++ {
		result = p.alikeNamed(b.refs[i], h.refs[i], looked)
	}
	looked[[2]*symbol{b, h}] = result
	return result
}

func (p *program) alikeNamed(baseName, headName int32, looked map[[2]*symbol]bool) bool {
	if baseName == headName && !strings.Contains(p.names.text[headName], "..stmp_") {
		return true
	}
	bases, heads := p.defs[base][baseName], p.defs[head][headName]
	if len(bases) != len(heads) || len(bases) == 0 {
		return false
	}
	for i := range bases {
		if !p.alike(bases[i], heads[i], looked) {
			return false
		}
	}
	return true
}

// addReached adds what the head's benchmarks, and whatever runs with them, can run.
func (p *program) addReached(reached map[string]bool, functions []string) {
	var todo []int32
	seen := make(map[int32]bool)
	visit := func(name int32) {
		if name >= 0 && !seen[name] {
			seen[name] = true
			todo = append(todo, name)
		}
	}
	inlined := make(map[int32][]int32)
	for _, u := range p.units[head] {
		for name := range p.rootsOf(u) {
			visit(name)
		}
		visit(p.names.find(u.prefix + taskSuffix))
		for f, callees := range u.inlined {
			inlined[f] = append(inlined[f], callees...)
		}
	}
	for _, f := range functions {
		visit(p.benchmark(head, f))
	}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range p.defs[head][name] {
			for _, r := range s.refs {
				visit(r)
			}
			if !s.function {
				continue
			}
			f, _ := functionName(p.names.text[name])
			reached[f] = true
			if f := p.names.find(withoutABI(p.names.text[name])); f >= 0 {
				for _, callee := range inlined[f] {
					f, _ := functionName(p.names.text[callee])
					reached[f] = true
				}
			}
		}
	}
}
