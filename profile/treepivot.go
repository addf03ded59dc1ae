package profile

import (
	"fmt"
	"path"
	"slices"
	"unicode/utf8"
)

// Label is what the frame is shown as: its name, and behind it the line and
// address where those are told apart, as "main.f f.go:12 0x46a3f0".
func (f *Frame) Label() string {
	s := f.Name
	if f.Line != 0 {
		s = fmt.Sprintf("%s %s:%d", s, path.Base(f.File), f.Line)
	}
	if f.Address != 0 && f.File != "" { // the name of code without symbols has it already
		s = fmt.Sprintf("%s 0x%x", s, f.Address)
	}
	return s
}

// isCalled reports whether name means the frame: it is its name or label, or
// what tables of functions print at the frame's granularity, which is the name
// and the whole path of the file.
func (f *Frame) isCalled(name string) bool {
	if f.Name == name || f.Name+" "+f.File == name {
		return true
	}
	if !utf8.ValidString(f.Name) && string([]rune(f.Name)) == name {
		return true // name has been through JSON
	}
	if f.Line == 0 && f.Address == 0 {
		return false
	}
	if f.Label() == name {
		return true
	}
	full := fmt.Sprintf("%s %s:%d", f.Name, f.File, f.Line)
	return full == name || fmt.Sprintf("%016x %s", f.Address, full) == name
}

// pivots tells which frames of the table are the one that a pivot names: a
// function's name means all its lines.
func (t *FrameTable) pivots(name string) []bool {
	is := make([]bool, t.Len())
	for i := range is {
		f := t.Frame(uint32(i))
		is[i] = f.isCalled(name) || slices.ContainsFunc(t.others[t.functionOf(uint32(i))], func(at funcDef) bool {
			f.File = t.in.p.Strings[at.file]
			return f.isCalled(name)
		})
	}
	return is
}
