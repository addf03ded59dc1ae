package symbol

import (
	"debug/pe"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

func openPE(r io.ReaderAt, size int64, magic [4]byte) (*image, error) {
	if magic[0] != 'M' || magic[1] != 'Z' {
		return nil, nil
	}
	if err := checkPESymbols(r, size); err != nil {
		return nil, err
	}
	f, err := pe.NewFile(r)
	if err != nil {
		return nil, err
	}
	var imageBase uint64
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		imageBase = uint64(h.ImageBase)
	case *pe.OptionalHeader64:
		imageBase = h.ImageBase
	default:
		return nil, errors.New("no image base")
	}
	m := &image{arch: peArch(f.Machine), order: binary.LittleEndian, size: uint64(size)}
	for _, s := range f.Sections {
		if name, _ := debugName(s.Name); name != "" || s.Offset == 0 {
			continue
		}
		exec := s.Characteristics&pe.IMAGE_SCN_MEM_EXECUTE != 0
		m.addSection(section{s.Name, imageBase + uint64(s.VirtualAddress), uint64(s.Size), exec, s.ReaderAt})
	}
	m.text = m.sectionNamed(".text")
	m.readSymbols = func() ([]symbol, error) {
		syms := make([]symbol, 0, len(f.Symbols))
		for _, s := range f.Symbols {
			sym := symbol{name: s.Name, addr: uint64(s.Value)}
			if s.SectionNumber > 0 { // others are constants and undefined
				if int(s.SectionNumber) > len(f.Sections) {
					return nil, errors.New("invalid section number in symbol table")
				}
				sym.addr += imageBase + uint64(f.Sections[s.SectionNumber-1].VirtualAddress)
			}
			syms = append(syms, sym)
		}
		inferSizes(syms)
		return syms, nil
	}
	m.base = func(start, limit, offset uint64) uint64 { return start - imageBase }
	m.debug = func(want string) ([]byte, error) {
		for _, s := range f.Sections {
			name, compressed := debugName(s.Name)
			if name != want {
				continue
			}
			b, err := s.Data()
			if err != nil {
				return nil, err
			}
			if s.VirtualSize > 0 && s.VirtualSize < s.Size {
				b = b[:min(s.VirtualSize, uint32(len(b)))]
			}
			if compressed {
				return inflateGNU(b)
			}
			return b, nil
		}
		return nil, nil
	}
	return m, nil
}

func peArch(machine uint16) string {
	switch machine {
	case pe.IMAGE_FILE_MACHINE_I386:
		return "386"
	case pe.IMAGE_FILE_MACHINE_AMD64:
		return "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		return "arm64"
	}
	return ""
}

// checkPESymbols refuses a symbol table that debug/pe, which copies the name
// of every symbol as soon as it opens a file, would need much memory for.
func checkPESymbols(r io.ReaderAt, size int64) error {
	var b [20]byte
	if _, err := r.ReadAt(b[:4], 0x3c); err != nil {
		return ErrFormat
	}
	header := int64(binary.LittleEndian.Uint32(b[:]))
	if _, err := r.ReadAt(b[:4], header); err != nil || string(b[:4]) != "PE\x00\x00" {
		return ErrFormat
	}
	if _, err := r.ReadAt(b[:], header+4); err != nil {
		return ErrFormat
	}
	const symbolSize = 18
	start, n := int64(binary.LittleEndian.Uint32(b[8:])), int64(binary.LittleEndian.Uint32(b[12:]))
	if start == 0 {
		return nil
	}
	names := start + n*symbolSize
	if names > size {
		return errors.New("symbol table beyond the end of the file")
	}
	return checkNames(r, names, size-names, n)
}

// debugName returns the DWARF name of a section, "" for another section.
func debugName(section string) (name string, compressed bool) {
	if n, ok := strings.CutPrefix(section, ".debug_"); ok {
		return n, false
	}
	if n, ok := strings.CutPrefix(section, ".zdebug_"); ok {
		return n, true
	}
	return "", false
}
