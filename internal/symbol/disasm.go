package symbol

import (
	"encoding/binary"
	"fmt"
	"io"

	"golang.org/x/arch/arm/armasm"
	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/loong64/loong64asm"
	"golang.org/x/arch/ppc64/ppc64asm"
	"golang.org/x/arch/riscv64/riscv64asm"
	"golang.org/x/arch/s390x/s390xasm"
	"golang.org/x/arch/x86/x86asm"
)

// Inst is a machine instruction.
type Inst struct {
	Addr     uint64
	Text     string
	Function string // innermost inlined function; "" if not Go code
	File     string // position of the instruction, "" and 0 if unknown
	Line     int
}

// Disasm disassembles what is in [start, end) of the text section, in the
// syntax of the Go assembler or, with intel set, in Intel's. Bytes that are no
// instruction have the text "?". An instruction that crosses end is not
// decoded: its bytes up to end are "?".
//
// A [Symbol]'s End is its last byte; its range is [Start, End+1).
func (f *File) Disasm(start, end uint64, intel bool) ([]Inst, error) {
	text := f.img.text
	if text == nil {
		return nil, fmt.Errorf("%s: text section not found", f.name)
	}
	decode := decoders[f.img.arch]
	switch {
	case decode == nil:
		return nil, fmt.Errorf("%s: unsupported architecture %q", f.name, f.img.arch)
	case intel && f.img.arch != "386" && f.img.arch != "amd64":
		return nil, fmt.Errorf("%s: no Intel syntax for %s", f.name, f.img.arch)
	}
	start, end = max(start, text.addr), min(end, text.addr+text.size)
	if start >= end {
		return nil, nil
	}
	b := text.read(start-text.addr, end-start)
	c := code{order: f.img.order, lookup: f.lookup, intel: intel}
	at := f.positions()
	out := make([]Inst, 0, len(b)/4)
	for pc := start; len(b) > 0; {
		c.b, c.pc = b, pc
		inst := Inst{Addr: pc}
		var size int
		inst.Text, size = c.decode(decode)
		at.fill(&inst)
		out = append(out, inst)
		size = min(size, len(b))
		b, pc = b[size:], pc+uint64(size)
	}
	return out, nil
}

// positions gives increasing addresses their source positions. It keeps its
// place in the line table, where looking up each address anew would walk each
// function's from the start.
type positions struct {
	f  *File
	t  *goTable
	fn goFunc

	files, lines, calls   pcValues
	lastFile, lastCall    int32
	fileName, inlinedName string
}

func (f *File) positions() *positions { return &positions{f: f, t: f.golines()} }

func (p *positions) fill(inst *Inst) {
	if p.t != nil {
		if inst.Addr-p.fn.entry >= p.fn.end-p.fn.entry {
			p.enter(inst.Addr)
		}
		if p.fn.end != 0 {
			if n := p.files.at(inst.Addr); n != p.lastFile {
				p.lastFile, p.fileName = n, p.fn.file(n)
			}
			if n := p.calls.at(inst.Addr); n != p.lastCall {
				p.lastCall = n
				p.inlinedName = p.fn.name()
				if c, ok := p.fn.inlinedCall(p.t.inlined, n); ok {
					p.inlinedName = string(cstring(p.t.names, c.name))
				}
			}
			inst.Function, inst.File, inst.Line = p.inlinedName, p.fileName, max(int(p.lines.at(inst.Addr)), 0)
			return
		}
	}
	if d := p.f.dwarf(); d != nil {
		inst.File, inst.Line = d.line(inst.Addr)
	}
}

// enter moves on to the function that contains pc; p.fn.end is 0 if none does.
func (p *positions) enter(pc uint64) {
	fn, ok := p.t.find(pc)
	p.fn = fn
	if !ok {
		return
	}
	p.files, p.lines, p.calls = fn.values(fn.field(5)), fn.values(fn.field(6)), fn.inlineValues()
	p.lastFile, p.fileName = -1, ""
	p.lastCall, p.inlinedName = -1, fn.name()
}

// code is machine code and what decoding it takes.
type code struct {
	b      []byte
	pc     uint64 // address of b[0]
	order  binary.ByteOrder
	lookup func(addr uint64) (name string, base uint64)
	intel  bool
}

// decode returns the first instruction and its size; "?" also where the
// decoder panics, which those for less common architectures do on some bytes.
func (c *code) decode(f func(*code) (string, int)) (text string, size int) {
	defer func() {
		if recover() != nil {
			text, size = "?", 1
		}
	}()
	return f(c)
}

// ReadAt reads the code at an address, for constants in it.
func (c *code) ReadAt(b []byte, addr int64) (int, error) {
	off := uint64(addr) - c.pc
	if addr < 0 || off >= uint64(len(c.b)) {
		return 0, io.EOF
	}
	n := copy(b, c.b[off:])
	if n < len(b) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}

// decoders has a decoder for each GOARCH. Each returns the text and size of
// the first instruction.
var decoders = map[string]func(*code) (string, int){
	"386":   func(c *code) (string, int) { return c.x86(32) },
	"amd64": func(c *code) (string, int) { return c.x86(64) },
	"arm": func(c *code) (string, int) {
		inst, err := armasm.Decode(c.b, armasm.ModeARM)
		if err != nil || inst.Len == 0 || inst.Op == 0 {
			return "?", 4
		}
		return armasm.GoSyntax(inst, c.pc, c.lookup, c), inst.Len
	},
	"arm64": func(c *code) (string, int) {
		inst, err := arm64asm.Decode(c.b)
		if err != nil || inst.Op == 0 {
			return "?", 4
		}
		return arm64asm.GoSyntax(inst, c.pc, c.lookup, c), 4
	},
	"loong64": func(c *code) (string, int) {
		inst, err := loong64asm.Decode(c.b)
		if err != nil || inst.Op == 0 {
			return "?", 4
		}
		return loong64asm.GoSyntax(inst, c.pc, c.lookup), 4
	},
	"ppc64":   (*code).ppc64,
	"ppc64le": (*code).ppc64,
	"riscv64": func(c *code) (string, int) {
		inst, err := riscv64asm.Decode(c.b)
		if err != nil || inst.Op == 0 {
			return "?", 2
		}
		return riscv64asm.GoSyntax(inst, c.pc, c.lookup, c), inst.Len
	},
	"s390x": func(c *code) (string, int) {
		inst, err := s390xasm.Decode(c.b)
		if err != nil || inst.Len == 0 || inst.Op == 0 {
			return "?", 2
		}
		return s390xasm.GoSyntax(inst, c.pc, c.lookup), inst.Len
	},
}

func (c *code) x86(bits int) (string, int) {
	inst, err := x86asm.Decode(c.b, bits)
	if err != nil || inst.Len == 0 || inst.Op == 0 {
		return "?", 1
	}
	if c.intel {
		return x86asm.IntelSyntax(inst, c.pc, c.lookup), inst.Len
	}
	return x86asm.GoSyntax(inst, c.pc, c.lookup), inst.Len
}

func (c *code) ppc64() (string, int) {
	inst, err := ppc64asm.Decode(c.b, c.order)
	if err != nil || inst.Len == 0 {
		return "?", 4
	}
	return ppc64asm.GoSyntax(inst, c.pc, c.lookup), inst.Len
}
