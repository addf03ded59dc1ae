package objects

import (
	"fmt"
	"io"
	"strings"
)

// A digest has a Reset method.
type digest struct {
	block [512]byte
	n     int
	sum   uint64
}

func newDigest(seed uint64) *digest {
	// want B: callers don't need it
	return &digest{sum: seed} // alloc: 536
}

func (d *digest) Reset() { *d = digest{sum: 7} }

func (d *digest) Write(p []byte) (int, error) {
	for len(p) > 0 {
		n := copy(d.block[d.n:], p)
		d.n, p = (d.n+n)%len(d.block), p[n:]
		d.sum += uint64(n)
	}
	return 0, nil
}

func (d *digest) Sum64() uint64       { return d.sum }
func (d *digest) Block() []byte       { return d.block[:] }
func (d *digest) Sum(b []byte) []byte { return append(b, byte(d.sum)) }

func sum(text string) uint64 {
	d := newDigest(7)
	io.WriteString(d, text)
	return d.Sum64()
}

func sums(p []byte, seed uint64) (uint64, []byte) {
	d := newDigest(7)
	d.Write(p)
	other := newDigest(seed) // it differs from call to call
	other.Write(p)
	return d.Sum64() + other.Sum64(), d.Sum(nil)
}

func block(p []byte) []byte {
	d := newDigest(7) // its memory is returned
	d.Write(p)
	return d.Block()
}

func printed(ns []int) uint64 {
	// want B: that Reset makes d what it is when new
	d := new(digest) // alloc: 536
	for _, n := range ns {
		fmt.Fprintf(d, "%d", n)
	}
	return d.Sum64()
}

// A plain value has nothing to reset.
type plain struct{ text [600]byte }

func (p *plain) String() string { return string(p.text[:]) }

func text(s string) string {
	p := &plain{}
	copy(p.text[:], s)
	return p.String()
}

// lines has a buffer whose size is that of the input.
func lines(r io.Reader, n int, text string) (count int) {
	// want B: A buffer of up to 4 KiB
	buf := make([]byte, len(text)+1) // alloc: 4096
	if _, err := io.ReadFull(r, buf); err != nil {
		return 0
	}
	// want B: that 2*n is never negative
	sums := make([]int, 0, 2*n) // alloc: 1024
	for i, b := range buf {
		sums = append(sums, i+int(b))
	}
	for _, s := range sums {
		count += s
	}
	return count
}

func small(n int, s string) int {
	buf := make([]byte, n) // alloc: 64
	return copy(buf, s)
}

func fields(s string, n int) int {
	// want C: A buffer of up to 4 KiB
	parts := make([]string, n) // alloc: 4096
	for i := range parts {
		parts[i] = strings.Repeat(s, i)
	}
	return len(parts[0])
}
