package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// errDamaged is the error of stored bytes that make no sense.
var errDamaged = errors.New("damaged")

// A damage tells what of a value can't be read.
type damage struct {
	key []byte // nil as long as it isn't known
	at  int    // offset in the value, decompressed
	msg string
}

func (d *damage) Error() string {
	if d.key == nil {
		return fmt.Sprintf("byte %d: %s", d.at, d.msg)
	}
	return fmt.Sprintf("%s is damaged at byte %d: %s", keyName(d.key), d.at, d.msg)
}

func (d *damage) Is(err error) bool { return err == errDamaged }

// inKey says which key's value err, of decoding it, is about.
func inKey(key []byte, err error) error {
	var d *damage
	if errors.As(err, &d) && d.key == nil {
		d.key = append([]byte(nil), key...)
	}
	return err
}

// A reader decodes a value. The first thing that makes no sense is kept as its
// error, and all that is read then is zero.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &damage{at: r.at, msg: fmt.Sprintf(format, args...)}
	}
	r.at = len(r.b)
}

func (r *reader) uvarint() uint64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 {
		r.at++
		return uint64(r.b[r.at-1])
	}
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.fail("a number is cut off or too long")
		return 0
	}
	r.at += n
	return v
}

func (r *reader) varint() int64 { return unzigzag(r.uvarint()) }

// uvarints reads as many numbers as dst has room for. Most are short, and there
// are millions of them in a query.
func (r *reader) uvarints(dst []int64) {
	b, at := r.b, r.at
	for i := range dst {
		if at+1 < len(b) {
			low, high := b[at], b[at+1]
			if low < 0x80 {
				dst[i] = int64(low)
				at++
				continue
			}
			if high < 0x80 {
				dst[i] = int64(low&0x7f) | int64(high)<<7
				at += 2
				continue
			}
		}
		r.at = at
		dst[i] = int64(r.uvarint())
		at = r.at
	}
	r.at = at
}

// varints reads as many signed numbers as dst has room for.
func (r *reader) varints(dst []int64) {
	r.uvarints(dst)
	for i, v := range dst {
		dst[i] = unzigzag(uint64(v))
	}
}

// u32 reads a number below 2^32.
func (r *reader) u32() uint32 {
	v := r.uvarint()
	if v > math.MaxUint32 {
		r.fail("%d is out of range", v)
		return 0
	}
	return uint32(v)
}

// below reads an index that has to be below n.
func (r *reader) below(n int) uint32 {
	v := r.uvarint()
	if v >= uint64(n) {
		r.fail("index %d is out of range: there are %d", v, n)
		return 0
	}
	return uint32(v)
}

// count reads how many things follow that take at least size bytes each.
func (r *reader) count(size int) int {
	v := r.uvarint()
	if left := uint64(len(r.b) - r.at); v > left/uint64(max(size, 1)) {
		r.fail("%d entries don't fit in %d bytes", v, left)
		return 0
	}
	return int(v)
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b)-r.at {
		r.fail("%d bytes are cut off", n)
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at : r.at]
}

func (r *reader) byte() byte {
	if r.at >= len(r.b) {
		r.fail("a byte is missing")
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) str() string { return string(r.bytes(r.count(1))) }

// version reads the version that a value begins with.
func (r *reader) version(known byte) {
	if v := r.byte(); r.err == nil && v != known {
		r.at--
		r.fail("it has version %d, and this hone knows version %d", v, known)
	}
}

// end checks that everything was read.
func (r *reader) end() error {
	if r.err == nil && r.at != len(r.b) {
		r.fail("%d bytes follow the end", len(r.b)-r.at)
	}
	return r.err
}

// columns cuts what is left into the columns of values, one per sample type,
// which nobody has read yet. A column is a byte that says how it is stored, and
// then nothing (0), two numbers (1), or as many strings of bytes as lists says (2).
func (r *reader) columns(types, lists int) ([]reader, error) {
	columns := make([]reader, types)
	for t := range columns {
		start := r.at
		switch mode := r.byte(); mode {
		case 0:
		case 1:
			r.uvarint()
			r.uvarint()
		case 2:
			for range lists {
				r.bytes(r.count(1))
			}
		default:
			r.fail("column %d is stored in an unknown way, %d", t, mode)
		}
		columns[t] = reader{b: r.b[:r.at], at: start}
	}
	return columns, r.end()
}

func zigzag(v int64) uint64   { return uint64(v<<1) ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

func appendVarint(b []byte, v int64) []byte { return binary.AppendUvarint(b, zigzag(v)) }

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// maxPlain bounds what a value may decompress to.
const maxPlain = 1 << 30

// Compressed bytes are
//
//	0 byte*          as they are
//	1 frame          zstd
//
// Values that are written once and read often are compressed with zstd where
// that saves anything; see doc/design/0006-store.md for the level.
const (
	plainBytes = 0
	zstdBytes  = 1
)

var encoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}}

var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlain), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	return d
}}

// compress appends b in compressed form to dst.
func compress(dst, b []byte) []byte {
	start := len(dst)
	if len(b) > 64 {
		e := encoders.Get().(*zstd.Encoder)
		dst = e.EncodeAll(b, append(dst, zstdBytes))
		encoders.Put(e)
		if len(dst)-start <= len(b) {
			return dst
		}
		dst = dst[:start]
	}
	return append(append(dst, plainBytes), b...)
}

// decompress returns the bytes that compress was given. buf is used for them
// where it is large enough.
func decompress(buf, b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, &damage{msg: "it is empty"}
	}
	switch b[0] {
	case plainBytes:
		return b[1:], nil
	case zstdBytes:
		d := decoders.Get().(*zstd.Decoder)
		out, err := d.DecodeAll(b[1:], buf[:0])
		decoders.Put(d)
		if err != nil {
			return nil, &damage{at: 1, msg: "it can't be decompressed: " + err.Error()}
		}
		return out, nil
	}
	return nil, &damage{msg: fmt.Sprintf("it is compressed in an unknown way, %d", b[0])}
}
