package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

func openELF(r io.ReaderAt, size int64, magic [4]byte) (*image, error) {
	if string(magic[:]) != elf.ELFMAG {
		return nil, nil
	}
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	m := &image{arch: elfArch(f), order: f.ByteOrder, size: uint64(size)}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 {
			continue
		}
		m.addSection(section{s.Name, s.Addr, s.Size, s.Flags&elf.SHF_EXECINSTR != 0, s.ReaderAt})
		if s.Type == elf.SHT_NOTE {
			m.readNotes(f.ByteOrder, m.sections)
		}
	}
	m.text = m.sectionNamed(".text")
	m.readSymbols = func() ([]symbol, error) { return elfSymbols(f, elf.SHT_SYMTAB) }
	m.readDynamic = func() ([]symbol, error) { return elfSymbols(f, elf.SHT_DYNSYM) }
	m.relocations = func() []relocation { return elfRelocations(f) }
	m.base = func(start, limit, offset uint64) uint64 { return elfBase(f, start, offset) }
	m.debug = func(name string) ([]byte, error) { return elfDebug(f, uint64(size), name) }
	return m, nil
}

func elfArch(f *elf.File) string {
	switch f.Machine {
	case elf.EM_386:
		return "386"
	case elf.EM_X86_64:
		return "amd64"
	case elf.EM_ARM:
		return "arm"
	case elf.EM_AARCH64:
		return "arm64"
	case elf.EM_LOONGARCH:
		return "loong64"
	case elf.EM_PPC64:
		if f.ByteOrder == binary.LittleEndian {
			return "ppc64le"
		}
		return "ppc64"
	case elf.EM_RISCV:
		if f.Class == elf.ELFCLASS64 {
			return "riscv64"
		}
	case elf.EM_S390:
		return "s390x"
	}
	return ""
}

// elfBase finds the load address of a position-independent file.
//
// The kernel maps each segment at base + Vaddr, rounded down to a page as its
// offset in the file is, so start − offset = base + Vaddr − Off whatever the
// page size, and also for a mapping that begins in the middle of a segment.
// A mapping without a usable offset is taken to be the first executable segment.
func elfBase(f *elf.File, start, offset uint64) uint64 {
	if f.Type == elf.ET_EXEC {
		return 0
	}
	var first *elf.Prog
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 {
			continue
		}
		if first == nil {
			first = p
		}
		if low := roundDown(p.Off, p.Align); offset >= low && offset-low < p.Filesz+(p.Off-low) {
			return start - offset - (p.Vaddr - p.Off)
		}
	}
	if first == nil {
		return 0
	}
	return start - roundDown(first.Vaddr, first.Align)
}

func roundDown(v, align uint64) uint64 {
	if align > 1 {
		v -= v % align
	}
	return v
}

// elfSection returns the contents of a section that is not compressed.
func elfSection(s *elf.Section) ([]byte, error) {
	if s.Flags&elf.SHF_COMPRESSED != 0 {
		return nil, fmt.Errorf("section %s is compressed", s.Name)
	}
	return s.Data()
}

// elfSymbols reads a symbol table. The names are parts of one string: with
// debug/elf each would be a copy, and a hostile file can name the whole string
// table in every symbol.
func elfSymbols(f *elf.File, kind elf.SectionType) ([]symbol, error) {
	s := f.SectionByType(kind)
	if s == nil {
		return nil, elf.ErrNoSymbols
	}
	data, err := elfSection(s)
	if err != nil {
		return nil, err
	}
	if s.Link == 0 || int64(s.Link) >= int64(len(f.Sections)) {
		return nil, errors.New("symbol table without names")
	}
	b, err := elfSection(f.Sections[s.Link])
	if err != nil {
		return nil, err
	}
	names := string(b)

	//	          0       4       8              16             24
	//	64 bits:  |name   |i|o|sec|value         |size          |
	//	32 bits:  |name   |value  |size   |i|o|sec|
	size := 24
	if f.Class == elf.ELFCLASS32 {
		size = 16
	}
	if len(data) < size {
		return nil, elf.ErrNoSymbols
	}
	data = data[size:] // the first one is always empty
	syms := make([]symbol, 0, len(data)/size)
	for ; len(data) >= size; data = data[size:] {
		var sym symbol
		if size == 24 {
			sym.addr, sym.size = f.ByteOrder.Uint64(data[8:]), f.ByteOrder.Uint64(data[16:])
		} else {
			sym.addr, sym.size = uint64(f.ByteOrder.Uint32(data[4:])), uint64(f.ByteOrder.Uint32(data[8:]))
		}
		if off := f.ByteOrder.Uint32(data); uint64(off) < uint64(len(names)) {
			sym.name = names[off:]
			sym.name = sym.name[:max(strings.IndexByte(sym.name, 0), 0)]
		}
		syms = append(syms, sym)
	}
	return syms, nil
}

// elfRelocations returns those of the relocations with an explicit addend that
// name no symbol: the relative ones.
func elfRelocations(f *elf.File) []relocation {
	if f.Class != elf.ELFCLASS64 {
		return nil // the addend is in place, so the section can be read as it is
	}
	var out []relocation
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		b, err := elfSection(s)
		if err != nil {
			continue
		}
		for ; len(b) >= 24; b = b[24:] { // address, symbol<<32|type, addend
			if info := f.ByteOrder.Uint64(b[8:]); info>>32 == 0 {
				out = append(out, relocation{f.ByteOrder.Uint64(b), f.ByteOrder.Uint64(b[16:])})
			}
		}
	}
	return out
}

// elfDebug returns .debug_name or, compressed the old way, .zdebug_name.
func elfDebug(f *elf.File, size uint64, name string) ([]byte, error) {
	if s := f.Section(".debug_" + name); s != nil && s.Type != elf.SHT_NOBITS {
		if s.Flags&elf.SHF_COMPRESSED != 0 && s.Size/maxInflate > min(s.FileSize, size) {
			return nil, fmt.Errorf("section %s: implausible size %d", s.Name, s.Size)
		}
		return s.Data()
	}
	if s := f.Section(".zdebug_" + name); s != nil {
		b, err := elfSection(s)
		if err != nil {
			return nil, err
		}
		return inflateGNU(b)
	}
	return nil, nil
}

// readNotes takes the build IDs from the note section that was added last.
//
//	|name size|desc size|type|name, padded to 4|desc, padded to 4|
func (m *image) readNotes(order binary.ByteOrder, sections []section) {
	if len(sections) == 0 {
		return
	}
	s := &sections[len(sections)-1]
	b := s.read(0, 64<<10)
	for len(b) >= 12 {
		nameLen, descLen, kind := order.Uint32(b), order.Uint32(b[4:]), order.Uint32(b[8:])
		b = b[12:]
		descAt := (uint64(nameLen) + 3) &^ 3
		end := descAt + (uint64(descLen)+3)&^3
		if end > uint64(len(b)) {
			return
		}
		name := string(bytes.TrimRight(b[:nameLen], "\x00"))
		desc := b[descAt : descAt+uint64(descLen)]
		switch {
		case name == "GNU" && kind == 3:
			m.buildID = fmt.Sprintf("%x", desc)
		case name == "Go" && kind == 4:
			m.goBuildID = string(desc)
		}
		b = b[end:]
	}
}
