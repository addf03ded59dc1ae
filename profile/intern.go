package profile

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"unsafe"

	"github.com/hone-go/hone/internal/hashing"
)

// interner gives out indexes for values and gives equal values equal indexes.
// It fills the columns of a Profile with what google/pprof's merge regards as
// the same string, function, location, label set and sample.
type interner struct {
	p    *Profile
	seed maphash.Seed

	strings   hashing.Index
	functions hashing.Index
	locations hashing.Index
	mappings  map[MappingKey]uint32 // index in p.Mappings plus 1
	labelSets hashing.Index
	samples   hashing.Index

	arena arena
}

// A MappingKey tells mappings apart where profiles are merged: sizes are rounded up
// to 4 KiB, because tools disagree on the last page, and the build id wins over the
// file name.
type MappingKey struct {
	size, offset  uint64
	buildIDOrFile string
}

// Key returns what tells the mapping apart from others.
func (m *Mapping) Key() MappingKey {
	size := m.Limit - m.Start + 0xfff
	return MappingKey{size - size%0x1000, m.Offset, cmp.Or(m.BuildID, m.File)}
}

func newInterner() *interner {
	in := &interner{
		p:        &Profile{Strings: []string{""}},
		seed:     maphash.MakeSeed(),
		mappings: map[MappingKey]uint32{},
	}
	return in
}

// bytes returns the memory of the interner and of its profile.
func (in *interner) bytes() int64 {
	p := in.p
	const mapped = 2 * (unsafe.Sizeof(Mapping{}) + unsafe.Sizeof(MappingKey{})) // in the slice and in the map
	n := in.arena.taken + bytesOf[string](cap(p.Strings)) + bytesOf[Function](cap(p.Functions)) + bytesOf[Location](cap(p.Locations)) +
		bytesOf[Line](cap(p.Lines)) + bytesOf[uint32](cap(p.Frames)+cap(p.SampleLabels)) + bytesOf[Stack](cap(p.Stacks)) +
		bytesOf[LabelSet](cap(p.LabelSets)) + bytesOf[Label](cap(p.Labels)) + int64(len(p.Mappings))*int64(mapped)
	for _, column := range p.Values {
		n += bytesOf[int64](cap(column))
	}
	for _, x := range [...]*hashing.Index{&in.strings, &in.functions, &in.locations, &in.labelSets, &in.samples} {
		n += x.Bytes()
	}
	return n
}

// str interns s, copying it when it is new.
func (in *interner) str(s string) StringID {
	if s == "" {
		return 0
	}
	h := uint32(maphash.String(in.seed, s))
	id, ok := in.strings.Find(h, func(id uint32) bool { return in.p.Strings[id] == s })
	if ok {
		return id
	}
	id = uint32(len(in.p.Strings))
	in.p.Strings = append(in.p.Strings, in.arena.copy(s))
	in.strings.Add(h, id)
	return id
}

// function interns f, whose string ids are the interner's.
func (in *interner) function(f Function) uint32 {
	h := uint32(hashing.Mix(hashing.Mix(uint64(f.Name)<<32|uint64(f.SystemName), uint64(f.File)), uint64(f.StartLine)))
	id, ok := in.functions.Find(h, func(id uint32) bool { return in.p.Functions[id] == f })
	if ok {
		return id
	}
	id = uint32(len(in.p.Functions))
	in.p.Functions = append(in.p.Functions, f)
	in.functions.Add(h, id)
	return id
}

// mapping interns m and returns its index plus 1.
func (in *interner) mapping(m Mapping) uint32 {
	k := m.Key()
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
	h := hashing.Mix(address, uint64(mapping)<<1|b2u(folded))
	for i := range lines {
		h = (h ^ uint64(lines[i].Line) ^ uint64(lines[i].Column)<<32) * 0x9fb21c651e98df25
	}
	return uint32(h ^ h>>32)
}

// fullLocationHash includes the functions, which are the interner's.
func fullLocationHash(h uint32, lines []Line) uint32 {
	h64 := uint64(h)
	for i := range lines {
		h64 = hashing.Mix(h64, uint64(lines[i].Function))
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
	twins := 0
	is := func(id uint32) bool {
		twins++
		o := &in.p.Locations[id]
		return o.Address == l.Address && o.Mapping == l.Mapping && o.Folded == l.Folded && slices.Equal(in.p.LocationLines(id), lines)
	}
	id, ok := uint32(0), false
	if l.Address != 0 {
		id, ok = in.locations.Find(h, is)
	}
	if l.Address == 0 || !ok && twins >= maxTwins {
		h = fullLocationHash(h, lines)
		id, ok = in.locations.Find(h, is)
	}
	if ok {
		return id
	}
	id = uint32(len(in.p.Locations))
	l.ID = uint64(id) + 1
	l.FirstLine, l.NumLines = uint32(len(in.p.Lines)), uint32(len(lines))
	in.p.Lines = append(in.p.Lines, lines...)
	in.p.Locations = append(in.p.Locations, l)
	in.locations.Add(h, id)
	return id
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
		h64 = hashing.Mix(h64^uint64(l.Key)<<32^uint64(l.Str), uint64(l.Num)^uint64(l.Unit)<<2^b2u(l.Numeric)<<1^b2u(l.HasUnit))
	}
	h := uint32(h64)
	id, ok := in.labelSets.Find(h, func(id uint32) bool {
		o := p.LabelSets[id]
		return slices.Equal(p.Labels[o.Start:o.Start+o.Len], set)
	})
	if ok {
		return id
	}
	id = uint32(len(p.LabelSets))
	p.LabelSets = append(p.LabelSets, LabelSet{uint32(len(p.Labels)), uint32(len(set))})
	p.Labels = append(p.Labels, set...)
	in.labelSets.Add(h, id)
	return id
}

// sample interns the sample with the given stack, whose hash is stackHash, and
// label set. fresh tells that it is new and that the caller has to append its
// values.
func (in *interner) sample(stack []uint32, hash uint64, labels uint32) (s uint32, fresh bool) {
	p := in.p
	h := sampleHash(hash, labels)
	s, ok := in.samples.Find(h, func(s uint32) bool { return in.isSample(s, stack, labels) })
	if ok {
		return s, false
	}
	s = uint32(len(p.Stacks))
	p.Stacks = append(p.Stacks, Stack{uint32(len(p.Frames)), uint32(len(stack))})
	p.Frames = append(p.Frames, stack...)
	if labels != 0 && p.SampleLabels == nil {
		p.SampleLabels = make([]uint32, s, max(64, 2*s))
	}
	if p.SampleLabels != nil {
		p.SampleLabels = append(p.SampleLabels, labels)
	}
	in.samples.Add(h, s)
	return s, true
}

// sampleHash combines the hash of a stack with its label set.
func sampleHash(stack uint64, labels uint32) uint32 {
	return uint32(hashing.Mix(stack, uint64(labels)))
}

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
	free  []byte
	taken int64 // bytes of memory so far
}

const (
	arenaBlock   = 16 << 10
	arenaLargest = 4 << 10 // longer strings have memory of their own
)

// arenaBytes returns what an arena without room takes for n bytes.
func arenaBytes(n int) int64 {
	if n > arenaLargest {
		return int64(n)
	}
	return arenaBlock
}

func (a *arena) copy(s string) string {
	return a.copyBytes(unsafe.Slice(unsafe.StringData(s), len(s)))
}

func (a *arena) copyBytes(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > len(a.free) {
		if len(b) > arenaLargest {
			a.taken += int64(len(b))
			return string(b)
		}
		a.taken += arenaBlock
		a.free = make([]byte, arenaBlock)
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

// Bytes returns about how much memory what was built takes.
func (b *Builder) Bytes() int64 { return b.in.bytes() }

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

// canonicalLabels puts labels in the order that LabelSet tells and sets HasUnit.
func canonicalLabels(set []Label, strings []string) {
	if len(set) > 1 {
		slices.SortStableFunc(set, func(a, b Label) int {
			if a.Numeric != b.Numeric {
				return cmp.Compare(b2u(a.Numeric), b2u(b.Numeric))
			}
			return cmp.Compare(strings[a.Key], strings[b.Key])
		})
	}
	for i := 0; i < len(set); {
		j, has := i, false
		for ; j < len(set) && set[j].Numeric == set[i].Numeric && strings[set[j].Key] == strings[set[i].Key]; j++ {
			has = has || set[j].Unit != 0 || set[j].HasUnit
		}
		for ; i < j; i++ {
			set[i].HasUnit = has && set[i].Numeric
		}
	}
}
