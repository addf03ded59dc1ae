package local

import (
	"encoding/binary"
	"hash"
	"io"
	"strconv"
)

const size = 32 << 10

type state struct {
	table [4096]uint32
	n     int
}

func count(r io.Reader) (n int) {
	// want B: A buffer of 32 KiB
	buf := make([]byte, size) // alloc
	for {
		m, err := r.Read(buf[:len(buf)/2])
		for _, b := range buf[:m] {
			if b == '\n' {
				n++
			}
		}
		if err != nil {
			return n
		}
	}
}

func hashed(h hash.Hash, r io.Reader) error {
	// want C: A buffer of 4 KiB
	_, err := io.CopyBuffer(h, r, make([]byte, 4096)) // alloc
	return err
}

func text(w io.Writer, ns []int) {
	// want B: Check that no function keeps buf
	buf := make([]byte, 0, 2048) // alloc
	for _, n := range ns {
		buf = strconv.AppendInt(buf, int64(n), 10)
		buf = append(buf, ' ')
	}
	line := buf[:len(buf)-1]
	w.Write(line)
}

func newState(n int) *state {
	// want C: Each call of newState allocates a value of 16.01 KiB
	return &state{n: n} // alloc
}

func NewBuffer() *state {
	// want C: Each call of NewBuffer
	s := new(state) // alloc
	return s
}

func words(w io.Writer, ws []uint64) error {
	// says: block escapes to heap
	// want B: An array of 1 KiB
	var block [1 << 10]byte // alloc
	for i := range block {
		block[i] = '-'
	}
	for len(ws) > 0 {
		n := min(len(ws), len(block)/8)
		for i, v := range ws[:n] {
			binary.LittleEndian.PutUint64(block[8*i:], v)
		}
		if _, err := w.Write(block[:8*n]); err != nil {
			return err
		}
		ws = ws[n:]
	}
	return nil
}

// looped would put them back only at its end.
func looped(r io.Reader) (sum int) {
	for range 10 {
		const length = 600
		// want C: A buffer of 600
		b := make([]byte, length) // alloc
		r.Read(b)
		sum += int(b[0])
	}
	return sum
}

func scoped(r io.Reader) (sum int) {
	const length = 600
	type number uint16
	// want B: A buffer of 600
	b := make([]byte, length) // alloc
	r.Read(b)
	// want C: A buffer of 1.172 KiB
	ns := make([]number, length) // alloc
	ns[int(b[1])] = 7
	return sum + int(b[0]) + int(ns[7])
}

func valued(r io.Reader) (sum int) {
	// says: b escapes to heap
	// want C: An array of 512 bytes
	var b [512]byte // alloc
	r.Read(b[:])
	for _, v := range b {
		sum += int(v)
	}
	return sum
}

func chunk[T any](r io.Reader, ts []T) int {
	// want B: A buffer of 1 KiB
	b := make([]byte, 16, 1024) // alloc
	r.Read(b)
	return int(b[:20][19]) + len(ts)
}

func appendFlags(b []byte) []byte {
	b = b[:len(b)+1]
	b[len(b)-1] |= 4
	return b
}

// cleared has a callee that looks at bytes behind the length.
func cleared(ns []int) string {
	// want B: A buffer of 1 KiB
	b := make([]byte, 0, 1024) // alloc
	for _, n := range ns {
		b = strconv.AppendInt(b, int64(n), 10)
	}
	b = appendFlags(b)
	return string(b)
}

// varying has another size on 32-bit systems.
func varying(r io.Reader) int {
	const bits = 32 << (^uint(0) >> 63)
	// want C: A buffer of 1 KiB
	b := make([]byte, 16*bits) // alloc
	r.Read(b)
	return int(b[len(b)-1])
}

// huge would be an array that 32-bit systems don't have.
func huge(r io.Reader) int {
	// want C: A buffer of 2 GiB
	b := make([]byte, 1<<31-1) // alloc
	r.Read(b)
	return int(b[len(b)-1])
}

type peeker struct{ next byte }

func (p *peeker) Write(b []byte) (int, error) {
	p.next = b[:len(b)+1][len(b)]
	return len(b), nil
}

// peeked has a writer that looks at a byte behind the length.
func peeked(p *peeker, s string) {
	// want B: A buffer of 1 KiB
	b := make([]byte, 0, 1024) // alloc
	b = append(b, s...)
	p.Write(b)
}
