package disk

import (
	"hash/crc32"
	"math/bits"
)

// A checksum tells which bit is wrong where it is a single one: each bit changes it in
// another way. Any two wrong bits change it in a way that no single one does, and of
// three or more the chance that they seem to be one is a few in a hundred thousand for
// a block; what is read then doesn't add up.

// mend compares b with its checksum, as Pebble stores it, and corrects a single wrong bit in b
// or in the checksum. whole reports whether b is right now, mended whether a bit was corrected.
func mend(b []byte, stored uint32) (whole, mended bool) {
	sum := crc32.Checksum(b, castagnoli)
	if masked(sum) == stored {
		return true, false
	}
	if bits.OnesCount32(masked(sum)^stored) == 1 {
		return true, true
	}
	// What the wrong bit has done to the checksum, taken back byte by byte from the end:
	// at its place it is what one bit does to the checksum of one byte.
	done := sum ^ unmasked(stored)
	for i := len(b) - 1; i >= 0; i-- {
		for bit := range 8 {
			if castagnoli[1<<bit] == done {
				b[i] ^= 1 << bit
				return true, true
			}
		}
		before := beforeZero[done>>24]
		done = (done^castagnoli[before])<<8 | uint32(before)
	}
	return false, false
}

// beforeZero has, by the high byte of a checksum after a zero byte, the low byte of the
// checksum before it.
var beforeZero = func() (t [256]uint8) {
	for i, c := range castagnoli {
		t[c>>24] = uint8(i)
	}
	return t
}()

// unmasked is the inverse of masked.
func unmasked(c uint32) uint32 {
	c -= 0xa282ead8
	return c>>17 | c<<15
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crc returns the checksum of Pebble's chunks and blocks.
func crc(b []byte) uint32 { return masked(crc32.Checksum(b, castagnoli)) }

// masked makes a checksum from a CRC. Otherwise, a CRC of bytes that contain their own CRC
// would be weak.
func masked(c uint32) uint32 { return (c>>15 | c<<17) + 0xa282ead8 }
