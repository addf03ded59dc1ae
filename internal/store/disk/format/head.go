package format

import (
	"encoding/binary"
	"slices"

	"github.com/hone-go/hone/internal/store"
)

// A Head is a profile without its samples.
type Head struct {
	Seq      uint64 // the number of the profile in its partition, by order of arrival
	Time     int64
	Duration int64
	ID       store.ID
	Series   uint32
	Schema   uint32
	Samples  uint32 // number
	Types    uint32 // number of sample types
	Block    uint32 // number of the block that has its samples, plus 1; 0 if it isn't packed
	Row      uint32 // its place in the block
	totals   uint32 // its sums of values begin there in Heads.totals
}

// Heads is a list of heads with the totals of each profile.
type Heads struct {
	List   []Head
	totals []int64
}

// TotalsOf returns the totals of a profile in hs by sample type. The slice belongs to hs.
func (hs *Heads) TotalsOf(h *Head) []int64 { return hs.totals[h.totals : h.totals+h.Types] }

// Add adds a head with the profile's totals, which are copied.
func (hs *Heads) Add(h Head, totals []int64) {
	h.totals, h.Types = uint32(len(hs.totals)), uint32(len(totals))
	hs.List = append(hs.List, h)
	hs.totals = append(hs.totals, totals...)
}

// Clone returns a copy that shares no memory with hs.
func (hs *Heads) Clone() Heads { return Heads{slices.Clone(hs.List), slices.Clone(hs.totals)} }

// Memory returns the approximate size in bytes.
func (hs *Heads) Memory() int64 { return int64(80*cap(hs.List) + 8*cap(hs.totals)) }

// An Identity identifies a record in a partition.
type Identity struct {
	ID   store.ID
	Time int64
}

// Identity returns the identity of the profile.
func (h *Head) Identity() Identity { return Identity{h.ID, h.Time} }

// Version returns the profile's part of the version of a total, which is the sum of these. It
// depends only on the profile's identity.
func (h *Head) Version() uint64 {
	v := hash(binary.LittleEndian.Uint64(h.ID[:8])).with(binary.LittleEndian.Uint64(h.ID[8:]))
	return uint64(v.with(uint64(h.Time)))
}

// The head of a profile that isn't packed is
//
//	1                      version
//	series schema samples  varints
//	time duration          zigzag varints, ns
//	id                     16 bytes
//	types                  varint
//	total*                 zigzag varints
const headVersion = 1

// AppendHead appends the encoded head of a fresh profile to b.
func AppendHead(b []byte, h *Head, totals []int64) []byte {
	b = append(b, headVersion)
	b = binary.AppendUvarint(b, uint64(h.Series))
	b = binary.AppendUvarint(b, uint64(h.Schema))
	b = binary.AppendUvarint(b, uint64(h.Samples))
	b = appendVarint(b, h.Time)
	b = appendVarint(b, h.Duration)
	b = append(b, h.ID[:]...)
	b = binary.AppendUvarint(b, uint64(len(totals)))
	for _, v := range totals {
		b = appendVarint(b, v)
	}
	return b
}

// ReadHead decodes the head of a fresh profile and adds it to hs.
func (hs *Heads) ReadHead(seq uint64, value []byte) error {
	r := Reader{b: value}
	r.version(headVersion)
	h := Head{Seq: seq, Series: r.u32(), Schema: r.u32(), Samples: r.u32(), Time: r.varint(), Duration: r.varint()}
	copy(h.ID[:], r.Bytes(len(h.ID)))
	totals := make([]int64, r.Count(1))
	for t := range totals {
		totals[t] = r.varint()
	}
	if err := r.end(); err != nil {
		return err
	}
	hs.Add(h, totals)
	return nil
}

// The heads of an hour's packed profiles are
//
//	1            version
//	compressed bytes of
//	  n          number of profiles
//	  series*    the distance to the one before, zigzag
//	  block*     likewise
//	  row*       likewise
//	  seq*       likewise
//	  time*      the distance to what the distance before leads to expect, zigzag, ns
//	  duration*  the distance to the one before, zigzag, ns
//	  schema*    likewise
//	  samples*   varints
//	  types*     varints
//	  total*     zigzag, all of a profile together: the distance to those of the profile before
//	id*          16 bytes each, not compressed: they are random
//
// in the order of blocks and rows.
const headsVersion = 1

// Append appends the encoded heads of an hour's packed profiles to b.
func (hs *Heads) Append(b []byte) []byte {
	var c []byte
	c = binary.AppendUvarint(c, uint64(len(hs.List)))
	column := func(field func(h *Head) int64) {
		last := int64(0)
		for i := range hs.List {
			v := field(&hs.List[i])
			c = appendVarint(c, v-last)
			last = v
		}
	}
	column(func(h *Head) int64 { return int64(h.Series) })
	column(func(h *Head) int64 { return int64(h.Block) })
	column(func(h *Head) int64 { return int64(h.Row) })
	column(func(h *Head) int64 { return int64(h.Seq) })
	last, step := int64(0), int64(0)
	for i := range hs.List {
		t := hs.List[i].Time
		c = appendVarint(c, t-last-step)
		step = t - last
		last = t
	}
	column(func(h *Head) int64 { return h.Duration })
	column(func(h *Head) int64 { return int64(h.Schema) })
	for i := range hs.List {
		c = binary.AppendUvarint(c, uint64(hs.List[i].Samples))
	}
	for i := range hs.List {
		c = binary.AppendUvarint(c, uint64(hs.List[i].Types))
	}
	var before []int64
	for i := range hs.List {
		totals := hs.TotalsOf(&hs.List[i])
		for t, v := range totals {
			if t < len(before) {
				v -= before[t]
			}
			c = appendVarint(c, v)
		}
		before = totals
	}
	b = append(b, headsVersion)
	packed := compress(nil, c)
	b = binary.AppendUvarint(b, uint64(len(packed)))
	b = append(b, packed...)
	for i := range hs.List {
		b = append(b, hs.List[i].ID[:]...)
	}
	return b
}

// ReadHeads decodes the heads of an hour's packed profiles.
func ReadHeads(value []byte) (*Heads, error) {
	r := Reader{b: value}
	r.version(headsVersion)
	packed := r.Bytes(r.Count(1))
	if r.err != nil {
		return nil, r.err
	}
	ids := r.b[r.at:]
	plain, err := decompress(nil, packed)
	if err != nil {
		return nil, err
	}
	r = Reader{b: plain}
	n := r.Count(9)
	if len(ids) != 16*n {
		r.Fail("there are %d bytes of ids for %d profiles", len(ids), n)
		return nil, r.err
	}
	hs := &Heads{List: make([]Head, n)}
	column := func(set func(h *Head, v int64)) {
		last := int64(0)
		for i := range hs.List {
			last += r.varint()
			set(&hs.List[i], last)
		}
	}
	u32 := func(v int64) uint32 {
		if v < 0 || v>>32 != 0 {
			r.Fail("%d is out of range", v)
		}
		return uint32(v)
	}
	column(func(h *Head, v int64) { h.Series = u32(v) })
	column(func(h *Head, v int64) { h.Block = u32(v) })
	column(func(h *Head, v int64) { h.Row = u32(v) })
	column(func(h *Head, v int64) { h.Seq = uint64(v) })
	last, step := int64(0), int64(0)
	for i := range hs.List {
		step += r.varint()
		last += step
		hs.List[i].Time = last
	}
	column(func(h *Head, v int64) { h.Duration = v })
	column(func(h *Head, v int64) { h.Schema = u32(v) })
	for i := range hs.List {
		hs.List[i].Samples = r.u32()
	}
	all := uint64(0)
	for i := range hs.List {
		hs.List[i].Types = r.u32()
		hs.List[i].totals = uint32(all)
		all += uint64(hs.List[i].Types)
	}
	if all > uint64(len(plain)) {
		r.Fail("%d totals don't fit in %d bytes", all, len(plain))
	}
	if r.err != nil {
		return nil, r.err
	}
	hs.totals = make([]int64, all)
	var before []int64
	for i := range hs.List {
		totals := hs.TotalsOf(&hs.List[i])
		for t := range totals {
			totals[t] = r.varint()
			if t < len(before) {
				totals[t] += before[t]
			}
		}
		before = totals
		copy(hs.List[i].ID[:], ids[16*i:])
	}
	return hs, r.end()
}
