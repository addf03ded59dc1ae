package profile

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"unsafe"
)

// index is an open-addressing hash table over the rows of a slice that its
// owner keeps: it stores row numbers and hashes, never keys. Probing is linear
// and the load stays at or below one half.
type index struct {
	slots []slot
	n     int
}

// slot holds the low half of a row's hash and the row number plus 1; row 0
// marks a free slot.
type slot struct {
	hash, row uint32
}

// reserve makes room for one more row, so that the caller may insert into the
// free slot that its next probe ends at.
func (x *index) reserve() {
	if 2*(x.n+1) <= len(x.slots) {
		return
	}
	old := x.slots
	x.slots = make([]slot, max(64, 2*len(old)))
	mask := uint32(len(x.slots) - 1)
	for _, s := range old {
		if s.row == 0 {
			continue
		}
		i := s.hash & mask
		for x.slots[i].row != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = s
	}
}

// mix folds b into hash a. It is the multiply-and-fold step of wyhash
// (https://github.com/wangyi-fudan/wyhash).
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xa0761d6478bd642f)
	return hi ^ lo
}

// interner gives out indexes for values and gives equal values equal indexes.
// It fills the columns of a Profile with what google/pprof's merge regards as
// the same string, function, location, label set and sample.
type interner struct {
	p    *Profile
	seed maphash.Seed

	strings   index
	functions index
	locations index
	mappings  map[mappingKey]uint32 // index in p.Mappings plus 1
	labelSets index
	samples   index

	arena arena
}

// mappingKey tells mappings apart: sizes are rounded up to 4 KiB, because
// tools disagree on the last page, and the build id wins over the file name.
type mappingKey struct {
	size, offset  uint64
	buildIDOrFile string
}

func (m *Mapping) key() mappingKey {
	size := m.Limit - m.Start + 0xfff
	k := mappingKey{size: size - size%0x1000, offset: m.Offset, buildIDOrFile: m.BuildID}
	if k.buildIDOrFile == "" {
		k.buildIDOrFile = m.File
	}
	return k
}

func newInterner() *interner {
	in := &interner{
		p:        &Profile{Strings: []string{""}},
		seed:     maphash.MakeSeed(),
		mappings: map[mappingKey]uint32{},
	}
	return in
}

// str interns s, copying it when it is new.
func (in *interner) str(s string) StringID {
	if s == "" {
		return 0
	}
	h := uint32(maphash.String(in.seed, s))
	in.strings.reserve()
	mask := uint32(len(in.strings.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sl := in.strings.slots[i]
		if sl.row == 0 {
			id := uint32(len(in.p.Strings))
			in.p.Strings = append(in.p.Strings, in.arena.copy(s))
			in.strings.slots[i] = slot{h, id + 1}
			in.strings.n++
			return id
		}
		if sl.hash == h && in.p.Strings[sl.row-1] == s {
			return sl.row - 1
		}
	}
}

// function interns f, whose string ids are the interner's.
func (in *interner) function(f Function) uint32 {
	h := uint32(mix(mix(uint64(f.Name)<<32|uint64(f.SystemName), uint64(f.File)), uint64(f.StartLine)))
	in.functions.reserve()
	mask := uint32(len(in.functions.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sl := in.functions.slots[i]
		if sl.row == 0 {
			id := uint32(len(in.p.Functions))
			in.p.Functions = append(in.p.Functions, f)
			in.functions.slots[i] = slot{h, id + 1}
			in.functions.n++
			return id
		}
		if sl.hash == h && in.p.Functions[sl.row-1] == f {
			return sl.row - 1
		}
	}
}

// mapping interns m and returns its index plus 1.
func (in *interner) mapping(m Mapping) uint32 {
	k := m.key()
	if i, ok := in.mappings[k]; ok {
		return i
	}
	i := uint32(len(in.p.Mappings) + 1)
	m.ID = uint64(i)
	in.p.Mappings = append(in.p.Mappings, m)
	in.mappings[k] = i
	return i
}

// maxTwins is how many locations that differ only in their functions are found
// by locationHash. Real profiles have one or two; more would make probing slow.
const maxTwins = 16

// locationHash is a hash of what can be known of a location before its functions
// are interned: most locations are known ones and then need no more than a
// comparison. Without an address that isn't enough to tell them apart.
func locationHash(address uint64, mapping uint32, folded bool, lines []Line) uint32 {
	h := mix(address, uint64(mapping)<<1|b2u(folded))
	for i := range lines {
		h = (h ^ uint64(lines[i].Line) ^ uint64(lines[i].Column)<<32) * 0x9fb21c651e98df25
	}
	return uint32(h ^ h>>32)
}

// fullLocationHash includes the functions, which are the interner's.
func fullLocationHash(h uint32, lines []Line) uint32 {
	h64 := uint64(h)
	for i := range lines {
		h64 = mix(h64, uint64(lines[i].Function))
	}
	return uint32(h64)
}

// location interns a location. l.Mapping and the lines' functions are the
// interner's; l's address is already relative to its interned mapping's start.
func (in *interner) location(l Location, lines []Line) uint32 {
	key := l.Address
	if l.Mapping != 0 {
		key -= in.p.Mappings[l.Mapping-1].Start
	}
	h := locationHash(key, l.Mapping, l.Folded, lines)
	in.locations.reserve()
	mask := uint32(len(in.locations.slots) - 1)
	twins := 0
	full := l.Address == 0
	if full {
		h = fullLocationHash(h, lines)
	}
	for i := h & mask; ; i = (i + 1) & mask {
		sl := in.locations.slots[i]
		if sl.row == 0 {
			id := uint32(len(in.p.Locations))
			l.ID = uint64(id) + 1
			l.FirstLine, l.NumLines = uint32(len(in.p.Lines)), uint32(len(lines))
			in.p.Lines = append(in.p.Lines, lines...)
			in.p.Locations = append(in.p.Locations, l)
			in.locations.slots[i] = slot{h, id + 1}
			in.locations.n++
			return id
		}
		if sl.hash != h {
			continue
		}
		o := &in.p.Locations[sl.row-1]
		if o.Address == l.Address && o.Mapping == l.Mapping && o.Folded == l.Folded &&
			slices.Equal(in.p.LocationLines(sl.row-1), lines) {
			return sl.row - 1
		}
		if twins++; twins == maxTwins && !full {
			full = true
			h = fullLocationHash(h, lines)
			i = h&mask - 1
		}
	}
}

// labelSet interns a label set that is in canonical order; see LabelSet.
func (in *interner) labelSet(set []Label) uint32 {
	p := in.p
	if len(p.LabelSets) == 0 {
		p.LabelSets = append(p.LabelSets, LabelSet{})
	}
	if len(set) == 0 {
		return 0
	}
	var h64 uint64
	for i := range set {
		l := &set[i]
		h64 = mix(h64^uint64(l.Key)<<32^uint64(l.Str), uint64(l.Num)^uint64(l.Unit)<<2^b2u(l.Numeric)<<1^b2u(l.HasUnit))
	}
	h := uint32(h64)
	in.labelSets.reserve()
	mask := uint32(len(in.labelSets.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sl := in.labelSets.slots[i]
		if sl.row == 0 {
			id := uint32(len(p.LabelSets))
			p.LabelSets = append(p.LabelSets, LabelSet{uint32(len(p.Labels)), uint32(len(set))})
			p.Labels = append(p.Labels, set...)
			in.labelSets.slots[i] = slot{h, id + 1}
			in.labelSets.n++
			return id
		}
		if sl.hash == h {
			o := p.LabelSets[sl.row-1]
			if slices.Equal(p.Labels[o.Start:o.Start+o.Len], set) {
				return sl.row - 1
			}
		}
	}
}

// sample interns the sample with the given stack, whose hash is stackHash, and
// label set. fresh tells that it is new and that the caller has to append its
// values.
func (in *interner) sample(stack []uint32, hash uint64, labels uint32) (s uint32, fresh bool) {
	p := in.p
	h := sampleHash(hash, labels)
	in.samples.reserve()
	mask := uint32(len(in.samples.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sl := in.samples.slots[i]
		if sl.row == 0 {
			s = uint32(len(p.Stacks))
			p.Stacks = append(p.Stacks, Stack{uint32(len(p.Frames)), uint32(len(stack))})
			p.Frames = append(p.Frames, stack...)
			if labels != 0 && p.SampleLabels == nil {
				p.SampleLabels = make([]uint32, s, max(64, 2*s))
			}
			if p.SampleLabels != nil {
				p.SampleLabels = append(p.SampleLabels, labels)
			}
			in.samples.slots[i] = slot{h, s + 1}
			in.samples.n++
			return s, true
		}
		if sl.hash == h && in.isSample(sl.row-1, stack, labels) {
			return sl.row - 1, false
		}
	}
}

// sampleHash combines the hash of a stack with its label set.
func sampleHash(stack uint64, labels uint32) uint32 { return uint32(mix(stack, uint64(labels))) }

// isSample reports whether sample s has the given stack and label set.
func (in *interner) isSample(s uint32, stack []uint32, labels uint32) bool {
	p := in.p
	o := p.Stacks[s]
	if int(o.Len) != len(stack) || !equalFrames(p.Frames[o.Start:o.Start+o.Len], stack) {
		return false
	}
	if p.SampleLabels == nil {
		return labels == 0
	}
	return p.SampleLabels[s] == labels
}

func equalFrames(a, b []uint32) bool {
	if len(a) == 0 || len(a) != len(b) {
		return len(a) == len(b)
	}
	// Compared as bytes: the runtime's comparison is several times faster than a loop.
	return unsafe.String((*byte)(unsafe.Pointer(&a[0])), 4*len(a)) == unsafe.String((*byte)(unsafe.Pointer(&b[0])), 4*len(b))
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// arena holds the bytes of many strings in few allocations. Its strings live as
// long as any of them does.
type arena struct {
	free []byte
}

func (a *arena) copy(s string) string {
	return a.copyBytes(unsafe.Slice(unsafe.StringData(s), len(s)))
}

func (a *arena) copyBytes(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > len(a.free) {
		if len(b) > 4096 {
			return string(b)
		}
		a.free = make([]byte, 16<<10)
	}
	n := copy(a.free, b)
	s := unsafe.String(&a.free[0], n)
	a.free = a.free[n:]
	return s
}

// A Builder makes a Profile from parts. Equal strings, functions, locations and
// label sets are stored once; samples with equal stacks and labels are added up.
type Builder struct {
	in *interner
}

// NewBuilder returns a Builder of profiles with the given sample types.
func NewBuilder(types ...ValueType) *Builder {
	in := newInterner()
	in.p.SampleTypes = types
	in.p.Values = make([][]int64, len(types))
	return &Builder{in}
}

// String returns the id of s.
func (b *Builder) String(s string) StringID { return b.in.str(s) }

// Mapping adds m, whose ID is set by the Builder, and returns what goes into
// [Location.Mapping].
func (b *Builder) Mapping(m Mapping) uint32 { return b.in.mapping(m) }

// Function returns the index of a function; startLine is 0 if unknown.
func (b *Builder) Function(name, systemName, file string, startLine int64) uint32 {
	return b.in.function(Function{b.in.str(name), b.in.str(systemName), b.in.str(file), startLine})
}

// Location returns the index of the location at address (0 if unknown) in
// mapping (as returned by Mapping, 0 for none) with the given lines, innermost first.
func (b *Builder) Location(address uint64, mapping uint32, lines ...Line) uint32 {
	return b.in.location(Location{Address: address, Mapping: mapping}, lines)
}

// Sample adds a sample: location indexes leaf first, labels in any order and one
// value per sample type. HasUnit of the labels is set by the Builder.
func (b *Builder) Sample(stack []uint32, labels []Label, values ...int64) {
	p := b.in.p
	if len(values) != len(p.Values) {
		panic(fmt.Sprintf("profile: sample with %d values for %d types", len(values), len(p.Values)))
	}
	set := uint32(0)
	if len(labels) > 0 {
		own := append([]Label(nil), labels...)
		canonicalLabels(own, p.Strings)
		set = b.in.labelSet(own)
	}
	s, fresh := b.in.sample(stack, stackHash(stack), set)
	for t, v := range values {
		if fresh {
			p.Values[t] = append(p.Values[t], v)
		} else {
			p.Values[t][s] += v
		}
	}
}

func stackHash(stack []uint32) uint64 {
	h := uint64(len(stack))
	for _, f := range stack {
		h = nextStackHash(h, f)
	}
	return h
}

// nextStackHash adds a frame to the hash of a stack, which starts as its length.
func nextStackHash(h uint64, frame uint32) uint64 {
	h = (h ^ uint64(frame)) * 0x9fb21c651e98df25
	return h ^ h>>32
}

// Profile returns the profile built so far. The Builder must not be used after.
func (b *Builder) Profile() *Profile {
	p := b.in.p
	b.in = nil
	return p
}
