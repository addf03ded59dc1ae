package format

import (
	"encoding/binary"
	"math/bits"
)

// A list of numbers is coded as classes and bits: the class of a number is its
// length in bits, zigzag, and its bits are those behind the first one, which is
// known to be set. Classes repeat and compress well; the bits of measured values
// are noise, which no compression makes smaller, so they are stored as they are.

// A bitWriter appends bits to bytes, beginning with the lowest bit of each byte.
type bitWriter struct {
	b    []byte
	word uint64
	n    uint // bits in word, below 8 after flush, below 64 always
}

// write appends the low n bits of v. The other bits must be 0, and n at most 63.
func (w *bitWriter) write(v uint64, n uint) {
	w.word |= v << w.n
	if w.n+n >= 64 {
		w.b = binary.LittleEndian.AppendUint64(w.b, w.word)
		w.word = 0
		if w.n > 0 {
			w.word = v >> (64 - w.n)
		}
		w.n += n - 64
		return
	}
	w.n += n
}

// end returns the bytes. The last one is filled up with zeros.
func (w *bitWriter) end() []byte {
	for w.n > 0 {
		w.b = append(w.b, byte(w.word))
		w.word >>= 8
		w.n -= min(w.n, 8)
	}
	return w.b
}

// A bitReader reads what a bitWriter wrote. After the end, it returns zeros.
type bitReader struct {
	b    []byte
	at   uint // bits read
	over bool // it was read behind the end
}

func (r *bitReader) read(n uint) uint64 {
	i, shift := r.at/8, r.at%8
	r.at += n
	var word uint64
	if i+9 <= uint(len(r.b)) {
		word = binary.LittleEndian.Uint64(r.b[i:]) >> shift
		if shift+n > 64 {
			word |= uint64(r.b[i+8]) << (64 - shift)
		}
	} else {
		word = r.slow(i, shift)
	}
	return word & (1<<n - 1)
}

func (r *bitReader) slow(i, shift uint) uint64 {
	if r.at > 8*uint(len(r.b)) {
		r.over = true
		return 0
	}
	var tail [16]byte
	copy(tail[:], r.b[i:])
	word := binary.LittleEndian.Uint64(tail[:]) >> shift
	if shift > 0 {
		word |= uint64(tail[8]) << (64 - shift)
	}
	return word
}

// putInt appends the class of v and writes its bits.
func putInt(classes []byte, w *bitWriter, v int64) []byte {
	u := zigzag(v)
	n := uint(bits.Len64(u))
	if n > 1 {
		w.write(u&^(1<<(n-1)), n-1)
	}
	return append(classes, byte(n))
}

// getInt reads the number with a class.
func (r *bitReader) getInt(class byte) int64 {
	switch {
	case class <= 1:
		return -int64(class) // zigzag of 1 is -1
	case class > 64:
		r.over = true
		return 0
	}
	n := uint(class) - 1
	return unzigzag(r.read(n) | 1<<n)
}

// Numbers are stored as
//
//	size bytes*  the classes, compressed
//	size bytes*  the bits
func appendInts(b []byte, values []int64) []byte {
	classes := make([]byte, 0, len(values))
	var w bitWriter
	for _, v := range values {
		classes = putInt(classes, &w, v)
	}
	b = appendString(b, string(compress(nil, classes)))
	return appendString(b, string(w.end()))
}

// readInts reads len(values) numbers.
func readInts(r *Reader, values []int64) {
	classes := r.compressed()
	in := bitReader{b: r.Bytes(r.Count(1))}
	if r.err == nil && len(classes) != len(values) {
		r.Fail("there are %d numbers, not %d", len(classes), len(values))
	}
	if r.err != nil {
		return
	}
	for i, c := range classes {
		values[i] = in.getInt(c)
	}
	if in.over {
		r.Fail("bits of numbers are missing")
	}
}

// compressed reads the size of compressed bytes and decompresses them.
func (r *Reader) compressed() []byte {
	start := r.at
	b := r.Bytes(r.Count(1))
	if r.err != nil {
		return nil
	}
	plain, err := decompress(nil, b)
	if err != nil {
		r.at = start
		r.Fail("%v", err)
		return nil
	}
	return plain
}
