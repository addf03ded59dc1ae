package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// ErrDamaged is the error of stored bytes that make no sense, and ErrVersion of
// those that a newer hone wrote.
var (
	ErrDamaged = errors.New("damaged")
	ErrVersion = errors.New("written by a newer version of hone")
)

// A Damage is the error of a value that can't be decoded.
type Damage struct {
	key []byte // nil as long as it isn't known
	at  int    // offset in the value, decompressed
	msg string
	// newer tells that it is good, and of a hone that knows more.
	newer bool
}

func (d *Damage) Error() string {
	if d.key == nil {
		return fmt.Sprintf("byte %d: %s", d.at, d.msg)
	}
	return fmt.Sprintf("%s is damaged at byte %d: %s", KeyName(d.key), d.at, d.msg)
}

func (d *Damage) Is(err error) bool { return err == ErrDamaged || err == ErrVersion && d.newer }

// InKey adds the key to an error of decoding its value.
func InKey(key []byte, err error) error {
	var d *Damage
	if errors.As(err, &d) && d.key == nil {
		d.key = append([]byte(nil), key...)
	}
	return err
}

// Damaged returns the error of a key whose value is wrong or missing.
func Damaged(key []byte, format string, args ...any) error {
	return InKey(key, &Damage{msg: fmt.Sprintf(format, args...)})
}

// A Reader decodes a value. It keeps the first error; after that, it returns zeros.
type Reader struct {
	b   []byte
	at  int
	err error
}

// NewReader returns a reader for a value or other data in the same encoding. The reader keeps
// b.
func NewReader(b []byte) *Reader { return &Reader{b: b} }

// Left returns the number of unread bytes.
func (r *Reader) Left() int { return len(r.b) - r.at }

// Fail sets the error for the current position, unless there is one.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Damage{at: r.at, msg: fmt.Sprintf(format, args...)}
	}
	r.at = len(r.b)
}

// Uvarint reads an unsigned number.
func (r *Reader) Uvarint() uint64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 {
		r.at++
		return uint64(r.b[r.at-1])
	}
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.Fail("a number is cut off or too long")
		return 0
	}
	r.at += n
	return v
}

func (r *Reader) varint() int64 { return unzigzag(r.Uvarint()) }

// uvarints reads len(dst) unsigned numbers. Most are short, and a query reads millions.
func (r *Reader) uvarints(dst []int64) {
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
		dst[i] = int64(r.Uvarint())
		at = r.at
	}
	r.at = at
}

// varints reads len(dst) signed numbers.
func (r *Reader) varints(dst []int64) {
	r.uvarints(dst)
	for i, v := range dst {
		dst[i] = unzigzag(uint64(v))
	}
}

// u32 reads a number below 2^32.
func (r *Reader) u32() uint32 {
	v := r.Uvarint()
	if v > math.MaxUint32 {
		r.Fail("%d is out of range", v)
		return 0
	}
	return uint32(v)
}

// below reads an index, which must be less than n.
func (r *Reader) below(n int) uint32 {
	v := r.Uvarint()
	if v >= uint64(n) {
		r.Fail("index %d is out of range: there are %d", v, n)
		return 0
	}
	return uint32(v)
}

// Count reads the number of things that follow. It fails if they can't fit in the rest at size
// bytes each.
func (r *Reader) Count(size int) int {
	v := r.Uvarint()
	if left := uint64(len(r.b) - r.at); v > left/uint64(max(size, 1)) {
		r.Fail("%d entries don't fit in %d bytes", v, left)
		return 0
	}
	return int(v)
}

// Bytes reads n bytes. The slice shares memory with the value.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.b)-r.at {
		r.Fail("%d bytes are cut off", n)
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at : r.at]
}

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if r.at >= len(r.b) {
		r.Fail("a byte is missing")
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *Reader) str() string { return string(r.Bytes(r.Count(1))) }

// version reads the version at the beginning of a value.
func (r *Reader) version(known byte) {
	if v := r.Byte(); r.err == nil && v != known {
		r.at--
		r.Fail("it has version %d, and this hone knows version %d: use the hone that wrote it, or a newer one", v, known)
		r.err.(*Damage).newer = v > known
	}
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// end returns the first error. Unread bytes are an error, too.
func (r *Reader) end() error {
	if r.err == nil && r.at != len(r.b) {
		r.Fail("%d bytes follow the end", len(r.b)-r.at)
	}
	return r.err
}

func zigzag(v int64) uint64   { return uint64(v<<1) ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

func appendVarint(b []byte, v int64) []byte { return binary.AppendUvarint(b, zigzag(v)) }

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// maxPlain limits the decompressed size of a value, in bytes.
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

// decompress returns the bytes that compress was given. It uses the memory of buf if it is
// large enough.
func decompress(buf, b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, &Damage{msg: "it is empty"}
	}
	switch b[0] {
	case plainBytes:
		return b[1:], nil
	case zstdBytes:
		d := decoders.Get().(*zstd.Decoder)
		out, err := d.DecodeAll(b[1:], buf[:0])
		decoders.Put(d)
		if err != nil {
			return nil, &Damage{at: 1, msg: "it can't be decompressed: " + err.Error()}
		}
		return out, nil
	}
	return nil, &Damage{msg: fmt.Sprintf("unknown compression %d", b[0])}
}
