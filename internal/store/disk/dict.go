package disk

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A dict is the dictionary of a partition: what its profiles refer to by number.
// Entries are only ever added, so a copy of the struct is a dictionary that
// stays as it is; it may be read while the original grows.
//
// Stacks are a tree of nodes: a node is a location and the node of the caller.
// A site is what samples are of: a stack, which is the node of its leaf, with a
// set of labels. So a sample is one number and its values.
type dict struct {
	strings   []string           // strings[0] is ""
	mappings  []profile.Mapping  // File and BuildID are in strings too
	functions []profile.Function // as in a profile with these strings
	locations []profile.Location
	lines     []profile.Line
	parents   []uint32 // of nodes; node 0 is the root, which has no location
	nodeLocs  []uint32
	labels    []profile.Label
	sets      []profile.LabelSet // sets[0] is empty
	siteNodes []uint32
	siteSets  []uint32
	schemas   []schema
	series    []series

	crowds map[string]uint32 // for addSeries alone
}

// A schema is what a profile has besides samples.
type schema struct {
	types       []profile.ValueType
	defaultType string
	periodType  profile.ValueType
	period      int64
	comments    []string
	docURL      string
	drop, keep  string
	mainMapping uint32 // index plus 1 of the first mapping, the main program's; 0 for none
	// loaded are the mappings that the profile has elsewhere than the
	// dictionary, because the program was loaded elsewhere.
	loaded []loaded
	// measures is the first schema with the same types and period type:
	// profiles of the same measures can be added up.
	measures uint32
}

// loaded is a mapping as a profile has it, instead of the dictionary's.
type loaded struct {
	mapping uint32
	as      profile.Mapping
}

// series are the profiles with the same labels and measures.
type series struct {
	labels   store.Labels
	measures uint32 // schema
	// crowd is the first series with the same labels but for those that tell
	// instances apart, and the same measures.
	crowd uint32
}

// newDict returns the dictionary of an empty partition.
func newDict() *dict {
	return &dict{
		strings: []string{""}, parents: []uint32{0}, nodeLocs: []uint32{0},
		sets: make([]profile.LabelSet, 1), crowds: map[string]uint32{},
	}
}

// marks are the lengths of a dictionary's tables at some time.
type marks struct {
	strings, mappings, functions, locations, nodes, sets, sites, schemas, series int
}

func (d *dict) marks() marks {
	return marks{len(d.strings), len(d.mappings), len(d.functions), len(d.locations), len(d.parents),
		len(d.sets), len(d.siteNodes), len(d.schemas), len(d.series)}
}

// bytes is about how much memory the dictionary takes.
func (d *dict) bytes() int64 {
	n := 0
	for _, s := range d.strings {
		n += len(s)
	}
	return int64(n + 16*len(d.strings) + 88*len(d.mappings) + 24*len(d.functions) + 32*len(d.locations) + 24*len(d.lines) +
		8*len(d.parents) + 32*len(d.labels) + 8*len(d.sets) + 8*len(d.siteNodes) + 256*(len(d.schemas)+len(d.series)))
}

// index returns a dictionary with the series alone, and what their profiles
// measure: all that totals and labels are told from. It keeps nothing else alive.
func (d *dict) index() *dict {
	x := &dict{schemas: make([]schema, len(d.schemas)), series: make([]series, len(d.series))}
	known := map[string]string{} // they have much in common
	own := func(s string) string {
		if _, ok := known[s]; !ok {
			c := strings.Clone(s)
			known[c] = c
		}
		return known[s]
	}
	for i := range d.schemas {
		s := &d.schemas[i]
		if s.measures == uint32(i) {
			types := make([]profile.ValueType, len(s.types))
			for k, t := range s.types {
				types[k] = profile.ValueType{Type: own(t.Type), Unit: own(t.Unit)}
			}
			x.schemas[i].types = types
		}
		// Programs that are loaded elsewhere each time have a schema for each.
		x.schemas[i] = schema{types: x.schemas[s.measures].types, defaultType: own(s.defaultType), measures: s.measures}
	}
	for i, s := range d.series {
		labels := make(store.Labels, len(s.labels))
		for k, l := range s.labels {
			labels[k] = store.Label{Name: own(l.Name), Value: own(l.Value)}
		}
		x.series[i] = series{labels, s.measures, s.crowd}
	}
	return x
}

// A piece of a dictionary is
//
//	1                      version
//	compressed bytes of    see compress
//	  for each table, in the order of type marks:
//	    first              number of entries in the pieces before
//	    count              of entries that follow, column by column
//
// with all numbers as varints. Strings are lengths, then all bytes. What refers
// to a string, function and so on is its index in the dictionary. The parent of
// a node is told as the distance to it.
const dictVersion = 1

// appendPiece appends the entries of d from the marks on. stringID returns the
// index of a string that is in the dictionary.
func (d *dict) appendPiece(dst []byte, from marks, stringID func(string) uint32) []byte {
	var b []byte
	u := func(v uint64) { b = binary.AppendUvarint(b, v) }
	table := func(first, end int) {
		u(uint64(first))
		u(uint64(end - first))
	}
	str := func(s string) { u(uint64(stringID(s))) }
	flag := func(f bool) uint64 {
		if f {
			return 1
		}
		return 0
	}

	table(from.strings, len(d.strings))
	for _, s := range d.strings[from.strings:] {
		u(uint64(len(s)))
	}
	for _, s := range d.strings[from.strings:] {
		b = append(b, s...)
	}
	table(from.mappings, len(d.mappings))
	for i := range d.mappings[from.mappings:] {
		b = appendMapping(b, &d.mappings[from.mappings+i], stringID)
	}
	functions := d.functions[from.functions:]
	table(from.functions, len(d.functions))
	for i := range functions {
		u(uint64(functions[i].Name))
	}
	for i := range functions {
		b = appendVarint(b, int64(functions[i].SystemName)-int64(functions[i].Name))
	}
	for i := range functions {
		u(uint64(functions[i].File))
	}
	for i := range functions {
		b = appendVarint(b, functions[i].StartLine)
	}
	locations := d.locations[from.locations:]
	table(from.locations, len(d.locations))
	for i := range locations {
		u(uint64(locations[i].Mapping)<<1 | flag(locations[i].Folded))
	}
	last := uint64(0)
	for i := range locations {
		b = appendVarint(b, int64(locations[i].Address-last))
		last = locations[i].Address
	}
	for i := range locations {
		u(uint64(locations[i].NumLines))
	}
	var lines []profile.Line
	if len(locations) > 0 {
		lines = d.lines[locations[0].FirstLine:]
	}
	for i := range lines {
		u(uint64(lines[i].Function))
	}
	for i := range lines {
		b = appendVarint(b, lines[i].Line)
	}
	for i := range lines {
		b = appendVarint(b, lines[i].Column)
	}
	table(from.nodes, len(d.parents))
	for i := from.nodes; i < len(d.parents); i++ {
		u(uint64(i) - uint64(d.parents[i]))
	}
	for i := from.nodes; i < len(d.parents); i++ {
		u(uint64(d.nodeLocs[i]))
	}
	table(from.sets, len(d.sets))
	for _, set := range d.sets[from.sets:] {
		u(uint64(set.Len))
		for _, l := range d.labels[set.Start : set.Start+set.Len] {
			u(uint64(l.Key)<<2 | flag(l.Numeric)<<1 | flag(l.HasUnit))
			if l.Numeric {
				b = appendVarint(b, l.Num)
				u(uint64(l.Unit))
			} else {
				u(uint64(l.Str))
			}
		}
	}
	table(from.sites, len(d.siteNodes))
	lastNode := uint32(0)
	for _, n := range d.siteNodes[from.sites:] {
		b = appendVarint(b, int64(n)-int64(lastNode))
		lastNode = n
	}
	for _, s := range d.siteSets[from.sites:] {
		u(uint64(s))
	}
	table(from.schemas, len(d.schemas))
	for i := range d.schemas[from.schemas:] {
		b = appendSchema(b, &d.schemas[from.schemas+i], stringID)
	}
	table(from.series, len(d.series))
	for i := range d.series[from.series:] {
		s := &d.series[from.series+i]
		u(uint64(len(s.labels)))
		for _, l := range s.labels {
			str(l.Name)
			str(l.Value)
		}
		u(uint64(s.measures))
	}
	return compress(append(dst, dictVersion), b)
}

func appendMapping(b []byte, m *profile.Mapping, stringID func(string) uint32) []byte {
	flags := byte(0)
	for i, f := range [...]bool{m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames} {
		if f {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	for _, v := range [...]uint64{m.Start, m.Limit, m.Offset, uint64(stringID(m.File)), uint64(stringID(m.BuildID))} {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

func (d *dict) readMapping(r *reader) (m profile.Mapping) {
	flags := r.byte()
	m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	m.Start, m.Limit, m.Offset = r.uvarint(), r.uvarint(), r.uvarint()
	m.File, m.BuildID = d.readString(r), d.readString(r)
	return m
}

// readString reads the index of a string.
func (d *dict) readString(r *reader) string { return d.strings[r.below(len(d.strings))] }

func appendSchema(b []byte, s *schema, stringID func(string) uint32) []byte {
	u := func(v uint64) { b = binary.AppendUvarint(b, v) }
	strs := func(ss ...string) {
		for _, s := range ss {
			u(uint64(stringID(s)))
		}
	}
	u(uint64(len(s.types)))
	for _, t := range s.types {
		strs(t.Type, t.Unit)
	}
	strs(s.periodType.Type, s.periodType.Unit, s.defaultType, s.docURL, s.drop, s.keep)
	b = appendVarint(b, s.period)
	u(uint64(len(s.comments)))
	strs(s.comments...)
	u(uint64(s.mainMapping))
	u(uint64(len(s.loaded)))
	for i := range s.loaded {
		u(uint64(s.loaded[i].mapping))
		b = appendMapping(b, &s.loaded[i].as, stringID)
	}
	return b
}

func (d *dict) readSchema(r *reader) (s schema) {
	s.types = make([]profile.ValueType, r.count(2))
	for i := range s.types {
		s.types[i] = profile.ValueType{Type: d.readString(r), Unit: d.readString(r)}
	}
	s.periodType = profile.ValueType{Type: d.readString(r), Unit: d.readString(r)}
	s.defaultType, s.docURL, s.drop, s.keep = d.readString(r), d.readString(r), d.readString(r), d.readString(r)
	s.period = r.varint()
	if n := r.count(1); n > 0 {
		s.comments = make([]string, n)
		for i := range s.comments {
			s.comments[i] = d.readString(r)
		}
	}
	s.mainMapping = r.below(len(d.mappings) + 1)
	if n := r.count(7); n > 0 {
		s.loaded = make([]loaded, n)
		for i := range s.loaded {
			s.loaded[i].mapping = r.below(len(d.mappings))
			s.loaded[i].as = d.readMapping(r)
		}
	}
	return s
}

// addSchema adds a schema; its measures are found.
func (d *dict) addSchema(s schema) uint32 {
	id := uint32(len(d.schemas))
	s.measures = id
	for i := range d.schemas {
		if o := &d.schemas[i]; o.measures == uint32(i) && o.periodType == s.periodType && slices.Equal(o.types, s.types) {
			s.measures = uint32(i)
			break
		}
	}
	d.schemas = append(d.schemas, s)
	return id
}

// addSeries adds a series; its crowd is found.
func (d *dict) addSeries(labels store.Labels, measures uint32, instance []string) uint32 {
	id := uint32(len(d.series))
	key := binary.AppendUvarint(nil, uint64(measures))
	for _, l := range labels {
		if !slices.Contains(instance, l.Name) {
			key = appendString(appendString(key, l.Name), l.Value)
		}
	}
	crowd, ok := d.crowds[string(key)]
	if !ok {
		crowd = id
		d.crowds[string(key)] = id
	}
	d.series = append(d.series, series{labels, measures, crowd})
	return id
}

// addPiece adds the entries of a stored piece, which has to be the next one.
func (d *dict) addPiece(value []byte, instance []string) error {
	r := reader{b: value}
	r.version(dictVersion)
	if r.err != nil {
		return r.err
	}
	plain, err := decompress(nil, value[1:])
	if err != nil {
		return err
	}
	r = reader{b: plain}
	table := func(what string, have, size int) int {
		if first := r.uvarint(); r.err == nil && first != uint64(have) {
			r.fail("it begins with entry %d of %s, where %d was expected", first, what, have)
		}
		return r.count(size)
	}

	n := table("strings", len(d.strings), 1)
	lengths, all := make([]int, n), 0
	for i := range lengths {
		lengths[i] = r.count(0)
		if lengths[i] > len(plain) {
			r.fail("a string is too long")
			return r.err
		}
		all += lengths[i]
	}
	text := string(r.bytes(all)) // one allocation for all of them
	if r.err != nil {
		return r.err
	}
	d.strings = slices.Grow(d.strings, n)
	for _, l := range lengths {
		d.strings = append(d.strings, text[:l])
		text = text[l:]
	}
	for range table("mappings", len(d.mappings), 6) {
		m := d.readMapping(&r)
		m.ID = uint64(len(d.mappings)) + 1
		d.mappings = append(d.mappings, m)
	}

	first := len(d.functions)
	n = table("functions", first, 4)
	d.functions = slices.Grow(d.functions, n)[:first+n]
	functions := d.functions[first:]
	for i := range functions {
		functions[i].Name = r.below(len(d.strings))
	}
	for i := range functions {
		id := int64(functions[i].Name) + r.varint()
		if id < 0 || id >= int64(len(d.strings)) {
			r.fail("a function's system name is string %d of %d", id, len(d.strings))
			return r.err
		}
		functions[i].SystemName = uint32(id)
	}
	for i := range functions {
		functions[i].File = r.below(len(d.strings))
	}
	for i := range functions {
		functions[i].StartLine = r.varint()
	}

	first = len(d.locations)
	n = table("locations", first, 3)
	d.locations = slices.Grow(d.locations, n)[:first+n]
	locations := d.locations[first:]
	for i := range locations {
		v := r.uvarint()
		if v>>1 > uint64(len(d.mappings)) {
			r.fail("location %d is in mapping %d of %d", first+i, v>>1, len(d.mappings))
			return r.err
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
	if numLines > uint64(len(plain)) {
		r.fail("%d lines of locations don't fit in %d bytes", numLines, len(plain))
	}
	if r.err != nil {
		return r.err
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

	first = len(d.parents)
	n = table("nodes", first, 2)
	d.parents = slices.Grow(d.parents, n)
	for i := range n {
		back := r.uvarint()
		if back == 0 || back > uint64(first+i) {
			r.fail("the parent of node %d is %d nodes before it", first+i, back)
			return r.err
		}
		d.parents = append(d.parents, uint32(first+i)-uint32(back))
	}
	d.nodeLocs = slices.Grow(d.nodeLocs, n)
	for range n {
		d.nodeLocs = append(d.nodeLocs, r.below(len(d.locations)))
	}
	for range table("label sets", len(d.sets), 1) {
		n := r.count(2)
		d.sets = append(d.sets, profile.LabelSet{Start: uint32(len(d.labels)), Len: uint32(n)})
		for range n {
			v := r.uvarint()
			l := profile.Label{Numeric: v&2 != 0, HasUnit: v&1 != 0}
			if v>>2 >= uint64(len(d.strings)) {
				r.fail("the key of a label is string %d of %d", v>>2, len(d.strings))
				return r.err
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
	n = table("sites", len(d.siteNodes), 2)
	d.siteNodes = slices.Grow(d.siteNodes, n)
	lastNode := int64(0)
	for range n {
		lastNode += r.varint()
		if lastNode < 0 || lastNode >= int64(len(d.parents)) {
			r.fail("a site is node %d of %d", lastNode, len(d.parents))
			return r.err
		}
		d.siteNodes = append(d.siteNodes, uint32(lastNode))
	}
	d.siteSets = slices.Grow(d.siteSets, n)
	for range n {
		d.siteSets = append(d.siteSets, r.below(len(d.sets)))
	}
	for range table("schemas", len(d.schemas), 10) {
		d.addSchema(d.readSchema(&r))
	}
	for range table("series", len(d.series), 2) {
		labels := make(store.Labels, r.count(2))
		for i := range labels {
			labels[i] = store.Label{Name: d.readString(&r), Value: d.readString(&r)}
		}
		measures := r.below(len(d.schemas))
		if r.err == nil {
			d.addSeries(labels, measures, instance)
		}
	}
	return r.end()
}

// stack appends the locations of a node's stack to dst, leaf first.
func (d *dict) stack(dst []uint32, node uint32) []uint32 {
	for ; node != 0; node = d.parents[node] {
		dst = append(dst, d.nodeLocs[node])
	}
	return dst
}
