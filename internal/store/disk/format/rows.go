package format

import "math/bits"

// rows is an open-addressing hash table over the rows of a table of the dictionary: it
// stores hashes and row numbers, never keys. Probing is linear and the load stays at or
// below one half. Rows may have a check beside their hash, which makes reading them
// unnecessary; see fingerprint.
type rows[C comparable] struct {
	slots []rowSlot[C]
	n     int
}

// A rowSlot has the hash and check of a row, and its number plus 1. Row 0 marks a free slot.
type rowSlot[C comparable] struct {
	check     C
	hash, row uint32
}

// none is the check of rows that are compared by their contents.
var none = struct{}{}

// find returns the slot of the row with a hash and check for which same, unless it is nil,
// returns true. If there is none, it returns the free slot for that row; see add.
func (x *rows[C]) find(hash uint32, check C, same func(row uint32) bool) *rowSlot[C] {
	if 2*(x.n+1) > len(x.slots) {
		x.reserve(1)
	}
	mask := uint32(len(x.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &x.slots[i]
		if s.row == 0 || s.hash == hash && s.check == check && (same == nil || same(s.row-1)) {
			return s
		}
	}
}

// known returns the number plus 1 of the row with a hash and check, 0 if there is none. It
// calls no function, so unlike find it can be inlined.
func (x *rows[C]) known(hash uint32, check C) uint32 {
	if len(x.slots) == 0 {
		return 0
	}
	for i, mask := hash, uint32(len(x.slots)-1); ; i++ {
		s := &x.slots[i&mask]
		if s.row == 0 || s.check == check && s.hash == hash {
			return s.row
		}
	}
}

// add stores a row in a free slot that find has just returned.
func (x *rows[C]) add(s *rowSlot[C], hash uint32, check C, row uint32) {
	*s = rowSlot[C]{check, hash, row + 1}
	x.n++
}

// insert adds a row that is known to be new.
func (x *rows[C]) insert(hash uint32, check C, row uint32) {
	x.reserve(1)
	x.add(x.free(hash), hash, check, row)
}

// free returns the first free slot for a hash.
func (x *rows[C]) free(hash uint32) *rowSlot[C] {
	mask := uint32(len(x.slots) - 1)
	i := hash & mask
	for x.slots[i].row != 0 {
		i = (i + 1) & mask
	}
	return &x.slots[i]
}

// reserve makes room for n more rows.
func (x *rows[C]) reserve(n int) {
	if 2*(x.n+n) <= len(x.slots) {
		return
	}
	old := x.slots
	x.slots = make([]rowSlot[C], max(64, 1<<bits.Len(uint(2*(x.n+n)-1))))
	for _, s := range old {
		if s.row != 0 {
			*x.free(s.hash) = s
		}
	}
}
