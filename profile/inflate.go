package profile

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// Decompression takes most of the time of decoding, and libraries read and
// write streams, a window at a time. Profiles that are in memory as a whole are
// therefore decompressed here, into one buffer, with the method of libdeflate
// (https://github.com/ebiggers/libdeflate): a bit buffer of 64 bits, tables
// that resolve most codes in one lookup, copies of eight bytes. If the checksum
// doesn't match, the library decompresses the input again, and its result or error
// counts; see doc/design/0003-inflate.md.

const (
	litTableBits  = 11
	distTableBits = 8
	// Sizes of the tables with all subtables, for codes of up to 15 bits: what
	// zlib's enough.c finds for 288 and 32 symbols with these root sizes, and some.
	litTableSize  = 2400
	distTableSize = 420

	// inflateSlack is the minimum space after the output position when a code is
	// decoded: the longest match, and the bytes that copies write beyond their end.
	inflateSlack = 258 + 16
)

// Entries of the table of literals and lengths:
//
//	bit 31   30   29   28      16   15     8   7         0
//	     1    0    0   byte         -          code length   literal
//	     0    0    0   base         extra bits code length   length of a match
//	     0    1    0   -            -          code length   end of the block
//	     0    1    1   offset       width      root bits     go on in a subtable
//	     0    1    1   0            0          0             no such code
//
// Entries of the table of distances:
//
//	bit 30      16   15   14   11       8   7         0
//	base             0    0    extra bits   code length   distance of a match
//	offset           1    0    width        root bits     go on in a subtable
//	0                1    1    0            0             no such code
//
// In a subtable, the code length is what is left of it.
const (
	entryLiteral  = 1 << 31
	entrySpecial  = 1 << 30
	entrySubtable = 1 << 29
	entryNone     = entrySpecial | entrySubtable

	distSubtable = 1 << 15
	distNone     = distSubtable | 1<<14
)

// inflater decompresses gzip members. Its tables are reused.
type inflater struct {
	lit  [litTableSize]uint32
	dist [distTableSize]uint32
	pre  [128]uint32
	lens [320]uint8

	src  []byte
	next int    // index in src of what isn't in bits yet
	bits uint64 // input, lowest bit first
	n    uint   // number of bits in bits; more may be in it
}

// gunzip appends the decompressed members of src to dst, up to limit bytes in total.
// ok is false if src has anything but gzip members with correct checksums, or if they
// exceed the limit.
func (z *inflater) gunzip(dst, src []byte, limit int) (out []byte, ok bool) {
	out = dst
	for len(src) > 0 {
		body, ok := gzipBody(src)
		if !ok {
			return out, false
		}
		start := len(out)
		z.src, z.next, z.bits, z.n = src, body, 0, 0
		if out, ok = z.inflate(out, limit); !ok {
			return out, false
		}
		end := z.next - int(z.n/8)
		if end < 0 || len(src)-end < 8 {
			return out, false
		}
		if binary.LittleEndian.Uint32(src[end:]) != crc32.ChecksumIEEE(out[start:]) ||
			binary.LittleEndian.Uint32(src[end+4:]) != uint32(len(out)-start) {
			return out, false
		}
		src = src[end+8:]
	}
	return out, true
}

// gzipSize returns the decompressed size that the last member of src states.
func gzipSize(src []byte) int {
	if len(src) < 18 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(src[len(src)-4:]))
}

// gzipBody returns the length of a gzip header (RFC 1952).
func gzipBody(src []byte) (n int, ok bool) {
	if len(src) < 18 || src[0] != 0x1f || src[1] != 0x8b || src[2] != 8 {
		return 0, false
	}
	flags := src[3]
	if flags&^(1<<2|1<<3|1<<4) != 0 {
		return 0, false // a header checksum, or an undefined flag
	}
	n = 10
	if flags&(1<<2) != 0 {
		n += 2 + int(binary.LittleEndian.Uint16(src[n:]))
	}
	for _, f := range [2]byte{1 << 3, 1 << 4} { // name, comment
		if flags&f == 0 {
			continue
		}
		for n < len(src) && src[n] != 0 {
			n++
		}
		n++
	}
	return n, n < len(src)
}

// refill fills the bit buffer to 56 bits or more. After the end of the input it adds
// zeros; overrun reports whether they were used.
func (z *inflater) refill() {
	for z.n <= 56 {
		if z.next < len(z.src) {
			z.bits |= uint64(z.src[z.next]) << z.n
		}
		z.next++
		z.n += 8
	}
}

func (z *inflater) overrun() bool { return z.next-int(z.n/8) > len(z.src) }

// take returns the next n bits, which must be in the bit buffer.
func (z *inflater) take(n uint) int {
	v := int(z.bits & (1<<n - 1))
	z.bits >>= n
	z.n -= n
	return v
}

// inflate decompresses one deflate stream (RFC 1951).
func (z *inflater) inflate(out []byte, limit int) ([]byte, bool) {
	for {
		z.bits &= 1<<z.n - 1
		z.refill()
		last := z.take(1) == 1
		var ok bool
		switch z.take(2) {
		case 0:
			out, ok = z.stored(out, limit)
		case 1:
			ok = z.fixedTables()
			if ok {
				out, ok = z.block(out, limit)
			}
		case 2:
			ok = z.dynamicTables()
			if ok {
				out, ok = z.block(out, limit)
			}
		}
		if !ok || z.overrun() {
			return out, false
		}
		if last {
			return out, true
		}
	}
}

// stored copies an uncompressed block.
func (z *inflater) stored(out []byte, limit int) ([]byte, bool) {
	at := z.next - int(z.n/8)
	if at < 0 || at+4 > len(z.src) {
		return out, false
	}
	n := int(binary.LittleEndian.Uint16(z.src[at:]))
	if n != int(^binary.LittleEndian.Uint16(z.src[at+2:])) || at+4+n > len(z.src) || len(out)+n > limit {
		return out, false
	}
	z.next, z.bits, z.n = at+4+n, 0, 0
	return append(out, z.src[at+4:at+4+n]...), true
}

// block decompresses the codes of one block. It is one long function to keep its state
// in registers: the bit buffer and both positions. The compiler doesn't inline functions
// of this size, and a call would store and load the whole state.
func (z *inflater) block(dst []byte, limit int) ([]byte, bool) {
	src, next, bitbuf, n := z.src, z.next, z.bits, z.n
	o := len(dst)
	out := dst[:cap(dst)]
	lit, dist := &z.lit, &z.dist
	for {
		if len(out)-o < inflateSlack {
			if o > limit {
				return dst, false
			}
			grown := make([]byte, 2*len(out)+64<<10)
			copy(grown, out[:o])
			out = grown
		}
		if next+8 <= len(src) {
			bitbuf |= binary.LittleEndian.Uint64(src[next:]) << n
			next += int((63 - n) >> 3)
			n |= 56
		} else {
			z.next, z.bits, z.n = next, bitbuf&(1<<n-1), n
			z.refill()
			next, bitbuf, n = z.next, z.bits, z.n
			if z.overrun() {
				return dst, false
			}
		}
		e := lit[bitbuf&(1<<litTableBits-1)]
		if e&entryLiteral != 0 {
			// Three literals take at most 33 bits here, and the code that follows
			// with its extra bits another 20.
			out[o] = byte(e >> 16)
			o++
			bitbuf >>= e & 63
			n -= uint(e & 63)
			e = lit[bitbuf&(1<<litTableBits-1)]
			if e&entryLiteral != 0 {
				out[o] = byte(e >> 16)
				o++
				bitbuf >>= e & 63
				n -= uint(e & 63)
				e = lit[bitbuf&(1<<litTableBits-1)]
				if e&entryLiteral != 0 {
					out[o] = byte(e >> 16)
					o++
					bitbuf >>= e & 63
					n -= uint(e & 63)
					continue
				}
			}
		}
		if e&entrySpecial != 0 {
			if e == entryNone {
				return dst, false
			}
			if e&entrySubtable != 0 {
				bitbuf >>= litTableBits
				n -= litTableBits
				e = lit[int(e>>16&0x1fff)+int(bitbuf&(1<<(e>>8&15)-1))]
				if e&entryLiteral != 0 {
					out[o] = byte(e >> 16)
					o++
					bitbuf >>= e & 63
					n -= uint(e & 63)
					continue
				}
			}
			if e&entrySpecial != 0 {
				if e&entrySubtable != 0 {
					return dst, false
				}
				z.next, z.bits, z.n = next, bitbuf>>(e&63), n-uint(e&63)
				return out[:o], true
			}
		}
		bitbuf >>= e & 63
		n -= uint(e & 63)
		extra := uint(e >> 8 & 15)
		length := int(e>>16&0x1ff) + int(bitbuf&(1<<extra-1))
		bitbuf >>= extra
		n -= extra

		// A distance takes up to 28 bits.
		if n < 28 {
			if next+8 <= len(src) {
				bitbuf |= binary.LittleEndian.Uint64(src[next:]) << n
				next += int((63 - n) >> 3)
				n |= 56
			} else {
				z.next, z.bits, z.n = next, bitbuf&(1<<n-1), n
				z.refill()
				next, bitbuf, n = z.next, z.bits, z.n
			}
		}
		e = dist[bitbuf&(1<<distTableBits-1)]
		if e&distSubtable != 0 {
			if e == distNone {
				return dst, false
			}
			bitbuf >>= distTableBits
			n -= distTableBits
			e = dist[int(e>>16&0x1fff)+int(bitbuf&(1<<(e>>8&15)-1))]
		}
		bitbuf >>= e & 63
		n -= uint(e & 63)
		extra = uint(e >> 8 & 15)
		d := int(e>>16&0x7fff) + int(bitbuf&(1<<extra-1))
		bitbuf >>= extra
		n -= extra
		if d > o || e&distSubtable != 0 {
			return dst, false
		}

		from, end := o-d, o+length
		switch {
		case d >= 8:
			// Copies whole words; later output overwrites what is too much. Most
			// matches are short, so two words are copied without a check of the length.
			binary.LittleEndian.PutUint64(out[o:], binary.LittleEndian.Uint64(out[from:]))
			binary.LittleEndian.PutUint64(out[o+8:], binary.LittleEndian.Uint64(out[from+8:]))
			for o += 16; o < end; o += 8 {
				binary.LittleEndian.PutUint64(out[o:], binary.LittleEndian.Uint64(out[o-d:]))
			}
		case d == 1:
			word := uint64(out[from]) * 0x0101010101010101
			for o < end {
				binary.LittleEndian.PutUint64(out[o:], word)
				o += 8
			}
		default:
			for o < end {
				out[o] = out[from]
				o++
				from++
			}
		}
		o = end
	}
}

// Bases and extra bits of length and distance codes, RFC 1951 section 3.2.5.
var (
	lengthBase  = [29]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distBase    = [30]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distExtra   = [30]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	preOrder    = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

func litEntry(sym int) uint32 {
	switch {
	case sym < 256:
		return entryLiteral | uint32(sym)<<16
	case sym == 256:
		return entrySpecial
	case sym < 286:
		return uint32(lengthBase[sym-257])<<16 | uint32(lengthExtra[sym-257])<<8
	}
	return entryNone
}

func distEntry(sym int) uint32 {
	if sym < 30 {
		return uint32(distBase[sym])<<16 | uint32(distExtra[sym])<<8
	}
	return distNone
}

// buildTable fills a table for codes of the given lengths; 0 means that a symbol has no
// code. entry returns a symbol's entry without the code length, subtable is the mark of
// entries that point to a subtable, and none is the entry for unused codes. buildTable
// returns false for incomplete codes, unless there is only one code.
func buildTable(table []uint32, root uint, lens []uint8, entry func(sym int) uint32, subtable, none uint32) bool {
	var count, next [16]int
	for _, l := range lens {
		count[l]++
	}
	used := len(lens) - count[0]
	count[0] = 0
	code := 0
	for l := 1; l < 16; l++ {
		code = (code + count[l-1]) << 1
		next[l] = code
		if code+count[l] > 1<<l {
			return false
		}
	}
	if code+count[15] != 1<<15 {
		if used > 1 {
			return false
		}
		for i := range table[:1<<root] {
			table[i] = none
		}
	}
	var codes [320]uint16 // code of each symbol, first bit lowest
	var width [1 << litTableBits]uint8
	for sym, l := range lens {
		if l == 0 {
			continue
		}
		c := bits.Reverse16(uint16(next[l])) >> (16 - l)
		next[l]++
		codes[sym] = c
		if uint(l) > root {
			low := c & (1<<root - 1)
			width[low] = max(width[low], l-uint8(root))
		}
	}
	size := 1 << root
	var offset [1 << litTableBits]uint16
	for sym, l := range lens {
		if l == 0 {
			continue
		}
		c, e := int(codes[sym]), entry(sym)
		if uint(l) <= root {
			if e != none {
				e |= uint32(l)
			}
			for i := c; i < 1<<root; i += 1 << l {
				table[i] = e
			}
			continue
		}
		low := c & (1<<root - 1)
		if offset[low] == 0 {
			if size+1<<width[low] > len(table) {
				return false
			}
			offset[low] = uint16(size)
			table[low] = subtable | uint32(size)<<16 | uint32(width[low])<<8 | uint32(root)
			size += 1 << width[low]
		}
		if e != none {
			e |= uint32(l) - uint32(root)
		}
		for i := c >> root; i < 1<<width[low]; i += 1 << (uint(l) - root) {
			table[int(offset[low])+i] = e
		}
	}
	return true
}

func (z *inflater) buildTables(lit, dist []uint8) bool {
	return buildTable(z.lit[:], litTableBits, lit, litEntry, entrySpecial|entrySubtable, entryNone) &&
		buildTable(z.dist[:], distTableBits, dist, distEntry, distSubtable, distNone)
}

func (z *inflater) fixedTables() bool {
	lens := z.lens[:288+32]
	for i := range lens {
		switch {
		case i < 144:
			lens[i] = 8
		case i < 256:
			lens[i] = 9
		case i < 280:
			lens[i] = 7
		case i < 288:
			lens[i] = 8
		default:
			lens[i] = 5
		}
	}
	return z.buildTables(lens[:288], lens[288:])
}

// dynamicTables reads the code lengths before a block, RFC 1951 section 3.2.7.
func (z *inflater) dynamicTables() bool {
	nlit, ndist, npre := z.take(5)+257, z.take(5)+1, z.take(4)+4
	if nlit > 286 || ndist > 30 {
		return false
	}
	var pre [19]uint8
	for i := range npre {
		if z.n < 8 {
			z.refill()
		}
		pre[preOrder[i]] = uint8(z.take(3))
	}
	if !buildTable(z.pre[:], 7, pre[:], func(sym int) uint32 { return uint32(sym) << 16 }, entrySubtable, entryNone) {
		return false
	}
	lens := z.lens[:nlit+ndist]
	for i := 0; i < len(lens); {
		z.refill()
		e := z.pre[z.bits&127]
		if e == entryNone {
			return false
		}
		z.take(uint(e & 15))
		sym := uint8(e >> 16)
		if sym < 16 {
			lens[i] = sym
			i++
			continue
		}
		repeat, value := 0, uint8(0)
		switch sym {
		case 16:
			if i == 0 {
				return false
			}
			repeat, value = 3+z.take(2), lens[i-1]
		case 17:
			repeat = 3 + z.take(3)
		case 18:
			repeat = 11 + z.take(7)
		}
		if i+repeat > len(lens) || z.overrun() {
			return false
		}
		for range repeat {
			lens[i] = value
			i++
		}
	}
	return lens[256] != 0 && z.buildTables(lens[:nlit], lens[nlit:])
}
