package disk

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// index is an open-addressing hash table over the rows of a table of the
// dictionary: it stores hashes and row numbers, never keys. Probing is linear
// and the load stays at or below one half.
type index struct {
	slots []slot
	n     int
}

// slot holds a hash and the row number plus 1; row 0 marks a free slot.
type slot struct{ hash, row uint32 }

// reserve makes room for n more rows.
func (x *index) reserve(n int) {
	if 2*(x.n+n) <= len(x.slots) {
		return
	}
	old := x.slots
	x.slots = make([]slot, max(64, 1<<bits.Len(uint(2*(x.n+n)-1))))
	for _, s := range old {
		if s.row != 0 {
			x.place(s)
		}
	}
}

func (x *index) place(s slot) {
	mask := uint32(len(x.slots) - 1)
	i := s.hash & mask
	for x.slots[i].row != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

// insert adds a row.
func (x *index) insert(hash, row uint32) {
	x.reserve(1)
	x.place(slot{hash, row + 1})
	x.n++
}

// A print is a fingerprint of 96 bits, with keys that nobody outside the process
// knows. What has the same one is taken for equal, which saves reading it: the
// chance that any two of a million stacks are mistaken for each other is 1 in
// 10^16.
type print struct {
	hash  uint64
	check uint32
}

// printed is an open-addressing hash table from prints to rows.
type printed struct {
	slots []printSlot
	n     int
}

type printSlot struct {
	print
	row uint32 // plus 1; 0 marks a free slot
}

func (x *printed) reserve(n int) {
	if 2*(x.n+n) <= len(x.slots) {
		return
	}
	old := x.slots
	x.slots = make([]printSlot, max(64, 1<<bits.Len(uint(2*(x.n+n)-1))))
	for _, s := range old {
		if s.row != 0 {
			x.place(s)
		}
	}
}

func (x *printed) place(s printSlot) {
	mask := uint64(len(x.slots) - 1)
	i := s.hash & mask
	for x.slots[i].row != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

func (x *printed) insert(p print, row uint32) {
	x.reserve(1)
	x.place(printSlot{p, row + 1})
	x.n++
}

// find returns the row of a print, plus 1; 0 is none.
func (x *printed) find(p print) uint32 {
	if len(x.slots) == 0 {
		return 0
	}
	mask := uint64(len(x.slots) - 1)
	for i := p.hash & mask; ; i = (i + 1) & mask {
		s := &x.slots[i]
		if s.print == p || s.row == 0 {
			return s.row
		}
	}
}

// mix folds b into hash a. It is the multiply-and-fold step of wyhash
// (https://github.com/wangyi-fudan/wyhash).
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xa0761d6478bd642f)
	return hi ^ lo
}

func fold(h uint64) uint32 { return uint32(h ^ h>>32) }

// An interner finds and adds entries of a dictionary. One profile at a time is
// translated: begin, then intern its samples.
type interner struct {
	d     *dict
	seed  maphash.Seed
	check maphash.Seed
	keys  lanes

	strings, functions, nodes, sets index
	locations, sites                printed
	mappings                        map[mappingKey]uint32 // index plus 1
	schemas                         map[string]uint32
	series                          map[string]uint32
	scratch                         []byte

	// Of the profile being translated: where its entries are in the dictionary,
	// plus 1; 0 is not looked up yet.
	p          *profile.Profile
	toString   []uint32
	toFunction []uint32
	toLocation []uint32
	toSet      []uint32
	toMapping  []mappedTo
	ofString   []lanes // hashes, where they are known
	ofFunction []lanes
	prints     []print // of the samples' sites
	frames     []uint32
	setLabels  []profile.Label
}

// mappedTo is the dictionary's mapping, plus 1, and what has to be added to
// addresses in it.
type mappedTo struct {
	mapping uint32
	offset  uint64
}

// mappingKey tells mappings apart as merging does: sizes are rounded up to 4 KiB,
// because tools disagree on the last page, and the build id wins over the file.
type mappingKey struct {
	size, offset  uint64
	buildIDOrFile string
}

func mappingKeyOf(m *profile.Mapping) mappingKey {
	size := m.Limit - m.Start + 0xfff
	return mappingKey{size - size%0x1000, m.Offset, cmp.Or(m.BuildID, m.File)}
}

// newInterner returns an interner of a dictionary, which it owns.
func newInterner(d *dict) *interner {
	in := &interner{
		d: d, seed: maphash.MakeSeed(), check: maphash.MakeSeed(),
		keys:     lanes{maphash.Bytes(maphash.MakeSeed(), []byte("a")), maphash.Bytes(maphash.MakeSeed(), []byte("b"))},
		mappings: map[mappingKey]uint32{}, schemas: map[string]uint32{}, series: map[string]uint32{},
	}
	in.strings.reserve(len(d.strings))
	for i, s := range d.strings[1:] {
		in.strings.insert(in.stringHash(s), uint32(i)+1)
	}
	for i := range d.mappings {
		in.mappings[mappingKeyOf(&d.mappings[i])] = uint32(i) + 1
	}
	in.functions.reserve(len(d.functions))
	for i := range d.functions {
		in.functions.insert(functionHash(&d.functions[i]), uint32(i))
	}
	in.locations.reserve(len(d.locations))
	own := profile.Profile{Strings: d.strings, Functions: d.functions, Locations: d.locations, Lines: d.lines}
	in.begin(&own)
	for i := range d.locations {
		in.locations.insert(in.locationPrint(&d.locations[i], own.LocationLines(uint32(i))), uint32(i))
	}
	in.p = nil
	in.nodes.reserve(len(d.parents))
	for i := 1; i < len(d.parents); i++ {
		in.nodes.insert(nodeHash(d.parents[i], d.nodeLocs[i]), uint32(i))
	}
	for i, set := range d.sets[1:] {
		in.sets.insert(setHash(d.labels[set.Start:set.Start+set.Len]), uint32(i)+1)
	}
	in.sites.reserve(len(d.siteNodes))
	for i, node := range d.siteNodes {
		in.frames = d.stack(in.frames[:0], node)
		in.sites.insert(in.sitePrint(in.frames, d.siteSets[i]), uint32(i))
	}
	for i := range d.schemas {
		in.schemas[string(appendSchema(nil, &d.schemas[i], in.stringID))] = uint32(i)
	}
	for i := range d.series {
		in.series[in.seriesKey(d.series[i].labels, d.series[i].measures)] = uint32(i)
	}
	return in
}

// bytes is about how much memory the interner takes, without the dictionary.
func (in *interner) bytes() int64 {
	slots := len(in.strings.slots) + len(in.functions.slots) + len(in.nodes.slots) + len(in.sets.slots)
	return int64(8*slots + 16*(len(in.sites.slots)+len(in.locations.slots)) + 4*(cap(in.toString)+cap(in.toLocation)+cap(in.toFunction)))
}

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// begin starts the translation of p.
func (in *interner) begin(p *profile.Profile) {
	in.p = p
	in.toString = zeroed(in.toString, len(p.Strings))
	in.toFunction = zeroed(in.toFunction, len(p.Functions))
	in.toLocation = zeroed(in.toLocation, len(p.Locations))
	in.toSet = zeroed(in.toSet, len(p.LabelSets))
	in.toMapping = zeroed(in.toMapping, len(p.Mappings))
	in.ofString = zeroed(in.ofString, len(p.Strings))
	in.ofFunction = zeroed(in.ofFunction, len(p.Functions))
}

func (in *interner) stringHash(s string) uint32 { return uint32(maphash.String(in.seed, s)) }

// stringID interns s.
func (in *interner) stringID(s string) uint32 {
	if s == "" {
		return 0
	}
	h := in.stringHash(s)
	in.strings.reserve(1)
	mask := uint32(len(in.strings.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sl := in.strings.slots[i]
		if sl.row == 0 {
			id := uint32(len(in.d.strings))
			in.d.strings = append(in.d.strings, string([]byte(s))) // a copy that keeps nothing else alive
			in.strings.slots[i] = slot{h, id + 1}
			in.strings.n++
			return id
		}
		if sl.hash == h && in.d.strings[sl.row-1] == s {
			return sl.row - 1
		}
	}
}

// str interns a string of the profile.
func (in *interner) str(id profile.StringID) uint32 {
	if in.toString[id] == 0 {
		in.toString[id] = in.stringID(in.p.Strings[id]) + 1
	}
	return in.toString[id] - 1
}

func functionHash(f *profile.Function) uint32 {
	return fold(mix(mix(uint64(f.Name)<<32|uint64(f.SystemName), uint64(f.File)), uint64(f.StartLine)))
}

// function interns a function of the profile and returns its index.
func (in *interner) function(id uint32) uint32 {
	if to := in.toFunction[id]; to != 0 {
		return to - 1
	}
	f := in.p.Functions[id]
	f.Name, f.SystemName, f.File = in.str(f.Name), in.str(f.SystemName), in.str(f.File)
	h := functionHash(&f)
	in.functions.reserve(1)
	mask := uint32(len(in.functions.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sl := in.functions.slots[i]
		if sl.row == 0 {
			sl = slot{h, uint32(len(in.d.functions)) + 1}
			in.d.functions = append(in.d.functions, f)
			in.functions.slots[i] = sl
			in.functions.n++
		}
		if sl.hash == h && in.d.functions[sl.row-1] == f {
			in.toFunction[id] = sl.row
			return sl.row - 1
		}
	}
}

// mapping interns a mapping of the profile, given as its index plus 1.
func (in *interner) mapping(id uint32) mappedTo {
	if id == 0 {
		return mappedTo{}
	}
	if to := in.toMapping[id-1]; to.mapping != 0 {
		return to
	}
	m := in.p.Mappings[id-1]
	k := mappingKeyOf(&m)
	i, ok := in.mappings[k]
	if !ok {
		i = uint32(len(in.d.mappings)) + 1
		m.ID = uint64(i)
		m.File, m.BuildID = in.own(m.File), in.own(m.BuildID)
		in.d.mappings = append(in.d.mappings, m)
		in.mappings[mappingKeyOf(&m)] = i
	}
	to := mappedTo{i, in.d.mappings[i-1].Start - m.Start}
	in.toMapping[id-1] = to
	return to
}

// own returns the dictionary's copy of s.
func (in *interner) own(s string) string { return in.d.strings[in.stringID(s)] }

// lanes are two hashes with different keys.
type lanes struct{ a, b uint64 }

// hashString returns the hashes of a string of the profile.
func (in *interner) hashString(id profile.StringID) lanes {
	h := in.ofString[id]
	if h == (lanes{}) {
		s := in.p.Strings[id]
		h = lanes{maphash.String(in.seed, s), maphash.String(in.check, s)}
		in.ofString[id] = h
	}
	return h
}

// hashFunction returns the hashes of a function of the profile.
func (in *interner) hashFunction(id uint32) lanes {
	h := in.ofFunction[id]
	if h == (lanes{}) {
		f := &in.p.Functions[id]
		name, system, file := in.hashString(f.Name), in.hashString(f.SystemName), in.hashString(f.File)
		h = lanes{
			mix(mix(name.a, system.a), mix(file.a, uint64(f.StartLine))),
			mix(mix(name.b, system.b), mix(file.b, uint64(f.StartLine))),
		}
		in.ofFunction[id] = h
	}
	return h
}

// locationPrint returns the print of a location whose mapping and address are
// the dictionary's and whose lines are the profile's.
func (in *interner) locationPrint(l *profile.Location, lines []profile.Line) print {
	kind := uint64(l.Mapping)<<1 | uint64(len(lines))<<40
	if l.Folded {
		kind |= 1
	}
	a := mix(l.Address, kind)
	b := a
	for i := range lines {
		f := in.hashFunction(lines[i].Function)
		at := uint64(lines[i].Line) ^ bits.RotateLeft64(uint64(lines[i].Column), 32)
		a = mix(a^f.a, at)
		b = mix(b^f.b, at)
	}
	return print{mix(a, in.keys.a), fold(mix(b, in.keys.b))}
}

// location interns location l of the profile and returns its index plus 1.
func (in *interner) location(l uint32) uint32 {
	p, d := in.p, in.d
	loc := p.Locations[l]
	mapped := in.mapping(loc.Mapping)
	loc.Mapping = mapped.mapping
	loc.Address += mapped.offset
	lines := p.LocationLines(l)
	print := in.locationPrint(&loc, lines)
	row := in.locations.find(print)
	if row == 0 {
		row = uint32(len(d.locations)) + 1
		loc.ID = uint64(row)
		loc.FirstLine, loc.NumLines = uint32(len(d.lines)), uint32(len(lines))
		for _, ln := range lines {
			ln.Function = in.function(ln.Function)
			d.lines = append(d.lines, ln)
		}
		d.locations = append(d.locations, loc)
		in.locations.insert(print, row-1)
	}
	in.toLocation[l] = row
	return row
}

func nodeHash(parent, loc uint32) uint32 { return fold(mix(uint64(parent), uint64(loc))) }

// node interns the node of a location below a parent.
func (in *interner) node(parent, loc uint32) uint32 {
	h := nodeHash(parent, loc)
	in.nodes.reserve(1)
	mask := uint32(len(in.nodes.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sl := in.nodes.slots[i]
		if sl.row == 0 {
			n := uint32(len(in.d.parents))
			in.d.parents = append(in.d.parents, parent)
			in.d.nodeLocs = append(in.d.nodeLocs, loc)
			in.nodes.slots[i] = slot{h, n + 1}
			in.nodes.n++
			return n
		}
		if sl.hash == h && in.d.parents[sl.row-1] == parent && in.d.nodeLocs[sl.row-1] == loc {
			return sl.row - 1
		}
	}
}

func setHash(set []profile.Label) uint32 {
	h := uint64(len(set))
	for i := range set {
		l := &set[i]
		kind := uint64(l.Unit) << 2
		if l.Numeric {
			kind |= 2
		}
		if l.HasUnit {
			kind |= 1
		}
		h = mix(h^uint64(l.Key)<<32^uint64(l.Str), uint64(l.Num)^kind)
	}
	return fold(h)
}

// labelSet interns label set id of the profile and returns its index.
func (in *interner) labelSet(id uint32) uint32 {
	if to := in.toSet[id]; to != 0 {
		return to - 1
	}
	set := in.p.LabelSets[id]
	own := in.setLabels[:0]
	for _, l := range in.p.Labels[set.Start : set.Start+set.Len] {
		l.Key, l.Str, l.Unit = in.str(l.Key), in.str(l.Str), in.str(l.Unit)
		own = append(own, l)
	}
	in.setLabels = own
	to := uint32(0)
	if len(own) > 0 {
		to = in.ownSet(own)
	}
	in.toSet[id] = to + 1
	return to
}

func (in *interner) ownSet(own []profile.Label) uint32 {
	d := in.d
	h := setHash(own)
	in.sets.reserve(1)
	mask := uint32(len(in.sets.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sl := in.sets.slots[i]
		if sl.row == 0 {
			n := uint32(len(d.sets))
			d.sets = append(d.sets, profile.LabelSet{Start: uint32(len(d.labels)), Len: uint32(len(own))})
			d.labels = append(d.labels, own...)
			in.sets.slots[i] = slot{h, n + 1}
			in.sets.n++
			return n
		}
		if sl.hash == h {
			o := d.sets[sl.row-1]
			if slices.Equal(d.labels[o.Start:o.Start+o.Len], own) {
				return sl.row - 1
			}
		}
	}
}

// sitePrint returns the print of a stack and a label set.
func (in *interner) sitePrint(frames []uint32, set uint32) print {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(frames))), 4*len(frames))
	return print{mix(maphash.Bytes(in.seed, b), uint64(set)), uint32(maphash.Bytes(in.check, b)) ^ set}
}

// stack returns the locations of sample s in the dictionary, valid until the
// next call, and its label set.
func (in *interner) stack(s int) (frames []uint32, set uint32) {
	stack := in.p.Stack(s)
	if cap(in.frames) < len(stack) {
		in.frames = make([]uint32, 0, 2*len(stack))
	}
	frames = in.frames[:len(stack)]
	for i, l := range stack {
		to := in.toLocation[l]
		if to == 0 {
			to = in.location(l)
		}
		frames[i] = to - 1
	}
	if in.p.SampleLabels != nil {
		if id := in.p.SampleLabels[s]; id != 0 {
			set = in.labelSet(id)
		}
	}
	return frames, set
}

// intern appends the sites of samples of the profile to dst.
//
// Finding a site is waiting for memory. All prints are made first, so that the
// processor then waits for several sites at a time.
func (in *interner) intern(dst []uint32, samples []uint32) []uint32 {
	in.prints = in.prints[:0]
	for _, s := range samples {
		in.prints = append(in.prints, in.sitePrint(in.stack(int(s))))
	}
	start := len(dst)
	for _, p := range in.prints {
		dst = append(dst, in.sites.find(p))
	}
	for i, site := range dst[start:] {
		if site == 0 {
			site = in.site(int(samples[i]), in.prints[i])
		}
		dst[start+i] = site - 1
	}
	return dst
}

// site adds the site of a sample, unless it was added just now, and returns it
// plus 1.
func (in *interner) site(s int, p print) uint32 {
	if site := in.sites.find(p); site != 0 {
		return site
	}
	frames, set := in.stack(s)
	node := uint32(0)
	for _, l := range slices.Backward(frames) {
		node = in.node(node, l)
	}
	site := uint32(len(in.d.siteNodes))
	in.d.siteNodes = append(in.d.siteNodes, node)
	in.d.siteSets = append(in.d.siteSets, set)
	in.sites.insert(p, site)
	return site + 1
}

// schema interns what the profile has besides samples.
func (in *interner) schema() uint32 {
	p := in.p
	s := schema{types: p.SampleTypes, defaultType: p.DefaultSampleType, periodType: p.PeriodType, period: p.Period,
		comments: p.Comments, docURL: p.DocURL, drop: p.DropFrames, keep: p.KeepFrames}
	// The first mapping is the main program's.
	if len(p.Mappings) > 0 {
		s.mainMapping = in.mapping(1).mapping
	}
	for i := range p.Mappings {
		to := in.toMapping[i].mapping
		if to == 0 {
			continue // no sample is in it
		}
		as := p.Mappings[i]
		as.ID = uint64(to)
		if as != in.d.mappings[to-1] {
			s.loaded = append(s.loaded, loaded{to - 1, as})
		}
	}
	in.scratch = appendSchema(in.scratch[:0], &s, in.stringID)
	if id, ok := in.schemas[string(in.scratch)]; ok {
		return id
	}
	key := string(in.scratch)
	r := reader{b: in.scratch}
	id := in.d.addSchema(in.d.readSchema(&r)) // read back, so that its strings are the dictionary's
	in.schemas[key] = id
	return id
}

func (in *interner) seriesKey(labels store.Labels, measures uint32) string {
	in.scratch = appendVarint(in.scratch[:0], int64(measures))
	for _, l := range labels {
		in.scratch = appendString(appendString(in.scratch, l.Name), l.Value)
	}
	return string(in.scratch)
}

// seriesOf interns a series.
func (in *interner) seriesOf(labels store.Labels, schema uint32, instance []string) uint32 {
	measures := in.d.schemas[schema].measures
	key := in.seriesKey(labels, measures)
	if id, ok := in.series[key]; ok {
		return id
	}
	own := make(store.Labels, len(labels))
	for i, l := range labels {
		own[i] = store.Label{Name: in.own(l.Name), Value: in.own(l.Value)}
	}
	id := in.d.addSeries(own, measures, instance)
	in.series[key] = id
	return id
}
