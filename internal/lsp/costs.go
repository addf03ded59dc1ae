package lsp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// A dimension is what a value column of a profile counts.
type dimension string

const (
	cpuTime   dimension = "CPU"
	allocated dimension = "allocated"
	inUse     dimension = "heap in use"
	mutexWait dimension = "waiting for mutexes"
	blocked   dimension = "waiting"
)

// A cost is what a function or a line takes in a profile.
type cost struct {
	profile   int // in the measurement
	dimension dimension
	unit      string
	self      int64 // without what it calls
	all       int64
	total     int64 // of the profile
}

func (c *cost) share() float64 { return float64(c.all) / float64(c.total) }

func (c *cost) selfShare() float64 { return float64(c.self) / float64(c.total) }

// A spot is a line of a function, by the names of the profile.
type spot struct {
	symbol string // of the declared function or method, or what else profiles call it
	line   int64
}

// A function is what profiles say about a function, with its literals.
type function struct {
	name  string // as a profile has it, without literals
	start int64  // its first line; 0 if unknown
	costs []cost
}

// fileCosts are the costs of a file's functions and lines, at the lines of the source that was measured.
type fileCosts struct {
	functions map[string]*function // by symbol
	lines     map[spot][]cost
}

// columns says which value columns count, and what.
func columns(p *profile.Profile, kind string) (found []column) {
	for i, t := range p.SampleTypes {
		var d dimension
		switch {
		case t.Type == "cpu" && t.Unit == "nanoseconds":
			d = cpuTime
		case t.Type == "alloc_space":
			d = allocated
		case t.Type == "inuse_space":
			d = inUse
		case t.Type == "delay" && kind == "mutex":
			d = mutexWait
		case t.Type == "delay":
			d = blocked
		default:
			continue
		}
		total := int64(0)
		for _, v := range p.Values[i] {
			total += v
		}
		if total > 0 {
			found = append(found, column{i, d, t.Unit, total})
		}
	}
	return found
}

type column struct {
	index     int
	dimension dimension
	unit      string
	total     int64
}

// costsOf adds up what the functions and lines of a file take. declared tells which functions the file declares.
func (m *measured) costsOf(at matcher, declared map[string]bool) *fileCosts {
	f := &fileCosts{functions: make(map[string]*function), lines: make(map[spot][]cost)}
	for i := range m.Profiles {
		s := newSummer(m, i, at, declared)
		if s == nil {
			continue
		}
		s.run()
		s.into(f)
	}
	return f
}

// inFile returns the functions of a profile that are in a file.
func (m *measured) inFile(i int, at matcher) (all []uint32) {
	p := m.Profiles[i].Profile
	for _, f := range m.bases[i][baseOf(at.rel)] {
		if at.matches(p.FunctionName(f), p.Strings[p.Functions[f].File]) {
			all = append(all, f)
		}
	}
	return all
}

// A summer adds up one profile for one file.
type summer struct {
	index   int
	profile *profile.Profile
	columns []column
	symbols map[uint32]string  // by function of the profile that is in the file
	has     []bool             // by location: it has frames in the file
	frames  map[uint32][]frame // by location: these frames
	byName  map[string]*sum    // of functions, by symbol
	byLine  map[spot]*sum
}

// A frame is one of a location, with what it is added to.
type frame struct {
	innermost      bool
	function, line *sum
}

// A sum is what one line or function takes, by column.
type sum struct {
	seen      int // the last sample that it is in, from 1: recursion counts once
	self, all []int64
}

// newSummer returns nil if the profile has nothing of the file.
func newSummer(m *measured, i int, at matcher, declared map[string]bool) *summer {
	p := m.Profiles[i].Profile
	functions := m.inFile(i, at)
	if len(functions) == 0 {
		return nil
	}
	s := &summer{index: i, profile: p, columns: columns(p, m.Profiles[i].Kind), symbols: make(map[uint32]string), byName: make(map[string]*sum), byLine: make(map[spot]*sum)}
	if len(s.columns) == 0 {
		return nil
	}
	for _, f := range functions {
		s.symbols[f] = declaredSymbol(p.FunctionName(f), declared)
	}
	s.has, s.frames = make([]bool, len(p.Locations)), make(map[uint32][]frame)
	for l := range uint32(len(p.Locations)) {
		for inner, line := range p.LocationLines(l) {
			if symbol, ok := s.symbols[line.Function]; ok {
				s.has[l] = true
				s.frames[l] = append(s.frames[l], frame{inner == 0, sumAt(s.byName, symbol, len(s.columns)), sumAt(s.byLine, spot{symbol, line.Line}, len(s.columns))})
			}
		}
	}
	return s
}

func sumAt[K comparable](sums map[K]*sum, key K, columns int) *sum {
	at := sums[key]
	if at == nil {
		at = &sum{self: make([]int64, columns), all: make([]int64, columns)}
		sums[key] = at
	}
	return at
}

// declaredSymbol is the name of the declaration that a function of a profile is in: of the literal "(*T).M.func2.1" it is "(*T).M". What
// is declared nowhere, such as a literal of a package variable, keeps its name.
func declaredSymbol(name string, declared map[string]bool) string {
	symbol := strings.TrimSuffix(srcfind.WithoutTypeArguments(symbolOf(name)), "-fm")
	symbol, _, _ = strings.Cut(symbol, "-range")
	for at := symbol; at != ""; {
		if declared[at] {
			return at
		}
		dot := strings.LastIndexByte(at, '.')
		if dot < 0 {
			break
		}
		at = at[:dot]
	}
	return symbol
}

func (s *summer) run() {
	for sample := range s.profile.Stacks {
		for depth, l := range s.profile.Stack(sample) {
			if !s.has[l] { // nearly all, and the table fits into the cache
				continue
			}
			for _, f := range s.frames[l] {
				leaf := depth == 0 && f.innermost
				s.add(f.function, sample, leaf)
				s.add(f.line, sample, leaf)
			}
		}
	}
}

func (s *summer) add(to *sum, sample int, leaf bool) {
	for i, c := range s.columns {
		v := s.profile.Values[c.index][sample]
		if leaf {
			to.self[i] += v
		}
		if to.seen != sample+1 {
			to.all[i] += v
		}
	}
	to.seen = sample + 1
}

// costs are those of a sum, without columns that have nothing.
func (s *summer) costs(of *sum) (all []cost) {
	for i, c := range s.columns {
		if of.all[i] > 0 {
			all = append(all, cost{s.index, c.dimension, c.unit, of.self[i], of.all[i], c.total})
		}
	}
	return all
}

// into adds the sums to the costs of the file.
func (s *summer) into(f *fileCosts) {
	for at, sum := range s.byLine {
		if costs := s.costs(sum); costs != nil {
			f.lines[at] = append(f.lines[at], costs...)
		}
	}
	for symbol, sum := range s.byName {
		if costs := s.costs(sum); costs != nil {
			of := f.functions[symbol]
			if of == nil {
				of = &function{}
				f.functions[symbol] = of
			}
			of.costs = append(of.costs, costs...)
		}
	}
	for fn, symbol := range s.symbols {
		of := f.functions[symbol]
		if of == nil {
			continue // no sample
		}
		name := s.profile.FunctionName(fn)
		if of.name == "" || len(name) < len(of.name) || len(name) == len(of.name) && name < of.name { // not a literal
			of.name = name
		}
		if srcfind.WithoutTypeArguments(symbolOf(name)) == symbol {
			of.start = cmp.Or(s.profile.Functions[fn].StartLine, of.start)
		}
	}
}

// most returns the costs in the profiles of the subject where something takes the largest share, largest first, and how many other
// subjects it takes a share in. Shares below least don't count.
func (m *measured) most(costs []cost, least float64) (best []cost, others int) {
	subject := func(c *cost) string { return m.Profiles[c.profile].Subject }
	var shown []cost
	for _, c := range costs {
		if c.share() >= least {
			shown = append(shown, c)
		}
	}
	if len(shown) == 0 {
		return nil, 0
	}
	// Time says more than memory.
	slices.SortStableFunc(shown, func(a, b cost) int {
		return cmp.Or(cmp.Compare(rank(a.dimension), rank(b.dimension)), cmp.Compare(b.share(), a.share()), cmp.Compare(a.profile, b.profile))
	})
	first := subject(&shown[0])
	seen := map[string]bool{first: true}
	dimensions := map[dimension]bool{}
	for i := range shown {
		c := &shown[i]
		if subject(c) == first && !dimensions[c.dimension] {
			dimensions[c.dimension] = true
			best = append(best, *c)
		}
		seen[subject(c)] = true
	}
	return best, len(seen) - 1
}

func rank(d dimension) int {
	return slices.Index([]dimension{cpuTime, allocated, inUse, mutexWait, blocked}, d)
}
