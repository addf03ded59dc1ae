package profile

import "fmt"

// Frame is an entry of a stack, at the granularity of a report.
type Frame struct {
	Name      string // function, or the file when frames are files; "[libc.so.6]" is code without symbols
	File      string // "" if unknown; of Files files, the one with most of the values: see [FrameTable.Settle]
	Files     int    // how many files have the function, such as copies of a program in several folders
	StartLine int64  // first line of the function in File, 0 if unknown
	Line      int64  // only where lines are told apart
	Address   uint64 // only where addresses are told apart
}

// FrameTable gives the frames of one or more profiles a number each, so that
// equal frames of different profiles have the same number. What is equal
// depends on the granularity:
//
//	functions      the name; "" means the same
//	filefunctions  the name and the file
//	files          the file
//	lines          name, line, and the file without its folder
//	addresses      as lines, and the address
//
// Where its source was at compile time doesn't matter for a function. Otherwise
// versions of a program built in different folders would have no function in
// common. An inlined function is a frame like any other.
type FrameTable struct {
	granularity string
	noInlines   bool
	in          *interner // its functions are the frames; its locations, at lines and addresses
	info        []functionInfo
	others      map[uint32][]funcDef // further definitions of functions that have several
}

// FrameRef is a frame's number in its table, and whether the function is inlined
// at this place.
type FrameRef uint32

// Index returns the number of the frame.
func (f FrameRef) Index() uint32 { return uint32(f >> 1) }

// Inlined reports whether the function is inlined into the next frame.
func (f FrameRef) Inlined() bool { return f&1 != 0 }

// FrameMap holds the frames of a profile's locations.
type FrameMap struct {
	// A location's only frame, as most have one; for others the place of their
	// list in lists, shifted, with the lowest bit set. An only frame is not
	// inlined, so that bit of it is 0.
	code  []FrameRef
	lists []FrameRef // number of frames, frames, number of frames, …

	p         *Profile
	functions []uint32 // by the profile's: the table's plus 1, 0 for those of no location
}

// At returns the frames of location l, the innermost inlined function first;
// there is always one.
func (m *FrameMap) At(l uint32) []FrameRef {
	c := m.code[l]
	if c.sole() {
		return m.code[l : l+1]
	}
	return m.list(c)
}

// sole reports whether an entry of FrameMap.code is a frame.
func (f FrameRef) sole() bool { return f&1 == 0 }

// list returns the frames of an entry of code that is not sole.
func (m *FrameMap) list(code FrameRef) []FrameRef {
	at := uint32(code >> 1)
	return m.lists[at+1 : at+1+uint32(m.lists[at])]
}

// unknownName is the name of functions whose name is unknown.
const unknownName = "<unknown>"

// NewFrameTable returns an empty table. With noInlines, functions count as the
// function they are inlined into.
func NewFrameTable(granularity string, noInlines bool) (*FrameTable, error) {
	switch granularity {
	case "functions", "filefunctions", "files", "lines", "addresses":
	case "":
		granularity = "functions"
	default:
		return nil, fmt.Errorf("unknown granularity %q: use functions, filefunctions, files, lines or addresses", granularity)
	}
	return &FrameTable{granularity: granularity, noInlines: noInlines, in: newInterner(), others: map[uint32][]funcDef{}}, nil
}

// Len returns the number of frames.
func (t *FrameTable) Len() int {
	if t.fine() {
		return len(t.in.p.Locations)
	}
	return len(t.in.p.Functions)
}

// Frame returns a frame.
func (t *FrameTable) Frame(i uint32) Frame {
	p := t.in.p
	var f Frame
	fn := t.functionOf(i)
	if t.fine() {
		f.Line, f.Address = p.LocationLines(i)[0].Line, p.Locations[i].Address
	}
	info := &t.info[fn]
	f.Name = p.Strings[p.Functions[fn].Name]
	f.File, f.Files, f.StartLine = p.Strings[info.file], int(info.files), info.startLine
	return f
}

// functionOf returns the function of a frame.
func (t *FrameTable) functionOf(frame uint32) uint32 {
	if t.fine() {
		return t.in.p.LocationLines(frame)[0].Function
	}
	return frame
}

// fine tells that a function has several frames.
func (t *FrameTable) fine() bool { return t.granularity == "lines" || t.granularity == "addresses" }

// lines returns the lines of location l that are frames.
func (t *FrameTable) lines(p *Profile, l uint32) []Line {
	lines := p.LocationLines(l)
	switch {
	case len(lines) < 2:
	case t.noInlines:
		return lines[len(lines)-1:]
	case t.granularity == "files":
		// A file is one frame, however many of its functions were inlined.
		return distinctFiles(p, lines)
	}
	return lines
}

// functionInfo describes a function, but doesn't identify it.
type functionInfo struct {
	funcDef
	files   uint32 // of all its definitions
	settled bool
}

// funcDef is where a function is defined.
type funcDef struct {
	file      StringID
	startLine int64
}

// distinctFiles returns lines without those whose caller is in the same file.
func distinctFiles(p *Profile, lines []Line) []Line {
	var out []Line
	for i, l := range lines {
		if i == len(lines)-1 || p.Strings[p.Functions[l.Function].File] != p.Strings[p.Functions[lines[i+1].Function].File] {
			out = append(out, l)
		}
	}
	return out
}
