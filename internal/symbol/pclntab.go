package symbol

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// The line table of a Go program ("pclntab"), which its runtime needs for
// stack traces and which is therefore in every Go executable.
//
//	 0          4  6        7        8
//	|magic     |0 0|quantum |pointer |words, of pointer size
//
// where the magic tells the version, quantum is the smallest size of an
// instruction, and the words are
//
//	version  words
//	1.2      number of functions, functab…; file table offset (32 bits) after it
//	1.16     number of functions, of files, then offsets in the table of
//	         names, cutab, files, pctab, functab
//	1.18     as 1.16 but with the address of the first instruction before the offsets
//	1.20     as 1.18; the address is 0 from Go 1.26 on
//
// functab is pairs of function address and offset (from functab, or from the
// table in 1.2) of its record, closed by the last function's end. From 1.18 on
// both are 32 bits wide and addresses are relative to the first instruction.
//
// A record is an address as in functab, and then 32-bit words:
//
//	1 name, 2 args, 3 deferreturn, 4 pcsp, 5 pcfile, 6 pcln, 7 npcdata,
//	8 cu (from 1.16), 9 first line (from 1.20), func id, flags, 0, nfuncdata (bytes),
//	npcdata words, nfuncdata words
//
// pcfile, pcln and the pcdata words are offsets in pctab of a value per
// instruction; see pcValues. pcfile's are indexes in cutab after adding cu, and
// cutab has offsets in files (1.2: indexes in the file table).
//
// The inlined calls of a function are its fourth funcdata word, an offset from
// the symbol go:func.*; pcdata 2 is an index in them, −1 outside:
//
//	|func id, 0 0 0|name|parent's pc, from the function's start|first line|

const (
	go12  = 0xfffffffb
	go116 = 0xfffffffa
	go118 = 0xfffffff0
	go120 = 0xfffffff1
)

const (
	pcdataInlined   = 2
	funcdataInlined = 3
	inlinedCallSize = 16

	maxInlineDepth = 500 // more is a loop in a malformed table
)

// goTable is a decoded line table. Every access to data is checked, and what
// is out of range reads as zero or empty.
type goTable struct {
	data    []byte
	addr    uint64 // of data[0], 0 if unknown
	order   binary.ByteOrder
	magic   uint32
	quantum uint64
	ptr     uint64 // size of a pointer
	text    uint64 // address of the first instruction; see resolve
	n       int    // functions

	// Parts of data, each from its start to the end of data.
	names, cus, files, pcs, records []byte
	functab                         []byte

	inlined []byte // memory from go:func.* on, nil if unknown
}

// parseGoTable decodes the header; nil if data is not a line table.
func parseGoTable(data []byte, addr, text uint64) *goTable {
	if len(data) < 16 || data[4] != 0 || data[5] != 0 {
		return nil
	}
	t := &goTable{data: data, addr: addr, text: text, quantum: uint64(data[6]), ptr: uint64(data[7])}
	if q := t.quantum; q != 1 && q != 2 && q != 4 || t.ptr != 4 && t.ptr != 8 {
		return nil
	}
	t.order = binary.LittleEndian
	t.magic = t.order.Uint32(data)
	if !t.known() {
		t.order = binary.BigEndian
		t.magic = t.order.Uint32(data)
	}
	part := func(i uint64) []byte {
		if off := t.word(data, 8+i*t.ptr, t.ptr); off < uint64(len(data)) {
			return data[off:]
		}
		return nil
	}
	switch t.magic {
	case go12:
		t.names, t.pcs, t.records = data, data, data
		t.functab = data[min(8+t.ptr, uint64(len(data))):]
	case go116:
		t.names, t.cus, t.files, t.pcs, t.records = part(2), part(3), part(4), part(5), part(6)
		t.functab = t.records
	case go118, go120:
		t.names, t.cus, t.files, t.pcs, t.records = part(3), part(4), part(5), part(6), part(7)
		t.functab = t.records
	default:
		return nil
	}
	n, field := t.word(data, 8, t.ptr), t.fieldSize()
	if n == 0 || n > uint64(len(t.functab))/(2*field) || (2*n+1)*field > uint64(len(t.functab)) {
		return nil
	}
	t.n = int(n)
	if t.magic == go12 {
		size := (2*n + 1) * field
		if off := uint64(t.u32(t.functab, size)); off < uint64(len(data)) {
			t.files = data[off:]
		}
	}
	return t
}

func (t *goTable) known() bool {
	switch t.magic {
	case go12, go116, go118, go120:
		return true
	}
	return false
}

// fieldSize returns the size of an entry of functab.
func (t *goTable) fieldSize() uint64 {
	if t.relative() {
		return 4
	}
	return t.ptr
}

// relative reports whether the table's addresses count from t.text.
func (t *goTable) relative() bool { return t.magic == go118 || t.magic == go120 }

func (t *goTable) u32(b []byte, off uint64) uint32 {
	if off > uint64(len(b)) || uint64(len(b))-off < 4 {
		return 0
	}
	return t.order.Uint32(b[off:])
}

// word returns the word of size 4 or 8 at off.
func (t *goTable) word(b []byte, off, size uint64) uint64 {
	if size == 4 {
		return uint64(t.u32(b, off))
	}
	if off > uint64(len(b)) || uint64(len(b))-off < 8 {
		return 0
	}
	return t.order.Uint64(b[off:])
}

// cstring returns the bytes from off to the next zero byte.
func cstring(b []byte, off uint64) []byte {
	if off >= uint64(len(b)) {
		return nil
	}
	b = b[off:]
	return b[:max(bytes.IndexByte(b, 0), 0)]
}

// pc returns the address of function i; of the end of the last one for t.n.
func (t *goTable) pc(i int) uint64 {
	size := t.fieldSize()
	pc := t.word(t.functab, 2*uint64(i)*size, size)
	if t.relative() {
		pc += t.text
	}
	return pc
}

// goFunc is a function of a goTable.
type goFunc struct {
	t          *goTable
	record     []byte
	entry, end uint64
}

func (t *goTable) function(i int) goFunc {
	size := t.fieldSize()
	f := goFunc{t: t, entry: t.pc(i), end: t.pc(i + 1)}
	if off := t.word(t.functab, (2*uint64(i)+1)*size, size); off < uint64(len(t.records)) {
		f.record = t.records[off:]
	}
	return f
}

// find returns the function that contains pc.
func (t *goTable) find(pc uint64) (goFunc, bool) {
	if pc < t.pc(0) || pc >= t.pc(t.n) {
		return goFunc{}, false
	}
	i := sort.Search(t.n, func(i int) bool { return t.pc(i) > pc }) - 1
	if i < 0 {
		return goFunc{}, false
	}
	return t.function(i), true
}

// symbols returns the functions as symbols, by address.
func (t *goTable) symbols() []symbol {
	syms := make([]symbol, 0, t.n)
	for i := range t.n {
		if f := t.function(i); f.end > f.entry {
			syms = append(syms, symbol{f.name(), f.entry, f.end - f.entry})
		}
	}
	return syms
}

// field returns word i (from 1) of the function's record.
func (f goFunc) field(i uint64) uint32 {
	first := f.t.ptr
	if f.t.relative() {
		first = 4
	}
	return f.t.u32(f.record, first+(i-1)*4)
}

func (f goFunc) name() string { return string(cstring(f.t.names, uint64(f.field(1)))) }

func (f goFunc) startLine() int {
	if f.t.magic != go120 {
		return 0
	}
	return int(int32(f.field(9)))
}

// pcValues walks a table of values per instruction: pairs of varints, the
// change of the value (signed, zigzag) and the number of quanta it holds for,
// until a change of 0 that is not the first.
type pcValues struct {
	b       []byte
	quantum uint64
	from    uint64 // value holds for addresses in [from, to)
	to      uint64
	value   int32
	started bool
}

func (f goFunc) values(off uint32) pcValues {
	v := pcValues{quantum: f.t.quantum, from: f.entry, to: f.entry, value: -1}
	if off != 0 && uint64(off) < uint64(len(f.t.pcs)) {
		v.b = f.t.pcs[off:]
	}
	return v
}

// at returns the value at pc, −1 past the end. Calls must be in order of pc.
func (v *pcValues) at(pc uint64) int32 {
	for pc >= v.to {
		if !v.next() {
			v.b = nil
			return -1
		}
	}
	return v.value
}

func (v *pcValues) next() bool {
	change, ok := v.varint()
	if !ok || change == 0 && v.started {
		return false
	}
	quanta, ok := v.varint()
	if !ok {
		return false
	}
	v.started = true
	v.value += int32(change>>1) ^ -int32(change&1)
	v.from = v.to
	v.to += uint64(quanta) * v.quantum
	return true
}

func (v *pcValues) varint() (uint32, bool) {
	var x uint32
	for i, c := range v.b {
		x |= uint32(c&0x7f) << (7 * i)
		if c < 0x80 {
			v.b = v.b[i+1:]
			return x, true
		}
		if i == 4 {
			break
		}
	}
	return 0, false
}

// file returns the name of the file with the given value of pcfile.
func (f goFunc) file(n int32) string {
	t := f.t
	if t.magic == go12 {
		if n <= 0 {
			return ""
		}
		return string(cstring(t.data, uint64(t.u32(t.files, 4*uint64(n)))))
	}
	if n < 0 {
		return ""
	}
	off := t.u32(t.cus, 4*(uint64(f.field(8))+uint64(n)))
	if off == ^uint32(0) {
		return ""
	}
	return string(cstring(t.files, uint64(off)))
}

// position returns the file and line of pc, 0 where there is none.
func (f goFunc) position(pc uint64) (file string, line int) {
	files, lines := f.values(f.field(5)), f.values(f.field(6))
	return f.file(files.at(pc)), max(int(lines.at(pc)), 0)
}

// counts returns how many pcdata and funcdata words end the record (Go 1.20).
func (f goFunc) counts() (npcdata, nfuncdata uint64) {
	last := f.field(10) // func id, flags, 0, nfuncdata
	nfuncdata = uint64(last >> 24)
	if f.t.order == binary.BigEndian {
		nfuncdata = uint64(last & 0xff)
	}
	return uint64(f.field(7)), nfuncdata
}

// inlineValues returns the walker over the indexes of inlined calls.
func (f goFunc) inlineValues() pcValues {
	if f.t.inlined == nil || f.field(7) <= pcdataInlined {
		return pcValues{}
	}
	return f.values(f.field(11 + pcdataInlined))
}

// inlinedCall is an entry of a function's table of inlined calls.
type inlinedCall struct {
	name      uint64 // offset in names
	parentPC  uint64 // an instruction with the position of the call
	startLine int
}

// inlinedCall returns entry i of the table at the given memory from go:func.* on.
func (f goFunc) inlinedCall(memory []byte, i int32) (c inlinedCall, ok bool) {
	if f.t.magic != go120 || i < 0 {
		return c, false
	}
	npcdata, nfuncdata := f.counts()
	if nfuncdata <= funcdataInlined {
		return c, false
	}
	table := f.field(11 + npcdata + funcdataInlined)
	at := uint64(table) + uint64(i)*inlinedCallSize
	if table == ^uint32(0) || at+inlinedCallSize > uint64(len(memory)) {
		return c, false
	}
	c.name = uint64(f.t.u32(memory, at+4))
	c.parentPC = f.entry + uint64(f.t.u32(memory, at+8))
	c.startLine = int(int32(f.t.u32(memory, at+12)))
	return c, true
}

// frames returns the calls at pc, innermost first.
func (f goFunc) frames(pc uint64) []Frame {
	var out []Frame
	for len(out) < maxInlineDepth {
		file, line := f.position(pc)
		v := f.inlineValues()
		c, ok := f.inlinedCall(f.t.inlined, v.at(pc))
		if !ok {
			return append(out, Frame{f.name(), file, line, f.startLine()})
		}
		out = append(out, Frame{string(cstring(f.t.names, c.name)), file, line, c.startLine})
		pc = c.parentPC
	}
	return out
}
