// Package hashing is what hash tables are made of that Go's maps can't replace:
// a table that keeps no keys, and a step of a hash. Which tables those are, and
// what maps cost in their place, is in doc/design/0011-hash-tables.md.
package hashing

import (
	"math/bits"
	"unsafe"
)

// Mix folds b into hash a. It is the multiply-and-fold step of wyhash
// (https://github.com/wangyi-fudan/wyhash).
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xa0761d6478bd642f)
	return hi ^ lo
}

// An Index finds rows of slices that its owner keeps by a hash of what is in
// them: an open-addressing hash table that stores hashes and row numbers, never
// keys, so that keys may be of any kind and are in memory once. Rows are not
// removed. Its zero value is empty.
//
// Probing is linear and the load stays at or below one half.
type Index struct {
	slots []slot
	n     int
}

// slot holds a hash and the row number plus 1; row 0 marks a free slot.
type slot struct{ hash, row uint32 }

// Find returns a row with hash h that is the one looked for.
func (x *Index) Find(h uint32, is func(row uint32) bool) (row uint32, ok bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	mask := uint32(len(x.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		if s := x.slots[i]; s.row == 0 || s.hash == h && is(s.row-1) {
			return s.row - 1, s.row != 0
		}
	}
}

// First returns a row with hash h, which is mostly the one looked for. Loops
// over many hashes have it in their midst, with no call, so that the processor
// waits for several slots at a time.
func (x *Index) First(h uint32) (row uint32, ok bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	mask := uint32(len(x.slots) - 1)
	i := h & mask
	for x.slots[i].row != 0 && x.slots[i].hash != h {
		i = (i + 1) & mask
	}
	return x.slots[i].row - 1, x.slots[i].row != 0
}

// Add adds a row with hash h.
func (x *Index) Add(h, row uint32) {
	x.Reserve(1)
	x.place(slot{h, row + 1})
	x.n++
}

// Reserve makes room for n more rows.
func (x *Index) Reserve(n int) {
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

func (x *Index) place(s slot) {
	mask := uint32(len(x.slots) - 1)
	i := s.hash & mask
	for x.slots[i].row != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

// Bytes returns the memory of the index.
func (x *Index) Bytes() int64 { return int64(len(x.slots)) * int64(unsafe.Sizeof(slot{})) }
