package disk

import (
	"encoding/binary"

	"github.com/hone-go/hone/internal/store"
)

// A head is a profile without its samples.
type head struct {
	seq      uint64 // the number of the profile in its partition, by order of arrival
	time     int64
	duration int64
	id       store.ID
	series   uint32
	schema   uint32
	samples  uint32 // number
	types    uint32 // number of sample types
	block    uint32 // number of the block that has its samples, plus 1; 0 if it isn't packed
	row      uint32 // its place in the block
	totals   uint32 // its sums of values begin there in heads.totals
}

// heads are heads of profiles, with the sums of the values of each.
type heads struct {
	list   []head
	totals []int64
}

func (hs *heads) totalsOf(h *head) []int64 { return hs.totals[h.totals : h.totals+h.types] }

func (hs *heads) add(h head, totals []int64) {
	h.totals, h.types = uint32(len(hs.totals)), uint32(len(totals))
	hs.list = append(hs.list, h)
	hs.totals = append(hs.totals, totals...)
}

func (hs *heads) bytes() int64 { return int64(80*cap(hs.list) + 8*cap(hs.totals)) }

// identity is what tells records of a partition apart.
type identity struct {
	id   store.ID
	time int64
}

func (h *head) identity() identity { return identity{h.id, h.time} }

// version is the part of a profile in the version of a total, which is the sum
// of these: so it depends on nothing but which profiles there are.
func (h *head) version() uint64 {
	v := mix(binary.LittleEndian.Uint64(h.id[:8]), binary.LittleEndian.Uint64(h.id[8:]))
	return mix(v, uint64(h.time))
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

func appendHead(b []byte, h *head, totals []int64) []byte {
	b = append(b, headVersion)
	b = binary.AppendUvarint(b, uint64(h.series))
	b = binary.AppendUvarint(b, uint64(h.schema))
	b = binary.AppendUvarint(b, uint64(h.samples))
	b = appendVarint(b, h.time)
	b = appendVarint(b, h.duration)
	b = append(b, h.id[:]...)
	b = binary.AppendUvarint(b, uint64(len(totals)))
	for _, v := range totals {
		b = appendVarint(b, v)
	}
	return b
}

// readHead adds the head in value to hs.
func (hs *heads) readHead(seq uint64, value []byte) error {
	r := reader{b: value}
	r.version(headVersion)
	h := head{seq: seq, series: r.u32(), schema: r.u32(), samples: r.u32(), time: r.varint(), duration: r.varint()}
	copy(h.id[:], r.bytes(len(h.id)))
	totals := make([]int64, r.count(1))
	for t := range totals {
		totals[t] = r.varint()
	}
	if err := r.end(); err != nil {
		return err
	}
	hs.add(h, totals)
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

func (hs *heads) append(b []byte) []byte {
	var c []byte
	c = binary.AppendUvarint(c, uint64(len(hs.list)))
	column := func(field func(h *head) int64) {
		last := int64(0)
		for i := range hs.list {
			v := field(&hs.list[i])
			c = appendVarint(c, v-last)
			last = v
		}
	}
	column(func(h *head) int64 { return int64(h.series) })
	column(func(h *head) int64 { return int64(h.block) })
	column(func(h *head) int64 { return int64(h.row) })
	column(func(h *head) int64 { return int64(h.seq) })
	last, step := int64(0), int64(0)
	for i := range hs.list {
		t := hs.list[i].time
		c = appendVarint(c, t-last-step)
		step = t - last
		last = t
	}
	column(func(h *head) int64 { return h.duration })
	column(func(h *head) int64 { return int64(h.schema) })
	for i := range hs.list {
		c = binary.AppendUvarint(c, uint64(hs.list[i].samples))
	}
	for i := range hs.list {
		c = binary.AppendUvarint(c, uint64(hs.list[i].types))
	}
	var before []int64
	for i := range hs.list {
		totals := hs.totalsOf(&hs.list[i])
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
	for i := range hs.list {
		b = append(b, hs.list[i].id[:]...)
	}
	return b
}

// readHeads decodes the heads of an hour's packed profiles.
func readHeads(value []byte) (*heads, error) {
	r := reader{b: value}
	r.version(headsVersion)
	packed := r.bytes(r.count(1))
	if r.err != nil {
		return nil, r.err
	}
	ids := r.b[r.at:]
	plain, err := decompress(nil, packed)
	if err != nil {
		return nil, err
	}
	r = reader{b: plain}
	n := r.count(9)
	if len(ids) != 16*n {
		r.fail("there are %d bytes of ids for %d profiles", len(ids), n)
		return nil, r.err
	}
	hs := &heads{list: make([]head, n)}
	column := func(set func(h *head, v int64)) {
		last := int64(0)
		for i := range hs.list {
			last += r.varint()
			set(&hs.list[i], last)
		}
	}
	u32 := func(v int64) uint32 {
		if v < 0 || v>>32 != 0 {
			r.fail("%d is out of range", v)
		}
		return uint32(v)
	}
	column(func(h *head, v int64) { h.series = u32(v) })
	column(func(h *head, v int64) { h.block = u32(v) })
	column(func(h *head, v int64) { h.row = u32(v) })
	column(func(h *head, v int64) { h.seq = uint64(v) })
	last, step := int64(0), int64(0)
	for i := range hs.list {
		step += r.varint()
		last += step
		hs.list[i].time = last
	}
	column(func(h *head, v int64) { h.duration = v })
	column(func(h *head, v int64) { h.schema = u32(v) })
	for i := range hs.list {
		hs.list[i].samples = r.u32()
	}
	all := uint64(0)
	for i := range hs.list {
		hs.list[i].types = r.u32()
		hs.list[i].totals = uint32(all)
		all += uint64(hs.list[i].types)
	}
	if all > uint64(len(plain)) {
		r.fail("%d totals don't fit in %d bytes", all, len(plain))
	}
	if r.err != nil {
		return nil, r.err
	}
	hs.totals = make([]int64, all)
	var before []int64
	for i := range hs.list {
		totals := hs.totalsOf(&hs.list[i])
		for t := range totals {
			totals[t] = r.varint()
			if t < len(before) {
				totals[t] += before[t]
			}
		}
		before = totals
		copy(hs.list[i].id[:], ids[16*i:])
	}
	return hs, r.end()
}
