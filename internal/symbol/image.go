package symbol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrFormat means that a file is not an executable of a known format.
var ErrFormat = errors.New("unrecognized object file")

// Frame is one function call at an address.
type Frame struct {
	Function  string // the linker's name
	File      string // "" if unknown
	Line      int    // 0 if unknown
	StartLine int    // line on which the function begins, 0 if unknown
}

// symbol is a symbol as stored.
type symbol struct {
	name       string
	addr, size uint64
}

// image is an executable's contents, independent of its format.
type image struct {
	arch      string // a GOARCH, or "" for an architecture Go does not have
	order     binary.ByteOrder
	size      uint64    // of the file; a bound on what its headers may claim
	text      *section  // nil if there is none
	sections  []section // those loaded into memory from the file
	claimed   uint64    // sum of the sizes of sections
	buildID   string    // GNU build ID in hex, or ""
	goBuildID string

	// readSymbols returns the symbol table in file order.
	readSymbols func() ([]symbol, error)
	// readDynamic returns the symbols the dynamic linker needs; may be nil.
	readDynamic func() ([]symbol, error)
	// base implements File.Base.
	base func(start, limit, offset uint64) uint64
	// debug returns the DWARF section name (such as "info"), nil if absent.
	debug func(name string) ([]byte, error)
	// relocations returns the relative relocations: address and the value the
	// loader puts there before it adds the base. May be nil.
	relocations func() []relocation
}

type relocation struct{ addr, value uint64 }

// section is a range of memory that is loaded from the file.
type section struct {
	name       string
	addr, size uint64
	exec       bool
	r          io.ReaderAt
}

// read returns up to n bytes from off on, fewer where the section or the file ends.
func (s *section) read(off, n uint64) []byte {
	if off >= s.size {
		return nil
	}
	b := make([]byte, min(n, s.size-off))
	k, _ := s.r.ReadAt(b, int64(off))
	return b[:max(k, 0)]
}

// sectionNamed returns the section of the first of names that there is, or nil.
func (m *image) sectionNamed(names ...string) *section {
	for _, name := range names {
		for i := range m.sections {
			if m.sections[i].name == name {
				return &m.sections[i]
			}
		}
	}
	return nil
}

// addSection keeps s with its size cut to what the file can hold, unless it is
// empty, or all sections are several times as large as the file together.
func (m *image) addSection(s section) {
	s.size = min(s.size, m.size)
	if m.claimed += s.size; m.claimed > 4*m.size {
		return
	}
	if s.size > 0 && s.addr+s.size > s.addr {
		m.sections = append(m.sections, s)
	}
}

// sectionAt returns the section that holds addr, or nil.
func (m *image) sectionAt(addr uint64) *section {
	for i := range m.sections {
		if s := &m.sections[i]; addr-s.addr < s.size {
			return s
		}
	}
	return nil
}

// inferSizes gives each symbol the bytes up to the next one.
func inferSizes(syms []symbol) {
	addrs := make([]uint64, len(syms))
	for i, s := range syms {
		addrs[i] = s.addr
	}
	slices.Sort(addrs)
	addrs = slices.Compact(addrs)
	for i := range syms {
		if j, _ := slices.BinarySearch(addrs, syms[i].addr); j+1 < len(addrs) {
			syms[i].size = addrs[j+1] - syms[i].addr
		}
	}
}

// guard turns a panic of a parser of the standard library into an error.
func guard(err *error) {
	if e := recover(); e != nil {
		*err = fmt.Errorf("malformed executable: %v", e)
	}
}
