// Package pgo makes the profile that the compiler optimizes by, default.pgo, of
// profiles of production: it weighs and trims them (merge.go), tells how much of the
// result still is of the source at hand (fresh.go, source.go) and puts it in place
// (file.go).
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

// An Input is a CPU profile and where it comes from.
type Input struct {
	Profile *profile.Profile
	Source  string // a service, or what the user named
	Version string // of the service, or the benchmark of a run; may be ""
}

// Weights says how much inputs count beside each other.
type Weights string

const (
	// Equal: each source has the same weight, and within a source each version: a
	// service with many instances doesn't decide for one with few.
	Equal Weights = "equal"
	// CPU: each second of CPU time has the same weight.
	CPU Weights = "cpu"
)

// Errors of inputs, which say what to do next.
var (
	ErrNoCPU    = errors.New("it has no CPU samples")
	ErrNoNames  = errors.New("its samples have no names of functions")
	ErrNoStarts = errors.New("it does not say on which lines functions start, by which the compiler finds calls")
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

func (in *Input) name() string {
	if in.Version == "" {
		return in.Source
	}
	return in.Source + " " + in.Version
}

// A part is what has a weight of its own.
type part struct{ source, version string }

func (in *Input) part() part { return part{in.Source, in.Version} }

// A cell is what is counted of a stack.
type cell struct{ samples, nanos float64 }

func (c *cell) add(d cell, ratio float64) {
	c.samples += ratio * d.samples
	c.nanos += ratio * d.nanos
}

// scales returns what values of parts are multiplied by: 1 for the one that is scaled
// least, and more for all others, so that no sample is rounded away.
func scales(parts map[part]*cell, w Weights) map[part]float64 {
	ratios := make(map[part]float64)
	versions := make(map[string]int)
	for p := range parts {
		versions[p.source]++
	}
	most := 0.0 // a source's total
	for p, c := range parts {
		ratios[p] = 1
		most = max(most, c.nanos*float64(versions[p.source]))
	}
	if w == CPU {
		return ratios
	}
	const largest = 1 << 60 // of 1<<63, over all sources
	most = min(most, largest/float64(len(versions)))
	for p, c := range parts {
		if c.nanos > 0 {
			ratios[p] = most / float64(versions[p.source]) / c.nanos
		}
	}
	return ratios
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

// HasCPU reports whether a profile has CPU time, which Merge wants.
func HasCPU(p *profile.Profile) bool {
	_, err := columns(p)
	return err == nil
}

// columns finds the values of a CPU profile: one column of the two may be missing.
func columns(p *profile.Profile) (value func(s int) cell, err error) {
	samples, cpu, perNano := -1, -1, 1.0
	for i, t := range p.SampleTypes {
		switch {
		case t.Type == "samples" && t.Unit == "count":
			samples = i
		case t.Type == "cpu":
			to, unit := profile.Convert(1e9, t.Unit, "nanoseconds")
			if unit == "ns" || unit == "nanoseconds" {
				cpu, perNano = i, to/1e9
			}
		}
	}
	period := 1e7 // runtime/pprof takes 100 samples a second
	if p.PeriodType.Type == "cpu" && p.PeriodType.Unit == "nanoseconds" && p.Period > 0 {
		period = float64(p.Period)
	}
	switch {
	case cpu >= 0 && samples >= 0:
		return func(s int) cell { return cell{float64(p.Values[samples][s]), float64(p.Values[cpu][s]) * perNano} }, nil
	case cpu >= 0:
		return func(s int) cell {
			n := float64(p.Values[cpu][s]) * perNano
			return cell{n / period, n}
		}, nil
	case samples >= 0 && p.PeriodType.Type == "cpu":
		return func(s int) cell {
			n := float64(p.Values[samples][s])
			return cell{n, n * period}
		}, nil
	}
	var have []string
	for _, t := range p.SampleTypes {
		have = append(have, t.Type+"/"+t.Unit)
	}
	if len(have) == 0 {
		return nil, ErrNoCPU
	}
	return nil, fmt.Errorf("%w, but %s: take a CPU profile, as of /debug/pprof/profile or go test -cpuprofile", ErrNoCPU, strings.Join(have, ", "))
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
		return nil, fmt.Errorf("%w: take the profile anew, with a program built by Go 1.20 or later", ErrNoStarts)
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
