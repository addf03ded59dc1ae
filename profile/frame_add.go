package profile

import (
	"fmt"
	"path"
	"slices"
)

// Add numbers the frames of p's locations. The map keeps p.
func (t *FrameTable) Add(p *Profile) *FrameMap {
	m := &FrameMap{
		code:      make([]FrameRef, len(p.Locations)),
		lists:     make([]FrameRef, 0, 2*max(0, len(p.Lines)-len(p.Locations))),
		p:         p,
		functions: make([]uint32, len(p.Functions)),
	}
	if len(t.info) == 0 { // most functions have a name of their own
		t.info = make([]functionInfo, 0, len(p.Functions))
		t.in.p.Functions = make([]Function, 0, len(p.Functions))
		t.in.p.Strings = slices.Grow(t.in.p.Strings, len(p.Functions))
		t.in.functions.Reserve(len(p.Functions))
		t.in.strings.Reserve(len(p.Functions))
	}
	files := make(fileIDs, len(p.Strings))
	for l := range p.Locations {
		lines := t.lines(p, uint32(l))
		var address uint64
		if t.granularity == "addresses" {
			address = p.Locations[l].Address
		}
		if len(lines) > 1 {
			m.code[l] = FrameRef(len(m.lists)<<1 | 1)
			m.lists = append(m.lists, FrameRef(len(lines)))
		}
		for i, line := range lines {
			if m.functions[line.Function] == 0 {
				m.functions[line.Function] = t.function(p, line.Function, files) + 1
			}
			frame := m.functions[line.Function] - 1
			if t.fine() {
				frame = t.line(frame, line.Line, address)
			}
			if len(lines) == 1 {
				m.code[l] = FrameRef(frame << 1)
			} else {
				m.lists = append(m.lists, FrameRef(frame<<1|uint32(b2u(i < len(lines)-1))))
			}
		}
		if len(lines) == 0 {
			m.code[l] = FrameRef(t.unsymbolized(p, uint32(l), address) << 1)
		}
	}
	return m
}

// function interns function f of p.
func (t *FrameTable) function(p *Profile, f uint32, files fileIDs) uint32 {
	fn := &p.Functions[f]
	at := t.definition(p, f, files)
	key := Function{Name: t.in.str(p.Strings[fn.Name])}
	switch t.granularity {
	case "files":
		key.Name = at.file
	case "functions":
	case "filefunctions":
		key.File = at.file
	default:
		if at.file != 0 {
			key.File = t.in.str(path.Base(t.in.p.Strings[at.file]))
		}
	}
	if key.Name == 0 {
		key.Name = t.in.str(unknownName)
	}
	id := t.in.function(key)
	t.note(id, at)
	return id
}

// line interns a line of a function.
func (t *FrameTable) line(function uint32, line int64, address uint64) uint32 {
	return t.in.location(Location{Address: address}, []Line{{Function: function, Line: line}})
}

// unsymbolized interns the frame of a location without lines.
func (t *FrameTable) unsymbolized(p *Profile, l uint32, address uint64) uint32 {
	name := unknownName
	if m := p.MappingOf(l); m != nil && m.File != "" {
		name = "[" + path.Base(m.File) + "]"
	}
	if address != 0 {
		name = fmt.Sprintf("0x%x %s", address, name)
	}
	function := t.in.function(Function{Name: t.in.str(name)})
	t.note(function, funcDef{})
	if t.fine() {
		return t.line(function, 0, address)
	}
	return function
}
