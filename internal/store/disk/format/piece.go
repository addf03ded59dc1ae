package format

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A piece of a dictionary is
//
//	1                      version
//	compressed bytes of    see compress
//	  for each table, in their order:
//	    first              number of entries in the pieces before
//	    count              of entries that follow, column by column
//
// with all numbers as varints. What refers to a string, function and so on is its
// index in the dictionary. The entries of the tables are
//
//	strings      length*, then all bytes; string 0 is "", and in no piece
//	mappings     (flags:byte start limit offset file buildid)*
//	             flags: 1 functions, 2 file names, 4 line numbers, 8 inlined frames are known
//	functions    name*, (system name - name, zigzag)*, file*, start line (zigzag)*
//	locations    (mapping plus 1, times 2, plus 1 if folded)*, distance to the address before (zigzag)*,
//	             number of lines*, then of all their lines: function*, line (zigzag)*, column (zigzag)*
//	nodes        distance to the parent*, location*; node 0 is the root, and in no piece
//	label sets   (n (key times 4, plus 2 if numeric, plus 1 if it has a unit; number (zigzag), unit, or string)*)*;
//	             set 0 is empty, and in no piece
//	sites        distance to the node before (zigzag)*, label set*
//	schemas      (n (type unit)*, period type, period unit, default type, doc url, drop, keep, period (zigzag),
//	             n comment*, first mapping plus 1, n (mapping, mapping entry)*)*
//	series       (n (name value)*, measures)*; measures is the number of the first schema with them
//
// Addresses are those of the mapping as the dictionary has it. A schema lists
// mappings that its profiles have elsewhere.
const dictionaryVersion = 1

// The tables of a dictionary, in the order in which they stand in a piece: what is
// referred to comes first.
const (
	tableStrings = iota
	tableMappings
	tableFunctions
	tableLocations // with their lines
	tableNodes
	tableSets // with their labels
	tableSites
	tableSchemas
	tableSeries
	numTables
)

// Lengths are the lengths of a dictionary's tables at some time.
type Lengths [numTables]int

// Lengths returns the current lengths of the tables.
func (d *Dictionary) Lengths() Lengths {
	return Lengths{len(d.strings), len(d.mappings), len(d.functions), len(d.locations), len(d.parents),
		len(d.sets), len(d.siteNodes), len(d.Schemas), len(d.Series)}
}

var tables = [numTables]struct {
	name   string
	size   int // bytes that an entry takes at least
	append func(w *pieceWriter, first int)
	read   func(r *pieceReader, n int)
}{
	{"strings", 1, (*pieceWriter).strings, (*pieceReader).strings},
	{"mappings", 6, (*pieceWriter).mappings, (*pieceReader).mappings},
	{"functions", 4, (*pieceWriter).functions, (*pieceReader).functions},
	{"locations", 3, (*pieceWriter).locations, (*pieceReader).locations},
	{"nodes", 2, (*pieceWriter).nodes, (*pieceReader).nodes},
	{"label sets", 1, (*pieceWriter).sets, (*pieceReader).sets},
	{"sites", 2, (*pieceWriter).sites, (*pieceReader).sites},
	{"schemas", 10, (*pieceWriter).schemas, (*pieceReader).schemas},
	{"series", 2, (*pieceWriter).series, (*pieceReader).series},
}

// AppendPiece appends an encoded piece with the entries after from to dst. stringID returns the
// number of a string, which must be in the dictionary.
func (d *Dictionary) AppendPiece(dst []byte, from Lengths, stringID func(string) uint32) []byte {
	w := pieceWriter{d: d, stringID: stringID}
	for t, end := range d.Lengths() {
		w.uvarint(uint64(from[t]))
		w.uvarint(uint64(end - from[t]))
		tables[t].append(&w, from[t])
	}
	return compress(append(dst, dictionaryVersion), w.b)
}

// AddPiece decodes a piece and adds its entries. It must be the piece that follows those in d.
// After an error, some entries may have been added; see Truncate.
func (d *Dictionary) AddPiece(value []byte) error {
	r := Reader{b: value}
	r.version(dictionaryVersion)
	if r.err != nil {
		return r.err
	}
	plain, err := decompress(nil, value[1:])
	if err != nil {
		return err
	}
	p := pieceReader{Reader{b: plain}, d}
	for t, have := range d.Lengths() {
		if first := p.Uvarint(); p.err == nil && first != uint64(have) {
			p.Fail("it starts with entry %d of %s, expected %d", first, tables[t].name, have)
		}
		n := p.Count(tables[t].size)
		if p.err == nil {
			tables[t].read(&p, n)
		}
		if p.err != nil {
			return p.err
		}
	}
	return p.end()
}

// Truncate removes the entries after some lengths.
func (d *Dictionary) Truncate(to Lengths) {
	d.strings, d.mappings, d.functions = d.strings[:to[tableStrings]], d.mappings[:to[tableMappings]], d.functions[:to[tableFunctions]]
	d.locations = d.locations[:to[tableLocations]]
	n := min(len(d.parents), len(d.nodeLocs), to[tableNodes])
	d.parents, d.nodeLocs = d.parents[:n], d.nodeLocs[:n]
	d.sets = d.sets[:to[tableSets]]
	n = min(len(d.siteNodes), len(d.siteSets), to[tableSites])
	d.siteNodes, d.siteSets = d.siteNodes[:n], d.siteSets[:n]
	d.Schemas, d.Series = d.Schemas[:to[tableSchemas]], d.Series[:to[tableSeries]]
	maps.DeleteFunc(d.fleets, func(_ string, first uint32) bool { return int(first) >= len(d.Series) })
}

// StringIDs returns a function that finds the number of a string, for use without an interner.
func (d *Dictionary) StringIDs() func(string) uint32 {
	ids := make(map[string]uint32, len(d.strings))
	for i, str := range d.strings {
		ids[str] = uint32(i)
	}
	return func(s string) uint32 { return ids[s] }
}

// A pieceWriter appends tables of a dictionary, each from some entry on.
type pieceWriter struct {
	b        []byte
	d        *Dictionary
	stringID func(string) uint32
}

func (w *pieceWriter) uvarint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *pieceWriter) varint(v int64)   { w.b = appendVarint(w.b, v) }

func flag(f bool) uint64 {
	if f {
		return 1
	}
	return 0
}

// A pieceReader reads tables of n entries into a dictionary.
type pieceReader struct {
	Reader
	d *Dictionary
}

func (w *pieceWriter) strings(first int) {
	strs := w.d.strings[first:]
	for _, s := range strs {
		w.uvarint(uint64(len(s)))
	}
	for _, s := range strs {
		w.b = append(w.b, s...)
	}
}

func (r *pieceReader) strings(n int) {
	d := r.d
	lengths, all := make([]int, n), 0
	for i := range lengths {
		lengths[i] = r.Count(0)
		if lengths[i] > len(r.b) {
			r.Fail("a string is too long")
			return
		}
		all += lengths[i]
	}
	text := string(r.Bytes(all)) // one allocation for all of them
	if r.err != nil {
		return
	}
	d.strings = slices.Grow(d.strings, n)
	for _, l := range lengths {
		d.strings = append(d.strings, text[:l])
		text = text[l:]
	}
}

func (w *pieceWriter) mappings(first int) {
	for i := range w.d.mappings[first:] {
		w.b = appendMapping(w.b, &w.d.mappings[first+i], w.stringID)
	}
}

func (r *pieceReader) mappings(n int) {
	d := r.d
	for range n {
		m := d.readMapping(&r.Reader)
		m.ID = uint64(len(d.mappings)) + 1
		d.mappings = append(d.mappings, m)
	}
}

func (w *pieceWriter) functions(first int) {
	functions := w.d.functions[first:]
	for i := range functions {
		w.uvarint(uint64(functions[i].Name))
	}
	for i := range functions {
		w.varint(int64(functions[i].SystemName) - int64(functions[i].Name))
	}
	for i := range functions {
		w.uvarint(uint64(functions[i].File))
	}
	for i := range functions {
		w.varint(functions[i].StartLine)
	}
}

func (r *pieceReader) functions(n int) {
	d := r.d
	first := len(d.functions)
	d.functions = slices.Grow(d.functions, n)[:first+n]
	functions := d.functions[first:]
	for i := range functions {
		functions[i].Name = r.below(len(d.strings))
	}
	for i := range functions {
		id := int64(functions[i].Name) + r.varint()
		if id < 0 || id >= int64(len(d.strings)) {
			r.Fail("a function's system name is string %d of %d", id, len(d.strings))
			return
		}
		functions[i].SystemName = uint32(id)
	}
	for i := range functions {
		functions[i].File = r.below(len(d.strings))
	}
	for i := range functions {
		functions[i].StartLine = r.varint()
	}
}

func (w *pieceWriter) locations(first int) {
	d := w.d
	locations := d.locations[first:]
	for i := range locations {
		w.uvarint(uint64(locations[i].Mapping)<<1 | flag(locations[i].Folded))
	}
	last := uint64(0)
	for i := range locations {
		w.varint(int64(locations[i].Address - last))
		last = locations[i].Address
	}
	for i := range locations {
		w.uvarint(uint64(locations[i].NumLines))
	}
	var lines []profile.Line
	if len(locations) > 0 {
		lines = d.lines[locations[0].FirstLine:]
	}
	for i := range lines {
		w.uvarint(uint64(lines[i].Function))
	}
	for i := range lines {
		w.varint(lines[i].Line)
	}
	for i := range lines {
		w.varint(lines[i].Column)
	}
}

func (r *pieceReader) locations(n int) {
	d := r.d
	first := len(d.locations)
	d.locations = slices.Grow(d.locations, n)[:first+n]
	locations := d.locations[first:]
	for i := range locations {
		v := r.Uvarint()
		if v>>1 > uint64(len(d.mappings)) {
			r.Fail("location %d is in mapping %d of %d", first+i, v>>1, len(d.mappings))
			return
		}
		locations[i] = profile.Location{ID: uint64(first+i) + 1, Mapping: uint32(v >> 1), Folded: v&1 != 0}
	}
	last := uint64(0)
	for i := range locations {
		last += uint64(r.varint())
		locations[i].Address = last
	}
	numLines := uint64(0)
	for i := range locations {
		locations[i].FirstLine = uint32(uint64(len(d.lines)) + numLines)
		locations[i].NumLines = r.u32()
		numLines += uint64(locations[i].NumLines)
	}
	if numLines > uint64(len(r.b)) {
		r.Fail("%d lines of locations don't fit in %d bytes", numLines, len(r.b))
	}
	if r.err != nil {
		return
	}
	firstLine := len(d.lines)
	d.lines = slices.Grow(d.lines, int(numLines))[:firstLine+int(numLines)]
	lines := d.lines[firstLine:]
	for i := range lines {
		lines[i].Function = r.below(len(d.functions))
	}
	for i := range lines {
		lines[i].Line = r.varint()
	}
	for i := range lines {
		lines[i].Column = r.varint()
	}
}

func (w *pieceWriter) nodes(first int) {
	d := w.d
	for i := first; i < len(d.parents); i++ {
		w.uvarint(uint64(i) - uint64(d.parents[i]))
	}
	for _, l := range d.nodeLocs[first:] {
		w.uvarint(uint64(l))
	}
}

func (r *pieceReader) nodes(n int) {
	d := r.d
	first := len(d.parents)
	d.parents = slices.Grow(d.parents, n)
	for i := range n {
		back := r.Uvarint()
		if back == 0 || back > uint64(first+i) {
			r.Fail("the parent of node %d is %d nodes before it", first+i, back)
			return
		}
		d.parents = append(d.parents, uint32(first+i)-uint32(back))
	}
	d.nodeLocs = slices.Grow(d.nodeLocs, n)
	for range n {
		d.nodeLocs = append(d.nodeLocs, r.below(len(d.locations)))
	}
}

func (w *pieceWriter) sets(first int) {
	for _, set := range w.d.sets[first:] {
		w.uvarint(uint64(set.Len))
		for _, l := range w.d.labels[set.Start : set.Start+set.Len] {
			w.uvarint(uint64(l.Key)<<2 | flag(l.Numeric)<<1 | flag(l.HasUnit))
			if l.Numeric {
				w.varint(l.Num)
				w.uvarint(uint64(l.Unit))
			} else {
				w.uvarint(uint64(l.Str))
			}
		}
	}
}

func (r *pieceReader) sets(n int) {
	d := r.d
	for range n {
		n := r.Count(2)
		d.sets = append(d.sets, profile.LabelSet{Start: uint32(len(d.labels)), Len: uint32(n)})
		for range n {
			v := r.Uvarint()
			l := profile.Label{Numeric: v&2 != 0, HasUnit: v&1 != 0}
			if v>>2 >= uint64(len(d.strings)) {
				r.Fail("the key of a label is string %d of %d", v>>2, len(d.strings))
				return
			}
			l.Key = uint32(v >> 2)
			if l.Numeric {
				l.Num = r.varint()
				l.Unit = r.below(len(d.strings))
			} else {
				l.Str = r.below(len(d.strings))
			}
			d.labels = append(d.labels, l)
		}
	}
}

func (w *pieceWriter) sites(first int) {
	last := uint32(0)
	for _, n := range w.d.siteNodes[first:] {
		w.varint(int64(n) - int64(last))
		last = n
	}
	for _, s := range w.d.siteSets[first:] {
		w.uvarint(uint64(s))
	}
}

func (r *pieceReader) sites(n int) {
	d := r.d
	d.siteNodes = slices.Grow(d.siteNodes, n)
	last := int64(0)
	for range n {
		last += r.varint()
		if last < 0 || last >= int64(len(d.parents)) {
			r.Fail("a site is node %d of %d", last, len(d.parents))
			return
		}
		d.siteNodes = append(d.siteNodes, uint32(last))
	}
	d.siteSets = slices.Grow(d.siteSets, n)
	for range n {
		d.siteSets = append(d.siteSets, r.below(len(d.sets)))
	}
}

func (w *pieceWriter) schemas(first int) {
	for i := range w.d.Schemas[first:] {
		w.b = appendSchema(w.b, &w.d.Schemas[first+i], w.stringID)
	}
}

func (r *pieceReader) schemas(n int) {
	for range n {
		r.d.addSchema(r.d.readSchema(&r.Reader))
	}
}

func (w *pieceWriter) series(first int) {
	for i := range w.d.Series[first:] {
		s := &w.d.Series[first+i]
		w.uvarint(uint64(len(s.Labels)))
		for _, l := range s.Labels {
			w.uvarint(uint64(w.stringID(l.Name)))
			w.uvarint(uint64(w.stringID(l.Value)))
		}
		w.uvarint(uint64(s.Measures))
	}
}

func (r *pieceReader) series(n int) {
	d := r.d
	for range n {
		labels := make(store.Labels, r.Count(2))
		for i := range labels {
			labels[i] = store.Label{Name: d.readString(&r.Reader), Value: d.readString(&r.Reader)}
		}
		if measures := r.below(len(d.Schemas)); r.err == nil {
			d.addSeries(labels, measures)
		}
	}
}
