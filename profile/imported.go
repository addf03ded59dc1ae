package profile

import (
	"math"
	"slices"
	"strings"
)

// imported builds a profile from another tool's samples.
type imported struct {
	b      *Builder
	lim    Limits
	mem    *meter
	held   int64
	frames int // number of frames in all samples
	adds   int
}

func newImported(types []ValueType, lim Limits, m *meter) *imported {
	return &imported{b: NewBuilder(types...), lim: lim, mem: m}
}

// location returns the location of a function, and a line of it if line isn't 0.
func (m *imported) location(name, file string, line int64) uint32 {
	if name == "" && file == "" {
		return m.b.Location(0, 0)
	}
	return m.b.Location(0, 0, Line{Function: m.b.Function(name, name, file, 0), Line: line})
}

// add adds a value of a sample type. The stack is leaf first.
func (m *imported) add(stack []uint32, labels []Label, values []int64) error {
	if m.frames += len(stack); m.frames > m.lim.Frames {
		return &LimitError{"frames", int64(m.lim.Frames)}
	}
	m.b.Sample(stack, labels, values...)
	return m.check()
}

func (m *imported) check() error {
	p := m.b.in.p
	switch {
	case len(p.Stacks) > m.lim.Samples:
		return &LimitError{"samples", int64(m.lim.Samples)}
	case len(p.Locations) > min(m.lim.Locations, m.lim.Functions) || len(p.Strings) > m.lim.Strings:
		return &LimitError{"functions", int64(min(m.lim.Locations, m.lim.Functions, m.lim.Strings))}
	case len(p.Labels) > m.lim.Labels:
		return &LimitError{"labels", int64(m.lim.Labels)}
	}
	if m.adds++; m.adds%64 == 0 {
		return m.hold()
	}
	return nil
}

func (m *imported) hold() error { return m.mem.hold(&m.held, m.b.in.bytes()) }

// profile returns the profile of all samples.
func (m *imported) profile() (*Profile, error) {
	if err := m.hold(); err != nil {
		return nil, err
	}
	return m.b.Profile(), nil
}

// text returns a string label of the builder.
func (m *imported) text(key, value string) Label {
	return Label{Key: m.b.String(key), Str: m.b.String(value)}
}

// rounded returns the nearest integer of v. It fails if an int64 can't hold it.
func (j *jsonReader) rounded(v float64) (int64, error) {
	if v = math.Round(v); math.Abs(v) >= 1<<63 {
		return 0, j.errorf("a value of %v is too large", v)
	}
	return int64(v), nil
}

// foreignUnit converts another tool's unit. It returns the unit in the profile and the
// factor for values. Times become nanoseconds.
func foreignUnit(unit string) (name string, factor float64) {
	switch unit {
	case "nanoseconds":
		return "nanoseconds", 1
	case "microseconds":
		return "nanoseconds", 1e3
	case "milliseconds", "tracing-ms":
		return "nanoseconds", 1e6
	case "seconds":
		return "nanoseconds", 1e9
	case "bytes":
		return "bytes", 1
	}
	return "count", 1
}

// foreignType returns the sample type for a unit if the tool has no name for it.
func foreignType(unit string) ValueType {
	switch unit, _ := foreignUnit(unit); unit {
	case "nanoseconds":
		return ValueType{"time", unit}
	case "bytes":
		return ValueType{"space", unit}
	}
	return ValueType{"samples", "count"}
}

// honeType returns the sample type with a name in hone's exports. The name includes the
// unit if the format doesn't have that unit.
func honeType(name, unit string) ValueType {
	if kind, of, ok := strings.Cut(name, " in "); ok && unit == "count" {
		return ValueType{kind, of}
	}
	return ValueType{name, unit}
}

// typeSet lists the sample types of a file in the order of their first use.
type typeSet []ValueType

func (s *typeSet) of(t ValueType) int {
	i := slices.Index(*s, t)
	if i < 0 {
		i = len(*s)
		*s = append(*s, t)
	}
	return i
}
