// Package symbol reads executables for what a profile lacks: function names,
// source lines and machine code at an address.
//
// [Open] takes ELF, Mach-O and PE files of any architecture Go has a
// disassembler for. A [File] answers in the file's own addresses; subtract
// [File.Base] from a profile's address to get one. Go code is looked up in the
// line table every Go binary carries, stripped or not, including the inlined
// calls; other code in DWARF, or else in the symbol table.
//
// [Symbolize] fills in the locations of a profile, [LocateBinaries] finds the
// files they come from.
//
// Nothing here panics on a malformed file, or allocates more than a small
// multiple of its size.
package symbol

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"sort"
	"sync"

	"github.com/hone-go/hone/internal/infile"
)

// File is an open executable. What it is asked for is read on first use and
// kept. Its methods may be called concurrently.
type File struct {
	name string
	r    io.Closer
	img  *image

	raw     func() ([]symbol, error) // in file order
	symbols func() ([]symbol, error) // by address
	lookups func() []symbol          // the symbols disassembly may name
	golines func() *goTable          // nil for a program not written in Go
	dwarf   func() *dwarfIndex
}

// Symbol is an entry of a file's symbol table.
type Symbol struct {
	Name       string
	Start, End uint64 // first and last byte; End is Start-1 for a symbol without a size
}

// Open opens an executable. The error wraps ErrFormat if the file is of no
// known format.
func Open(path string) (*File, error) {
	r, err := infile.Open(path)
	if errors.Is(err, infile.ErrNotRegular) {
		return nil, fmt.Errorf("open %s: %w", path, ErrFormat)
	} else if err != nil {
		return nil, err
	}
	return open(path, r)
}

// open reads the headers of an open file, which it closes if it fails.
func open(path string, r *os.File) (*File, error) {
	st, err := r.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = ErrFormat
	}
	var img *image
	if err == nil {
		img, err = openImage(r, st.Size())
	}
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return newFile(path, r, img), nil
}

func newFile(path string, r io.Closer, img *image) *File {
	f := &File{name: path, r: r, img: img}
	f.raw = sync.OnceValues(func() (syms []symbol, err error) {
		defer guard(&err)
		return img.readSymbols()
	})
	f.symbols = sync.OnceValues(f.readSymbols)
	f.golines = sync.OnceValue(func() *goTable {
		syms, _ := f.raw()
		return readGoTable(img, syms)
	})
	f.dwarf = sync.OnceValue(func() *dwarfIndex { return readDWARF(img) })
	f.lookups = sync.OnceValue(func() []symbol {
		syms, _ := f.symbols()
		return slices.DeleteFunc(slices.Clone(syms), func(s symbol) bool {
			switch s.name {
			case "runtime.text", "text", "_text", "runtime.etext", "etext", "_etext":
				return true // name sections, and would hide their first functions
			}
			return false
		})
	})
	return f
}

// openImage reads the headers of an executable of any known format.
func openImage(r io.ReaderAt, size int64) (img *image, err error) {
	defer guard(&err)
	var magic [4]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil {
		return nil, ErrFormat
	}
	for _, open := range []func(io.ReaderAt, int64, [4]byte) (*image, error){openELF, openMachO, openPE} {
		if img, err := open(r, size, magic); img != nil || err != nil {
			return img, err
		}
	}
	return nil, ErrFormat
}

// Close releases the file. What was read before stays usable.
func (f *File) Close() error { return f.r.Close() }

// Name returns the path the file was opened with.
func (f *File) Name() string { return f.name }

// Arch returns the GOARCH the file was built for, or "".
func (f *File) Arch() string { return f.img.arch }

// BuildID returns the GNU build ID in hexadecimal, or "".
func (f *File) BuildID() string { return f.img.buildID }

// hasBuildID reports whether id, taken from a profile, may name this file.
func (f *File) hasBuildID(id string) bool {
	return id == f.img.buildID || id == f.img.goBuildID && id != ""
}

// Base returns what to subtract from an address of a process to get the
// address in the file, when the process has the file mapped as a profile's
// mapping says. It is 0 for a program that runs where it was linked to run.
func (f *File) Base(start, limit, offset uint64) uint64 {
	if start == 0 {
		return 0
	}
	return f.img.base(start, limit, offset)
}

// readSymbols returns the symbols sorted by address. A stripped file has those
// of its Go line table besides what is left, or those it shows to the dynamic
// linker.
func (f *File) readSymbols() (syms []symbol, err error) {
	defer guard(&err)
	syms, err = f.raw()
	syms = slices.Clone(syms)
	if t := f.golines(); t != nil {
		if !slices.ContainsFunc(syms, func(s symbol) bool { return s.name == "runtime.text" }) {
			syms, err = append(syms, t.symbols()...), nil
		}
	} else if len(syms) == 0 && f.img.readDynamic != nil {
		syms, err = f.img.readDynamic()
	}
	// Of several symbols at an address the last one gives the name, so the
	// order of equals matters: it is that of this very sort of the file's order,
	// as in the Go tools.
	slices.SortFunc(syms, func(a, b symbol) int { return cmp.Compare(a.addr, b.addr) })
	return syms, err
}

// Symbols returns the symbols whose name matches re, if not nil, and which
// contain addr, if not 0, by address.
func (f *File) Symbols(re *regexp.Regexp, addr uint64) ([]Symbol, error) {
	syms, err := f.symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	var out []Symbol
	for _, s := range syms {
		if s.addr == 0 && s.size == 0 || addr != 0 && addr-s.addr >= s.size {
			continue
		}
		if re == nil || re.MatchString(s.name) {
			out = append(out, Symbol{s.name, s.addr, s.addr + s.size - 1})
		}
	}
	return out, nil
}

// lookup returns the name and the start of the symbol that contains addr.
func (f *File) lookup(addr uint64) (string, uint64) {
	syms := f.lookups()
	i := sort.Search(len(syms), func(i int) bool { return addr < syms[i].addr })
	if i > 0 {
		if s := &syms[i-1]; s.addr != 0 && addr-s.addr < s.size {
			return s.name, s.addr
		}
	}
	return "", 0
}

// Frames returns the calls at addr, an address of the file: the innermost
// inlined call first and the function that contains the instruction last.
func (f *File) Frames(addr uint64) ([]Frame, error) {
	if t := f.golines(); t != nil {
		if fn, ok := t.find(addr); ok {
			return fn.frames(addr), nil
		}
	}
	if d := f.dwarf(); d != nil {
		if frames := d.frames(addr); len(frames) > 0 {
			if last := &frames[len(frames)-1]; last.Function == "" {
				last.Function, _ = f.lookup(addr)
			}
			return frames, nil
		}
	}
	if name, _ := f.lookup(addr); name != "" {
		return []Frame{{Function: name}}, nil
	}
	return nil, fmt.Errorf("%s: no line information for PC=%#x", f.name, addr)
}

// compatFrames returns the one frame that go tool pprof finds.
func (f *File) compatFrames(addr uint64) []Frame {
	if t := f.golines(); t != nil {
		if fn, ok := t.find(addr); ok {
			file, line := fn.position(addr)
			return []Frame{{Function: fn.name(), File: file, Line: line}}
		}
	}
	if d := f.dwarf(); d != nil {
		if frames := d.frames(addr); len(frames) > 0 {
			return []Frame{{Function: d.plainName(addr), File: frames[0].File, Line: frames[0].Line}}
		}
	}
	return nil
}

// functionFrames returns the name of the function that contains addr, which
// takes no DWARF.
func (f *File) functionFrames(addr uint64) []Frame {
	if t := f.golines(); t != nil {
		if fn, ok := t.find(addr); ok {
			return []Frame{{Function: fn.name()}}
		}
	}
	if name, _ := f.lookup(addr); name != "" {
		return []Frame{{Function: name}}
	}
	return nil
}
