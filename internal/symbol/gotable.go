package symbol

import (
	"bytes"
	"slices"
)

// readGoTable finds the line table of a Go program, and the two addresses it
// depends on which are not in it: of the first instruction, and of go:func.*. syms are
// in the order of the file.
func readGoTable(m *image, syms []symbol) *goTable {
	var text uint64
	if m.text != nil {
		text = m.text.addr
	}
	address := map[string]uint64{
		"runtime.text": 0, "runtime.pclntab": 0, "runtime.epclntab": 0,
		"go:func.*": 0, "runtime.firstmoduledata": 0,
	}
	for _, s := range syms {
		if v, ok := address[s.name]; ok && v == 0 {
			address[s.name] = s.addr
		}
	}
	if a := address["runtime.text"]; a != 0 {
		text = a
	}
	t := m.lineTable(address["runtime.pclntab"], address["runtime.epclntab"], text)
	if t == nil || t.addr == 0 {
		return t
	}
	if t.setInlined(m.memory(t, address["go:func.*"])) && address["runtime.text"] != 0 {
		return t
	}

	data := m.moduleData(t, address["runtime.firstmoduledata"])
	if t.relative() && address["runtime.text"] == 0 {
		// Stripped. With cgo the section begins with code that is not Go's.
		if a := data.word(moduleText); a != 0 {
			t.text = a
		} else if a := t.word(t.data, 8+2*t.ptr, t.ptr); m.text != nil && a-m.text.addr < m.text.size {
			t.text = a
		}
	}
	if t.inlined == nil && !t.setInlined(m.memory(t, data.word(moduleGofunc))) {
		t.setInlined(m.memory(t, t.afterRecords()))
	}
	return t
}

// setInlined takes memory for what is at go:func.*, if it can be that.
func (t *goTable) setInlined(memory []byte) bool {
	if t.plausible(memory) {
		t.inlined = memory
	}
	return t.inlined != nil
}

// lineTable finds and decodes the line table.
func (m *image) lineTable(start, end, text uint64) *goTable {
	if s := m.sectionNamed(".gopclntab", ".data.rel.ro.gopclntab", "__gopclntab"); s != nil {
		return parseGoTable(s.read(0, s.size), s.addr, text)
	}
	if s := m.sectionAt(start); s != nil && start != 0 {
		size := s.size - (start - s.addr)
		if end > start {
			size = min(size, end-start)
		}
		return parseGoTable(s.read(start-s.addr, size), start, text)
	}
	// A stripped Windows program: part of another section, with no name.
	if m.sectionNamed(".rdata") == nil {
		return nil
	}
	for i := range m.sections {
		s := &m.sections[i]
		if s.exec {
			continue
		}
		b := s.read(0, s.size)
		for off := 0; ; off += 4 {
			k := bytes.Index(b[off:], []byte{0xff, 0xff, 0xff, 0, 0})
			if k < 0 {
				break
			}
			off += k
			if off == 0 {
				continue
			}
			if t := parseGoTable(b[off-1:], s.addr+uint64(off-1), text); t != nil && t.sane() {
				return t
			}
		}
	}
	return nil
}

// sane tells a line table from bytes that look like the start of one.
func (t *goTable) sane() bool {
	pcs := 0
	for i := range min(t.n, 100) {
		if t.pc(i) < t.pc(i+1) && t.function(i).field(1) < uint32(len(t.names)) {
			pcs++
		}
	}
	return pcs >= min(t.n, 100)-1
}

// Words of the runtime's description of a module, from Go 1.20 on. It begins
// with the address of the line table and the slices of its parts.
const (
	moduleTable  = 0
	moduleNames  = 1
	moduleText   = 22
	moduleGofunc = 40
)

// module is the runtime's description of the program: see moduleData.
type module struct {
	m    *image
	t    *goTable
	addr uint64 // 0 if it was not found

	relocations []relocation
}

// moduleData finds the runtime's description of the program, which has no
// name in a stripped file, by its reference to the line table.
func (m *image) moduleData(t *goTable, addr uint64) *module {
	d := &module{m: m, t: t, addr: addr}
	if t.magic != go120 {
		d.addr = 0 // laid out otherwise
		return d
	}
	if m.relocations != nil {
		d.relocations = m.relocations()
	}
	if addr != 0 {
		return d
	}
	names := t.addr + t.word(t.data, 8+3*t.ptr, t.ptr)
	for _, r := range d.relocations {
		if r.value == t.addr {
			if d.addr = r.addr; d.word(moduleNames) == names {
				return d
			}
		}
	}
	want := make([]byte, 2*t.ptr)
	if t.ptr == 8 {
		t.order.PutUint64(want, t.addr)
		t.order.PutUint64(want[8:], names)
	} else {
		t.order.PutUint32(want, uint32(t.addr))
		t.order.PutUint32(want[4:], uint32(names))
	}
	for i := range m.sections {
		s := &m.sections[i]
		if s.exec || t.addr-s.addr < s.size && s.addr == t.addr {
			continue
		}
		if k := bytes.Index(s.read(0, s.size), want); k >= 0 {
			d.addr = s.addr + uint64(k)
			return d
		}
	}
	d.addr = 0
	return d
}

// word returns word i, 0 if unknown.
func (d *module) word(i uint64) uint64 {
	if d.addr == 0 {
		return 0
	}
	addr := d.addr + i*d.t.ptr
	if k := slices.IndexFunc(d.relocations, func(r relocation) bool { return r.addr == addr }); k >= 0 {
		return d.relocations[k].value
	}
	if s := d.m.sectionAt(addr); s != nil {
		return d.t.word(s.read(addr-s.addr, d.t.ptr), 0, d.t.ptr)
	}
	return 0
}

// memory returns the bytes from addr to the end of its section.
func (m *image) memory(t *goTable, addr uint64) []byte {
	if off := addr - t.addr; off < uint64(len(t.data)) {
		return t.data[off:]
	}
	if s := m.sectionAt(addr); s != nil && addr != 0 {
		return s.read(addr-s.addr, s.size)
	}
	return nil
}

// afterRecords returns the address of the end of the function records, where
// Go 1.26 and later have go:func.* with the alignment of a pointer.
func (t *goTable) afterRecords() uint64 {
	f := t.function(t.n - 1)
	npcdata, nfuncdata := f.counts()
	end := uint64(len(t.data)-len(f.record)) + 44 + 4*(npcdata+nfuncdata)
	return (t.addr + end + t.ptr - 1) &^ (t.ptr - 1)
}

// plausible reports whether memory can be what is at go:func.*: whether the
// first inlined calls of all functions have a name and are in the function.
func (t *goTable) plausible(memory []byte) bool {
	if len(memory) == 0 {
		return false
	}
	seen := 0
	for i := 0; i < t.n && seen < 1000; i++ {
		f := t.function(i)
		c, ok := f.inlinedCall(memory, 0)
		if !ok {
			continue
		}
		seen++
		starts := c.name < uint64(len(t.names)) && (c.name == 0 || t.names[c.name-1] == 0)
		if !starts || c.parentPC >= f.end || c.startLine < 0 {
			return false
		}
	}
	return seen > 0
}
