package profile

import (
	"encoding/binary"
	"math/bits"
)

// Protobuf wire types, https://protobuf.dev/programming-guides/encoding.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// uvarint reads the varint at b[i:] and returns it with the index behind it.
// next is -1 when b ends inside the varint and -2 when it is longer than ten bytes.
func uvarint(b []byte, i int) (v uint64, next int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return uvarintLong(b, i)
}

// shortUvarint reads a varint of one or two bytes that doesn't end b, and is
// small enough to be inlined. next is 0 if there is none such.
func shortUvarint(b []byte, i int) (v uint64, next int) {
	if i+1 < len(b) {
		c, d := b[i], b[i+1]
		if c < 0x80 {
			return uint64(c), i + 1
		}
		if d < 0x80 {
			return uint64(c&0x7f) | uint64(d)<<7, i + 2
		}
	}
	return 0, 0
}

func uvarintLong(b []byte, i int) (v uint64, next int) {
	if len(b)-i >= 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if stop := ^x & 0x8080808080808080; stop != 0 {
			// The lowest bit of stop ends the number. Drop what is behind it and
			// close the gaps between groups of seven bits.
			n := bits.TrailingZeros64(stop) + 1
			x &= 0x7f7f7f7f7f7f7f7f & (1<<n - 1)
			x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
			x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
			x = x&0x000000000fffffff | x&0x0fffffff00000000>>4
			return x, i + n/8
		}
	}
	b = b[i:]
	if len(b) > 10 {
		b = b[:10]
	}
	for k, c := range b {
		v |= uint64(c&0x7f) << (7 * k)
		if c < 0x80 {
			return v, i + k + 1
		}
	}
	if len(b) == 10 {
		return 0, -2
	}
	return 0, -1
}

// varintProblem says in words what uvarint's next means.
func varintProblem(next int) string {
	if next == -2 {
		return "a number is longer than 10 bytes"
	}
	return "the data ends inside a number"
}

// field is one protobuf field: a number in v, or bytes in data at b[at:].
type field struct {
	num  uint64
	wire int
	v    uint64
	data []byte
	at   int
}

// unknownField is a field number that no message of profiles has.
const unknownField = 1<<61 - 1

// nextField reads the field at b[i:]. A non-empty problem tells why it can't be
// read; next is then the place of the problem.
func nextField(b []byte, i int) (f field, next int, problem string) {
	key, n := uvarint(b, i)
	if n < 0 {
		return f, i, varintProblem(n)
	}
	f.num, f.wire = key>>3, int(key&7)
	if f.num == 0 {
		f.num = unknownField // 0 isn't allowed, but google/pprof skips it, too
	}
	switch f.wire {
	case wireVarint:
		v, k := uvarint(b, n)
		if k < 0 {
			return f, n, varintProblem(k)
		}
		f.v = v
		return f, k, ""
	case wireBytes:
		l, k := uvarint(b, n)
		if k < 0 {
			return f, n, varintProblem(k)
		}
		if l > uint64(len(b)-k) {
			return f, n, "a field is longer than what holds it"
		}
		f.at, f.data = k, b[k:k+int(l)]
		return f, k + int(l), ""
	case wireFixed64:
		if len(b)-n < 8 {
			return f, n, "the data ends inside a number"
		}
		return f, n + 8, ""
	case wireFixed32:
		if len(b)-n < 4 {
			return f, n, "the data ends inside a number"
		}
		return f, n + 4, ""
	}
	return f, i, "a field has a wire type that profiles don't use"
}

// uvarintLen returns the number of bytes that v takes as a varint.
func uvarintLen(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }
