package pgo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// A Freshness says how much of a profile is of the source at hand. The compiler finds
// a call by the names of both functions and the line, counted from where the caller
// begins: of what was renamed, or has moved within its function, the profile says
// nothing any more.
type Freshness struct {
	// Share is the part of the hot calls' weight whose calls are still there.
	Share float64 `json:"share"`
	Calls int     `json:"calls"` // hot ones that were looked for
	Gone  []Call  `json:"gone,omitempty"`
	// Own is the part of all weight that calls in functions of the module have. The
	// rest is within the standard library and other modules, which change with their
	// versions only.
	Own float64 `json:"own"`
}

// A Call is one that a profile has samples of.
type Call struct {
	Caller string  `json:"caller"`
	Offset int64   `json:"offset"` // lines below the caller's start
	Callee string  `json:"callee"`
	Weight float64 `json:"weight"` // of the module's calls, 0 to 1
	Why    string  `json:"why"`    // it counts as gone
}

// ErrForeign means that a profile has no function of the module.
var ErrForeign = errors.New("the profile belongs to another program")

const (
	// hotCalls is the part of the weight that is looked for: the rest is many calls
	// with a sample or two, which inlining ignores too (its threshold is 99 %, of all
	// packages).
	hotCalls = 0.9
	// StaleBelow is the share of fresh calls from where on a new profile is due.
	StaleBelow = 0.8
)

type edge struct {
	caller, callee string
	offset         int64
}

// Fresh looks for a profile's hot calls in the source of a module.
func Fresh(p *profile.Profile, module Module) (*Freshness, error) {
	value, err := columns(p)
	if err != nil {
		return nil, err
	}
	src := &source{module: module, packages: make(map[string]*sourcePackage)}
	weights := make(map[edge]float64)
	names := make(map[string]linkName)
	parsed := func(name string) linkName {
		n, ok := names[name]
		if !ok {
			n = parseLinkName(name)
			names[name] = n
		}
		return n
	}
	total, own := 0.0, 0.0
	for s := range p.Stacks {
		w := value(s).nanos
		var callee string
		for _, l := range p.Stack(s) {
			for _, line := range p.LocationLines(l) {
				name := p.FunctionName(line.Function)
				n := parsed(name)
				_, ours := src.dir(n.pkg)
				if callee != "" {
					total += w
					if ours {
						own += w
						start := p.Functions[line.Function].StartLine
						// What begins on line 1 is no function that somebody wrote.
						if start > 1 && !implicit(callee) && !n.made {
							weights[edge{name, callee, line.Line - start}] += w
						}
					}
				}
				callee = name
			}
		}
	}
	f := &Freshness{}
	if total > 0 {
		f.Own = own / total
	}
	f.judge(src, weights, parsed)
	return f, nil
}

// implicit reports whether a function is called where the source has no call.
func implicit(callee string) bool {
	for _, p := range []string{"runtime.", "internal/runtime/", "type:", "gogo", "memeq", "cmpbody", "aeshash"} {
		if strings.HasPrefix(callee, p) {
			return true
		}
	}
	return !strings.Contains(callee, ".")
}

func (f *Freshness) judge(src *source, weights map[edge]float64, parsed func(string) linkName) {
	type weighed struct {
		edge
		weight float64
		why    string
	}
	var all []weighed
	sum := 0.0
	for e, w := range weights {
		why, known := src.find(e, parsed(e.caller), parsed(e.callee))
		if known {
			all = append(all, weighed{e, w, why})
			sum += w
		}
	}
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.caller, b.caller), cmp.Compare(a.offset, b.offset), strings.Compare(a.callee, b.callee))
	})
	hot, fresh := 0.0, 0.0
	for _, e := range all {
		if hot >= hotCalls*sum {
			break
		}
		hot += e.weight
		f.Calls++
		if e.why == "" {
			fresh += e.weight
			continue
		}
		f.Gone = append(f.Gone, Call{e.caller, e.offset, e.callee, e.weight / sum, e.why})
	}
	f.Share = 1
	if hot > 0 {
		f.Share = fresh / hot
	}
}

// Packages returns the folders of the module's packages that a profile has time in, in
// themselves or what they call directly, those with the most first: at most as many as
// have hotCalls of it.
func Packages(p *profile.Profile, module Module) ([]string, error) {
	value, err := columns(p)
	if err != nil {
		return nil, err
	}
	src := &source{module: module, packages: make(map[string]*sourcePackage)}
	weights, total := make(map[string]float64), 0.0
	for s := range p.Stacks {
		if dir := src.innermost(p, p.Stack(s)); dir != "" {
			weights[dir] += value(s).nanos
			total += value(s).nanos
		}
	}
	dirs := slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	sum := 0.0
	for i, dir := range dirs {
		if sum += weights[dir]; sum >= hotCalls*total {
			return dirs[:i+1], nil
		}
	}
	return dirs, nil
}

// innermost returns the folder of the function of the module nearest to a stack's leaf,
// "" if there is none.
func (s *source) innermost(p *profile.Profile, stack []uint32) string {
	for _, l := range stack {
		for _, line := range p.LocationLines(l) {
			if dir, ours := s.dir(parseLinkName(p.FunctionName(line.Function)).pkg); ours {
				return dir
			}
		}
	}
	return ""
}

// Check fails with ErrForeign if no function of a module is on any stack of a
// profile. It needs the profile as it was taken: Merge keeps the ends of stacks.
func Check(p *profile.Profile, module Module) error {
	src := &source{module: module, packages: make(map[string]*sourcePackage)}
	mains, known := 0, 0 // functions of a command, of which all have some by the same name
	for i := range p.Functions {
		n := parseLinkName(p.FunctionName(uint32(i)))
		dir, ok := src.dir(n.pkg)
		if !ok || n.made {
			continue
		}
		s := src.read(dir)
		declared := s != nil && len(s.functions[n.base]) > 0
		switch {
		case n.pkg == "main":
			mains++
			if declared {
				known++
			}
		case declared:
			return nil
		}
	}
	if known > 0 && 2*known >= mains {
		return nil
	}
	return fmt.Errorf("%w: it has no function of %s; profile a build of this module", ErrForeign, module.Path)
}

// find looks for a call. why says what is no longer there; known is false of calls
// that the source doesn't decide: those of tests, and of deferred functions.
func (s *source) find(e edge, caller, callee linkName) (why string, known bool) {
	dir, _ := s.dir(caller.pkg)
	p := s.read(dir)
	if p == nil {
		return "its package is gone", true
	}
	if s.external(strings.TrimPrefix(caller.pkg, s.module.Path)) {
		return "", false
	}
	in := p.functions[caller.base]
	if caller.base == "" {
		in = p.literals
	}
	if len(in) == 0 {
		// A literal of a function that is inlined has the names of both.
		outer, _, _ := strings.Cut(caller.base, ".")
		if caller.literal && len(p.functions[outer]) > 0 {
			return "", false
		}
		return "the function is gone", true
	}
	if !slices.ContainsFunc(in, func(f *function) bool { return !f.test }) {
		return "", false
	}
	name := callee.base[strings.LastIndexByte(callee.base, '.')+1:]
	if callee.literal || callee.made {
		name = "" // a value is called
	}
	if caller.literal && caller.base != "" {
		var literals []*function
		for _, f := range in {
			literals = append(literals, f.literals...)
		}
		in = append(literals, in...) // a literal on the first line
	}
	for _, f := range in {
		if p.calls(f, int(e.offset), name) {
			return "", true
		}
	}
	for _, f := range in {
		if slices.Contains(f.deferred, name) || name == "" && len(f.deferred) > 0 {
			return "", false
		}
	}
	return "there is no such call on this line", true
}

// calls reports whether a function calls what has a name at a distance from its
// start; it may be through a value.
func (p *sourcePackage) calls(f *function, offset int, name string) bool {
	return slices.ContainsFunc(f.calls, func(c call) bool {
		return slices.Contains(c.lines, f.start+offset) && (name == "" || c.name == name || c.name == "" || p.values[c.name])
	})
}
