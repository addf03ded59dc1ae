package symbol

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
)

func openMachO(r io.ReaderAt, size int64, magic [4]byte) (*image, error) {
	switch binary.BigEndian.Uint32(magic[:]) {
	case macho.MagicFat:
		return openFat(r, size)
	case macho.Magic32, macho.Magic64:
		return openThin(r, size, binary.BigEndian)
	}
	switch binary.LittleEndian.Uint32(magic[:]) {
	case macho.Magic32, macho.Magic64:
		return openThin(r, size, binary.LittleEndian)
	}
	return nil, nil
}

// openFat opens one program of a file with several: the one for this machine's
// architecture, or else the first.
//
//	|magic|count|  then for each  |cpu|subcpu|offset|size|align|
//
// all big-endian and 32 bits wide.
func openFat(r io.ReaderAt, size int64) (*image, error) {
	const maxPrograms = 20 // the magic is also that of Java classes, whose version is larger
	var b [8 + 20*maxPrograms]byte
	n, _ := r.ReadAt(b[:], 0)
	count := binary.BigEndian.Uint32(b[4:])
	if count == 0 || count > maxPrograms || n < 8+20*int(count) {
		return nil, nil
	}
	var first *image
	for i := range int(count) {
		e := b[8+20*i:]
		off, length := int64(binary.BigEndian.Uint32(e[8:])), int64(binary.BigEndian.Uint32(e[12:]))
		if off+length > size {
			return nil, errors.New("program beyond the end of the file")
		}
		own := machoArch(macho.Cpu(binary.BigEndian.Uint32(e))) == runtime.GOARCH
		if !own && first != nil {
			continue
		}
		part := io.NewSectionReader(r, off, length)
		var magic [4]byte
		if _, err := part.ReadAt(magic[:], 0); err != nil || binary.BigEndian.Uint32(magic[:]) == macho.MagicFat {
			return nil, ErrFormat
		}
		m, err := openMachO(part, length, magic)
		if err != nil {
			return nil, err
		}
		if own {
			return m, nil
		}
		first = m
	}
	return first, nil
}

func openThin(r io.ReaderAt, size int64, order binary.ByteOrder) (*image, error) {
	if err := checkMachSymbols(r, size, order); err != nil {
		return nil, err
	}
	f, err := macho.NewFile(r)
	if err != nil {
		return nil, err
	}
	m := &image{arch: machoArch(f.Cpu), order: f.ByteOrder, size: uint64(size)}
	for _, s := range f.Sections {
		const zeroFill = 1
		if kind := s.Flags & 0xff; kind != zeroFill && s.Seg != "__DWARF" {
			m.addSection(section{s.Name, s.Addr, s.Size, s.Name == "__text", s.ReaderAt})
		}
	}
	m.text = m.sectionNamed("__text")
	m.readSymbols = func() ([]symbol, error) {
		if f.Symtab == nil {
			return nil, nil
		}
		syms := make([]symbol, 0, len(f.Symtab.Syms))
		for _, s := range f.Symtab.Syms {
			const debugger = 0xe0
			if s.Type&debugger == 0 {
				syms = append(syms, symbol{name: s.Name, addr: s.Value})
			}
		}
		inferSizes(syms)
		return syms, nil
	}
	m.base = func(start, limit, offset uint64) uint64 {
		s := f.Segment("__TEXT")
		if s == nil {
			return 0
		}
		if offset != 0 && offset-s.Offset < s.Filesz {
			return start - offset - (s.Addr - s.Offset)
		}
		return start - s.Addr
	}
	m.debug = func(name string) ([]byte, error) {
		for _, s := range f.Sections {
			if s.Name == "__debug_"+truncate(name, 16-len("__debug_")) {
				return s.Data()
			}
			if s.Name == "__zdebug_"+truncate(name, 16-len("__zdebug_")) {
				b, err := s.Data()
				if err != nil {
					return nil, err
				}
				return inflateGNU(b)
			}
		}
		return nil, nil
	}
	return m, nil
}

// truncate cuts a section's name to the 16 bytes Mach-O has for it.
func truncate(name string, n int) string { return name[:min(len(name), n)] }

func machoArch(cpu macho.Cpu) string {
	switch cpu {
	case macho.Cpu386:
		return "386"
	case macho.CpuAmd64:
		return "amd64"
	case macho.CpuArm:
		return "arm"
	case macho.CpuArm64:
		return "arm64"
	case macho.CpuPpc64:
		return "ppc64"
	}
	return ""
}

// checkMachSymbols refuses a symbol table that debug/macho, which copies the
// name of every symbol as soon as it opens a file, would need much memory for.
func checkMachSymbols(r io.ReaderAt, size int64, order binary.ByteOrder) error {
	// magic, cpu, subcpu, type, ncmds, sizeofcmds, flags[, reserved]
	var head [28]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return ErrFormat
	}
	at, step := int64(28), int64(12)
	if order.Uint32(head[:]) == macho.Magic64 {
		at, step = 32, 16
	}
	end := min(at+int64(order.Uint32(head[20:])), size)
	for n := order.Uint32(head[16:]); n > 0 && at+8 <= end; n-- {
		var c [24]byte // cmd, cmdsize, symoff, nsyms, stroff, strsize
		r.ReadAt(c[:], at)
		if macho.LoadCmd(order.Uint32(c[:])) == macho.LoadCmdSymtab {
			nsyms, off, length := int64(order.Uint32(c[12:])), int64(order.Uint32(c[16:])), int64(order.Uint32(c[20:]))
			if nsyms > size/step {
				return errors.New("symbol table larger than the file")
			}
			if err := checkNames(r, off, min(length, size), nsyms); err != nil {
				return err
			}
		}
		at += max(int64(order.Uint32(c[4:])), 8)
	}
	return nil
}

// checkNames refuses a string table of which n strings may be very large.
func checkNames(r io.ReaderAt, off, length, n int64) error {
	const plenty = 64 << 20
	if n <= plenty/max(length, 1) {
		return nil
	}
	b, _ := io.ReadAll(io.NewSectionReader(r, off, length))
	longest := 0
	for len(b) > 0 {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			i = len(b) - 1
		}
		longest = max(longest, i)
		b = b[i+1:]
	}
	if longest > 16<<10 && int64(longest) > plenty/n {
		return errors.New("implausibly long symbol names")
	}
	return nil
}
