package symbol

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
	"sync"
)

// dwarfIndex finds the functions and lines of code that is not Go's. A unit is
// decoded when it is first asked for.
type dwarfIndex struct {
	data  *dwarf.Data
	units []unitRange // by low

	mu     sync.Mutex
	loaded map[dwarf.Offset]*unit
	decls  map[dwarf.Offset]decl
}

// unitRange is a range of addresses of a compilation unit.
type unitRange struct {
	low, high uint64
	entry     *dwarf.Entry
}

// unit is a decoded compilation unit.
type unit struct {
	lines []lineRow // by addr
	funcs []scope   // functions, by low
	calls []scope   // inlined calls, an outer one before those in it
}

// lineRow says where the code from addr to the next row comes from.
type lineRow struct {
	addr uint64
	file string
	line int
	end  bool // no code here
}

// scope is a range of addresses of a function, or of an inlined call of one.
type scope struct {
	low, high uint64
	decl      decl

	// Of an inlined call: its position in the caller.
	callFile string
	callLine int
	// Of a function: its inlined calls are unit.calls[first:last].
	first, last int
}

// decl is what DWARF tells of a function.
type decl struct {
	name, linkage string
	line          int
}

// symbolName returns the linker's name where it is a mangled one, which tells
// more than the name in the source.
func (d decl) symbolName() string {
	if strings.HasPrefix(d.linkage, "_Z") || strings.HasPrefix(d.linkage, "_R") {
		return d.linkage
	}
	return d.name
}

// readDWARF returns nil if there is no usable DWARF.
func readDWARF(img *image) (d *dwarfIndex) {
	var err error
	defer func() {
		if err != nil {
			d = nil
		}
	}()
	defer guard(&err)

	part := map[string][]byte{}
	for _, name := range []string{"abbrev", "info", "line", "ranges", "str", "addr", "line_str", "str_offsets", "rnglists"} {
		if part[name], err = img.debug(name); err != nil {
			return nil
		}
	}
	if len(part["info"]) == 0 {
		return nil
	}
	data, err := dwarf.New(part["abbrev"], nil, nil, part["info"], part["line"], nil, part["ranges"], part["str"])
	if err != nil {
		return nil
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if err = data.AddSection(".debug_"+name, part[name]); err != nil {
			return nil
		}
	}
	d = &dwarfIndex{data: data, loaded: map[dwarf.Offset]*unit{}, decls: map[dwarf.Offset]decl{}}
	r := data.Reader()
	for _, off := range unitOffsets(part["info"], img.order) {
		r.Seek(off)
		e, nextErr := r.Next()
		if nextErr != nil || e == nil || e.Tag != dwarf.TagCompileUnit {
			continue
		}
		ranges, _ := data.Ranges(e)
		for _, pc := range ranges {
			if pc[0] < pc[1] {
				d.units = append(d.units, unitRange{pc[0], pc[1], e})
			}
		}
	}
	slices.SortStableFunc(d.units, func(a, b unitRange) int { return cmp.Compare(a.low, b.low) })
	return d
}

// unitOffsets returns where the first entries of the units are. The reader of
// debug/dwarf could only go from unit to unit by way of all entries, or by
// offsets in them, which can lead in a circle.
//
//	version 2 to 4  |length|version|abbrev|address size|
//	version 5       |length|version|kind|address size|abbrev|
//
// The length is 4 bytes, or ffffffff and 8 bytes; then abbrev is 8 bytes too,
// instead of 4. The version is 2 bytes, kind and address size are 1.
func unitOffsets(info []byte, order binary.ByteOrder) []dwarf.Offset {
	var out []dwarf.Offset
	for at := uint64(0); at+12 <= uint64(len(info)); {
		b := info[at:]
		header, length, word := uint64(4), uint64(order.Uint32(b)), uint64(4)
		if length == 0xffffffff {
			header, length, word = 12, order.Uint64(b[4:]), 8
		}
		if length == 0 || length > uint64(len(b))-header || length < 4 {
			break
		}
		first := header + 2 + word + 1
		if v := order.Uint16(b[header:]); v >= 5 {
			const compile, partial = 1, 3
			first++
			if kind := b[header+2]; kind != compile && kind != partial {
				first = 0
			}
		}
		if first != 0 && first < header+length {
			out = append(out, dwarf.Offset(at+first))
		}
		at += header + length
	}
	return out
}

// frames returns the calls at addr, innermost first; nil if it is unknown. The
// last one's Function may be "".
func (d *dwarfIndex) frames(addr uint64) (frames []Frame) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.unitAt(addr)
	if u == nil {
		return nil
	}
	row, ok := u.row(addr)
	if !ok {
		return nil
	}
	at := Frame{File: row.file, Line: row.line}
	fn := u.function(addr)
	if fn == nil {
		return []Frame{at}
	}
	var calls []*scope
	for i := fn.first; i < fn.last; i++ {
		if c := &u.calls[i]; addr-c.low < c.high-c.low && len(calls) < maxInlineDepth {
			calls = append(calls, c)
		}
	}
	for _, c := range slices.Backward(calls) {
		at.Function, at.StartLine = c.decl.symbolName(), c.decl.line
		frames = append(frames, at)
		at = Frame{File: c.callFile, Line: c.callLine}
	}
	at.Function, at.StartLine = fn.decl.symbolName(), fn.decl.line
	return append(frames, at)
}

// line returns the innermost position of addr.
func (d *dwarfIndex) line(addr uint64) (file string, line int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.unitAt(addr); u != nil {
		row, _ := u.row(addr)
		return row.file, row.line
	}
	return "", 0
}

// plainName returns the name in the source of the function that contains addr.
func (d *dwarfIndex) plainName(addr uint64) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.unitAt(addr); u != nil {
		if fn := u.function(addr); fn != nil {
			return fn.decl.name
		}
	}
	return ""
}

func (d *dwarfIndex) unitAt(addr uint64) *unit {
	i := sort.Search(len(d.units), func(i int) bool { return d.units[i].low > addr }) - 1
	if i < 0 || addr >= d.units[i].high {
		return nil
	}
	e := d.units[i].entry
	u, ok := d.loaded[e.Offset]
	if !ok {
		u, _ = d.load(e)
		d.loaded[e.Offset] = u
	}
	return u
}

func (u *unit) row(addr uint64) (lineRow, bool) {
	i := sort.Search(len(u.lines), func(i int) bool { return u.lines[i].addr > addr }) - 1
	if i < 0 || u.lines[i].end {
		return lineRow{}, false
	}
	return u.lines[i], true
}

func (u *unit) function(addr uint64) *scope {
	i := sort.Search(len(u.funcs), func(i int) bool { return u.funcs[i].low > addr }) - 1
	if i < 0 || addr >= u.funcs[i].high {
		return nil
	}
	return &u.funcs[i]
}

// load decodes a unit. A defect ends it early.
func (d *dwarfIndex) load(e *dwarf.Entry) (u *unit, err error) {
	u = &unit{}
	defer guard(&err)
	files := u.loadLines(d.data, e)

	r := d.data.Reader()
	r.Seek(e.Offset)
	if _, err := r.Next(); err != nil {
		return u, err
	}
	for depth := 1; depth > 0; {
		e, err := r.Next()
		if e == nil || err != nil {
			break
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		if e.Children {
			depth++
		}
		if e.Tag != dwarf.TagSubprogram && e.Tag != dwarf.TagInlinedSubroutine {
			continue
		}
		ranges, err := d.data.Ranges(e)
		if err != nil {
			continue
		}
		s := scope{decl: d.declaration(e, 0)}
		if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && n >= 0 && n < int64(len(files)) && files[n] != nil {
			s.callFile = files[n].Name
		}
		n, _ := e.Val(dwarf.AttrCallLine).(int64)
		s.callLine = int(n)
		for _, pc := range ranges {
			if s.low, s.high = pc[0], pc[1]; s.low >= s.high {
				continue
			}
			if e.Tag == dwarf.TagSubprogram {
				s.first = len(u.calls)
				u.funcs = append(u.funcs, s)
			} else {
				u.calls = append(u.calls, s)
			}
		}
	}
	last := len(u.calls)
	for i := range slices.Backward(u.funcs) {
		if i+1 < len(u.funcs) && u.funcs[i+1].first != u.funcs[i].first {
			last = u.funcs[i+1].first
		}
		u.funcs[i].last = last
	}
	slices.SortStableFunc(u.funcs, func(a, b scope) int { return cmp.Compare(a.low, b.low) })
	return u, nil
}

// loadLines decodes the line program, and returns its file table.
func (u *unit) loadLines(data *dwarf.Data, e *dwarf.Entry) []*dwarf.LineFile {
	lr, err := data.LineReader(e)
	if err != nil || lr == nil {
		return nil
	}
	// Rows are in order within a sequence only, and sequences of discarded
	// functions may lie at 0.
	var sequences [][]lineRow
	var rows []lineRow
	var le dwarf.LineEntry
	for lr.Next(&le) == nil {
		row := lineRow{addr: le.Address, line: le.Line, end: le.EndSequence}
		if le.File != nil {
			row.file = le.File.Name
		}
		if k := len(rows) - 1; k >= 0 && rows[k].addr == row.addr {
			rows[k] = row // no code between them
		} else {
			rows = append(rows, row)
		}
		if le.EndSequence {
			if len(rows) > 1 {
				sequences = append(sequences, rows)
			}
			rows = nil
		}
	}
	slices.SortStableFunc(sequences, func(a, b []lineRow) int { return cmp.Compare(a[0].addr, b[0].addr) })
	u.lines = slices.Concat(sequences...)
	if !slices.IsSortedFunc(u.lines, func(a, b lineRow) int { return cmp.Compare(a.addr, b.addr) }) {
		slices.SortStableFunc(u.lines, func(a, b lineRow) int { return cmp.Compare(a.addr, b.addr) })
	}
	return lr.Files()
}

// declaration returns the names of a function, which may be in another entry.
func (d *dwarfIndex) declaration(e *dwarf.Entry, depth int) decl {
	if known, ok := d.decls[e.Offset]; ok {
		return known
	}
	var out decl
	out.name, _ = e.Val(dwarf.AttrName).(string)
	out.linkage, _ = e.Val(dwarf.AttrLinkageName).(string)
	line, _ := e.Val(dwarf.AttrDeclLine).(int64)
	out.line = int(line)
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		const maxDepth = 8 // more is a cycle
		off, ok := e.Val(attr).(dwarf.Offset)
		if !ok || depth == maxDepth || out.name != "" && out.linkage != "" {
			continue
		}
		r := d.data.Reader()
		r.Seek(off)
		if origin, err := r.Next(); err == nil && origin != nil {
			o := d.declaration(origin, depth+1)
			out.name, out.linkage = cmp.Or(out.name, o.name), cmp.Or(out.linkage, o.linkage)
			out.line = cmp.Or(out.line, o.line)
		}
	}
	d.decls[e.Offset] = out
	return out
}
