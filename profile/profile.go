package profile

import (
	"fmt"
	"path/filepath"
	"strings"
)

// StringID is an index into [Profile.Strings]. 0 is the empty string.
type StringID = uint32

// Profile is one profile in columns. All indexes are 0-based positions in the
// named slice unless said otherwise.
type Profile struct {
	SampleTypes       []ValueType // one per value column, at least one when there are samples
	DefaultSampleType string      // Type of the sample type to show first, or ""
	PeriodType        ValueType   // kind of event between samples
	Period            int64       // events between samples, in PeriodType.Unit
	TimeNanos         int64       // start of the collection, ns since 1970 UTC, 0 if unknown
	DurationNanos     int64       // length of the collection in ns, 0 if unknown
	Comments          []string
	DocURL            string
	DropFrames        string // regexp of functions whose frames (and callees) [RemoveUninteresting] drops
	KeepFrames        string // regexp of exceptions from DropFrames

	Strings   []string // Strings[0] == ""; a string may occur more than once
	Mappings  []Mapping
	Functions []Function
	Locations []Location
	Lines     []Line   // see Location.FirstLine
	Frames    []uint32 // location indexes, leaf first; see Stacks

	// One entry per sample in each of the following.
	Stacks       []Stack    // its range of Frames; ranges may be shared and Frames may hold gaps
	SampleLabels []uint32   // its index in LabelSets; nil when no sample has labels
	Values       [][]int64  // Values[t][s] is sample s's value of SampleTypes[t]
	LabelSets    []LabelSet // LabelSets[0] is the empty set, when there are any
	Labels       []Label    // see LabelSet

	stackTree *stackTree // see [Profile.StackTree]
}

// ValueType names a value column, such as {"cpu", "nanoseconds"}.
type ValueType struct {
	Type, Unit string
}

// Mapping is a region of a process's address space with code from one file.
type Mapping struct {
	ID                   uint64 // as in the encoded profile; unique, not 0
	Start, Limit, Offset uint64
	File, BuildID        string
	HasFunctions         bool
	HasFilenames         bool
	HasLineNumbers       bool
	HasInlineFrames      bool
}

// Function is a function of the profiled program.
type Function struct {
	Name, SystemName, File StringID // SystemName is the linker's name
	StartLine              int64    // first line of the function in File, 0 if unknown
}

// Location is a place in the program: an instruction address, with the source
// lines it belongs to when it is symbolized.
type Location struct {
	ID        uint64 // as in the encoded profile; unique, not 0
	Address   uint64 // 0 if unknown
	Mapping   uint32 // index in Mappings plus 1; 0 for none
	FirstLine uint32 // its lines are Lines[FirstLine : FirstLine+NumLines], ...
	NumLines  uint32 // ... innermost inlined function first, the caller last
	Folded    bool   // the lines belong to several functions with identical code
}

// Line is one source line of a location.
type Line struct {
	Function     uint32 // index in Functions
	Line, Column int64  // 0 if unknown
}

// Stack is a range of [Profile.Frames], leaf first.
type Stack struct {
	Start, Len uint32
}

// LabelSet is a range of [Profile.Labels]: the labels of one or more samples,
// string labels before numeric ones, each sorted by key; values of one key keep
// their order.
type LabelSet struct {
	Start, Len uint32
}

// Label is one label of a sample.
type Label struct {
	Key     StringID
	Str     StringID // value of a string label
	Unit    StringID // unit of a numeric label, "" if it has none
	Numeric bool
	HasUnit bool  // some numeric label of this key in this set has a unit
	Num     int64 // value of a numeric label
}

// NumSamples returns the number of samples.
func (p *Profile) NumSamples() int { return len(p.Stacks) }

// Stack returns the location indexes of sample s, leaf first. The slice is part
// of the profile: do not change it.
func (p *Profile) Stack(s int) []uint32 {
	k := p.Stacks[s]
	return p.Frames[k.Start : k.Start+k.Len : k.Start+k.Len]
}

// LocationLines returns the source lines of location l, innermost first. The
// slice is part of the profile: do not change it.
func (p *Profile) LocationLines(l uint32) []Line {
	loc := &p.Locations[l]
	return p.Lines[loc.FirstLine : loc.FirstLine+loc.NumLines : loc.FirstLine+loc.NumLines]
}

// FunctionName returns the name of function f.
func (p *Profile) FunctionName(f uint32) string { return p.Strings[p.Functions[f].Name] }

// MappingOf returns the mapping of location l, or nil.
func (p *Profile) MappingOf(l uint32) *Mapping {
	if m := p.Locations[l].Mapping; m != 0 {
		return &p.Mappings[m-1]
	}
	return nil
}

// SampleIndex returns the index in SampleTypes that name selects: a decimal
// index, or a type's name, also without its "inuse_" prefix; "" selects
// DefaultSampleType, or else the last type.
func (p *Profile) SampleIndex(name string) (int, error) {
	if name == "" {
		if dst := p.DefaultSampleType; dst != "" {
			for i, t := range p.SampleTypes {
				if t.Type == dst {
					return i, nil
				}
			}
		}
		return len(p.SampleTypes) - 1, nil
	}
	if i, ok := decimal(name); ok {
		if i < 0 || i >= len(p.SampleTypes) {
			return 0, fmt.Errorf("sample_index %s is outside the range [0..%d]", name, len(p.SampleTypes)-1)
		}
		return i, nil
	}
	short := strings.TrimPrefix(name, "inuse_")
	for i, t := range p.SampleTypes {
		if t.Type == name || t.Type == short {
			return i, nil
		}
	}
	types := make([]string, len(p.SampleTypes))
	for i, t := range p.SampleTypes {
		types[i] = t.Type
	}
	return 0, fmt.Errorf("sample_index %q must be one of: %v", name, types)
}

// KernelRelocationSymbol returns what follows "[kernel.kallsyms]" in the
// mapping's file name ("_text" or "_stext"), which some tools put there.
func (m *Mapping) KernelRelocationSymbol() string {
	const prefix = "[kernel.kallsyms]"
	if strings.HasPrefix(m.File, prefix) {
		return m.File[len(prefix):]
	}
	return ""
}

// Unsymbolizable reports whether the mapping's file can hold no symbols, such
// as "[vdso]" or "//anon".
func (m *Mapping) Unsymbolizable() bool {
	name := filepath.Base(m.File)
	return strings.HasPrefix(name, "[") || strings.HasPrefix(name, "linux-vdso") ||
		strings.HasPrefix(m.File, "/dev/dri/") || m.File == "//anon" || m.File == "" ||
		strings.HasPrefix(m.File, "/memfd:")
}

// A StackTree has the stacks of a profile as a tree, from the outermost locations to the
// innermost, so that common beginnings are stored once. A profile made from such a tree can
// keep it with [WithStackTree]; building a [Tree] then takes a fraction of the time.
type StackTree struct {
	Parent   []uint32 // of each node, a lower number; node 0 is the root, which has no location
	Location []uint32 // of each node, its index in Locations
	Leaf     []uint32 // of each sample, the node of its innermost location
}

// stackTree is a StackTree with the columns that it describes.
type stackTree struct {
	StackTree
	stacks *Stack  // the first
	frames *uint32 // the first
}

// decimal parses a decimal integer with an optional sign.
func decimal(s string) (int, bool) {
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg, s = s[0] == '-', s[1:]
	}
	if s == "" || len(s) > 18 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}
