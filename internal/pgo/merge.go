// Package pgo makes the profile that the compiler uses for optimization, default.pgo, from
// profiles of production. It reads them (inputs.go, run.go, services.go), weighs and trims
// them (weights.go, merge.go), and puts the result in place (target.go, make.go, file.go).
// It tells how much of the result the source at hand still has (fresh.go, source.go), and
// measures what the compiler gains from it (verify.go).
package pgo

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// The compiler reads the calls among the two innermost locations of a stack, inlined
// ones included, and nothing above: what calls main is no hotter for what is called
// there. (cmd/internal/pgo, of Go 1.21 and later.)
const usedLocations = 2

// Merge adds up profiles, each trimmed to what the compiler uses:
//
//	samples and CPU time     other columns are dropped, and labels
//	two innermost locations  with what is inlined there
//	name, start line, line   of a function; of line the distance from the start
//	                         counts, so that versions of a function add up
//
// Addresses, mappings and files are dropped. Equal inputs give equal bytes.
func Merge(inputs []Input, w Weights) (*profile.Profile, error) {
	if len(inputs) == 0 {
		return nil, errors.New("no profiles to merge")
	}
	// The newest first: where versions of a function begin on different lines, it
	// says on which one.
	inputs = slices.Clone(inputs)
	slices.SortStableFunc(inputs, func(a, b Input) int {
		return cmp.Or(cmp.Compare(b.Profile.TimeNanos, a.Profile.TimeNanos), strings.Compare(a.Source, b.Source), strings.Compare(a.Version, b.Version))
	})
	m := &merger{starts: make(map[string]int64), cells: make(map[string]*cell)}
	parts := make(map[part]*cell)
	read := make([][]trimmed, len(inputs))
	for i, in := range inputs {
		var err error
		if read[i], err = m.trim(in.Profile); err != nil {
			return nil, fmt.Errorf("%s: %w", in.name(), err)
		}
		p := in.part()
		if parts[p] == nil {
			parts[p] = new(cell)
		}
		for _, t := range read[i] {
			parts[p].add(t.cell, 1)
		}
	}
	ratios := scales(parts, w)
	for i, in := range inputs {
		for _, t := range read[i] {
			c := m.cells[t.key]
			if c == nil {
				c = new(cell)
				m.cells[t.key] = c
			}
			c.add(t.cell, ratios[in.part()])
		}
	}
	p := m.profile()
	p.Comments = describe(parts, w)
	for _, in := range inputs {
		p.TimeNanos = max(p.TimeNanos, in.Profile.TimeNanos)
		p.DurationNanos += in.Profile.DurationNanos
	}
	return p, nil
}

// A trimmed is a sample with what the compiler uses of it.
type trimmed struct {
	key string // its stack: see merger.key
	cell
}

// A merger adds up stacks.
type merger struct {
	starts map[string]int64 // first lines of functions
	cells  map[string]*cell // by stack
}

// trim returns a profile's samples in which a named function calls another.
func (m *merger) trim(p *profile.Profile) ([]trimmed, error) {
	value, err := columns(p)
	if err != nil {
		return nil, err
	}
	var all []trimmed
	index := make(map[string]int)
	counted, named, started := false, false, false
	for s := range p.Stacks {
		v := value(s)
		if v.samples <= 0 && v.nanos <= 0 {
			continue
		}
		counted = true
		key, frames := m.key(p, p.Stack(s))
		named = named || frames > 0
		if frames < 2 {
			continue
		}
		if i, ok := index[key]; ok {
			all[i].add(v, 1)
			continue
		}
		index[key] = len(all)
		all = append(all, trimmed{key, v})
	}
	for _, f := range p.Functions {
		started = started || f.StartLine > 0
	}
	switch {
	case !counted:
		return nil, fmt.Errorf("%w: profile the program while it works", ErrNoCPU)
	case !named:
		return nil, fmt.Errorf("%w: hone proto -symbolize force -o named.pb.gz BINARY PROFILE looks them up", ErrNoNames)
	case !started:
		return nil, fmt.Errorf("%w: take a new profile, of a program built with Go 1.20 or later", ErrNoStarts)
	}
	return all, nil
}

// key returns the part of a stack that the compiler uses, and how many frames that
// has. Each location, leaf first, is the number of its frames and these:
//
//	uvarint  frames
//	         uvarint  length of the name, and the name
//	         varint   line from the start of the function
//
// The leaf calls nothing: on which of its lines it was doesn't matter.
func (m *merger) key(p *profile.Profile, stack []uint32) (string, int) {
	var b []byte
	frames := 0
	for _, l := range stack[:min(usedLocations, len(stack))] {
		lines := p.LocationLines(l)
		named := 0
		for named < len(lines) && p.FunctionName(lines[named].Function) != "" {
			named++
		}
		if named == 0 {
			break
		}
		b = binary.AppendUvarint(b, uint64(named))
		for _, line := range lines[:named] {
			fn := p.Functions[line.Function]
			name := p.Strings[fn.Name]
			if m.starts[name] == 0 {
				m.starts[name] = fn.StartLine
			}
			b = binary.AppendUvarint(b, uint64(len(name)))
			b = append(b, name...)
			offset := line.Line - fn.StartLine
			if frames == 0 {
				offset = 0
			}
			b = binary.AppendVarint(b, offset)
			frames++
		}
		if named < len(lines) {
			break
		}
	}
	return string(b), frames
}

// profile builds what was added up, the stacks with most samples first.
func (m *merger) profile() *profile.Profile {
	keys := make([]string, 0, len(m.cells))
	for key := range m.cells {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(m.cells[b].samples, m.cells[a].samples), strings.Compare(a, b))
	})
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for _, key := range keys {
		c := m.cells[key]
		var stack []uint32
		for rest := []byte(key); len(rest) > 0; {
			n, size := binary.Uvarint(rest)
			rest = rest[size:]
			lines := make([]profile.Line, n)
			for i := range lines {
				length, size := binary.Uvarint(rest)
				name := string(rest[size : size+int(length)])
				rest = rest[size+int(length):]
				offset, size := binary.Varint(rest)
				rest = rest[size:]
				start := m.starts[name]
				lines[i] = profile.Line{Function: b.Function(name, name, "", start), Line: start + offset}
			}
			stack = append(stack, b.Location(0, 0, lines...))
		}
		// Rounding takes no sample away: ratios are 1 or more, but for sums that
		// would be too large.
		b.Sample(stack, nil, max(1, int64(c.samples+0.5)), max(1, int64(c.nanos+0.5)))
	}
	p := b.Profile()
	p.PeriodType, p.Period = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, 1e7
	return p
}
