package format

import (
	"encoding/binary"
	"math/bits"
)

// Samples are the samples of one profile: their sites, and a column of values per sample type.
// If a site occurs several times, its values add up.
type Samples struct {
	Sites  []uint32
	Values [][]int64 // nil for columns that were not asked for

	distances []int64 // ReadSamples' own
	columns   columns
}

// The samples of a profile that isn't packed are
//
//	1            version
//	types        number of columns
//	n            number of samples
//	size bytes*  the sites, each as the zigzag distance to the one before
//	for each column:
//	  mode       a byte, see below
//	  size       of what follows
//	  bytes*
//
// with numbers as varints. They are written once, read a few times, and
// rewritten in blocks after an hour; so they are made to be written fast.
const samplesVersion = 1

// Modes of these columns.
const (
	freshZero    = 0 // all values are 0
	freshPlain   = 1 // varints
	freshSigned  = 2 // zigzag varints
	freshProduct = 3 // column:varint factor:zigzag: another column before it times a factor
	freshRatios  = 4 // varints that the column before it is to be multiplied by: sizes of objects
)

// AppendSamples appends the encoded samples of a fresh profile to b. It uses the memory of
// scratch, and returns it for the next call.
func AppendSamples(b []byte, s *Samples, scratch []byte) (out, newScratch []byte) {
	b = append(b, samplesVersion)
	b = binary.AppendUvarint(b, uint64(len(s.Values)))
	b = binary.AppendUvarint(b, uint64(len(s.Sites)))
	scratch = scratch[:0]
	last := uint32(0)
	for _, site := range s.Sites {
		scratch = appendVarint(scratch, int64(site)-int64(last))
		last = site
	}
	b = appendString(b, string(scratch))
	for t := range s.Values {
		var mode byte
		mode, scratch = s.appendColumn(scratch[:0], t)
		b = append(b, mode)
		b = binary.AppendUvarint(b, uint64(len(scratch)))
		b = append(b, scratch...)
	}
	return b, scratch
}

// appendColumn appends column t, without mode and size, and returns the mode it chose.
func (s *Samples) appendColumn(dst []byte, t int) (mode byte, out []byte) {
	col := s.Values[t]
	bits, signs := int64(0), int64(0)
	for _, v := range col {
		bits |= v
		signs |= v >> 63
	}
	if bits == 0 {
		return freshZero, dst
	}
	if of, k, ok := productOf(s.Values, t, 0, len(col)); ok {
		return freshProduct, appendProduct(dst, of, k)
	}
	if signs != 0 {
		for _, v := range col {
			dst = appendVarint(dst, v)
		}
		return freshSigned, dst
	}
	if t > 0 {
		if out, ok := appendRatios(dst, s.Values[t-1], col); ok {
			return freshRatios, out
		}
	}
	for _, v := range col {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return freshPlain, dst
}

// appendRatios appends b divided by a. ok is false if a value is not divisible.
func appendRatios(dst []byte, a, b []int64) (out []byte, ok bool) {
	for i, v := range a {
		switch {
		case v == 0 && b[i] == 0:
			dst = append(dst, 0)
		case v <= 0 || uint64(b[i])%uint64(v) != 0:
			return dst[:0], false
		default:
			dst = binary.AppendUvarint(dst, uint64(b[i])/uint64(v))
		}
	}
	return dst, true
}

// ReadSamples decodes the samples of a fresh profile with the given number of sample types. It
// decodes the column wanted, or all columns for -1. A site that is not below nSites is an
// error. It uses the memory of s again, and copies what it needs from value.
func ReadSamples(s *Samples, value []byte, types, wanted, nSites int) error {
	r := Reader{b: value}
	r.version(samplesVersion)
	if n := r.Uvarint(); r.err == nil && n != uint64(types) {
		r.Fail("it has %d columns, and its head has %d", n, types)
	}
	n := r.Count(1)
	in := Reader{b: r.b, at: r.at}
	size := r.Count(1)
	in = Reader{b: r.b[:r.at+min(size, len(r.b)-r.at)], at: r.at}
	r.Bytes(size)
	if r.err != nil {
		return r.err
	}
	s.Sites, s.distances = grown(s.Sites, n), grown(s.distances, n)
	in.varints(s.distances)
	last := int64(0)
	for i, d := range s.distances {
		last += d
		if uint64(last) >= uint64(nSites) {
			in.Fail("sample %d refers to site %d of %d", i, last, nSites)
			return in.err
		}
		s.Sites[i] = uint32(last)
	}
	if err := in.end(); err != nil {
		return err
	}
	s.Values = withLength(s.Values, types)
	c := &s.columns
	*c = columns{n: n, values: s.Values, stored: grown(c.stored, types), reused: true, only: -1, decode: decodeFresh}
	if err := c.cut(&r, func(byte, int) { r.Bytes(r.Count(1)) }); err != nil {
		return err
	}
	return c.read(wanted)
}

// decodeFresh decodes a column of a fresh profile.
func decodeFresh(c *columns, r *Reader, t int, col []int64) {
	mode := r.Byte()
	r.Count(1) // all that is left, as it was cut
	switch mode {
	case freshZero:
		clear(col)
	case freshPlain:
		r.uvarints(col)
	case freshSigned:
		r.varints(col)
	case freshProduct:
		c.product(r, t, col, 0)
	case freshRatios:
		r.uvarints(col)
		for i, v := range c.earlier(r, t, uint64(t)-1) {
			col[i] *= v
		}
	default:
		r.Fail("unknown encoding of column %d: %d", t, mode)
	}
}

// Reset removes all samples, and sets the number of sample types. The memory is used again.
func (s *Samples) Reset(types int) {
	s.Sites, s.Values = s.Sites[:0], withLength(s.Values, types)
	for t := range s.Values {
		s.Values[t] = s.Values[t][:0]
	}
}

// An Adder adds up samples by site.
type Adder struct {
	Types  int // number of sample types
	wanted int // the column that is added up, -1 for all
	values [][]int64
	seen   []uint64 // a bit per site
}

// NewAdder returns an adder for profiles with the given number of sample types and sites below
// n. It adds up the column wanted, or all columns for -1.
func NewAdder(types, wanted, n int) *Adder {
	a := &Adder{Types: types, wanted: wanted, values: make([][]int64, types), seen: make([]uint64, (n+63)/64)}
	for t := range a.values {
		if wanted < 0 || t == wanted {
			a.values[t] = make([]int64, n)
		}
	}
	return a
}

// Add adds samples.
func (a *Adder) Add(s *Samples) {
	for _, site := range s.Sites {
		a.seen[site/64] |= 1 << (site % 64)
	}
	for t, to := range a.values {
		if to == nil {
			continue
		}
		col := s.Values[t][:len(s.Sites)]
		for i, site := range s.Sites {
			to[site] += col[i]
		}
	}
}

// Remove subtracts samples that were added before.
func (a *Adder) Remove(s *Samples) {
	for t, to := range a.values {
		if to == nil {
			continue
		}
		col := s.Values[t][:len(s.Sites)]
		for i, site := range s.Sites {
			to[site] -= col[i]
		}
	}
}

// Clone returns a copy for sites below n. n must not be less than for a.
func (a *Adder) Clone(n int) *Adder {
	c := NewAdder(a.Types, a.wanted, n)
	copy(c.seen, a.seen)
	for t := range c.values {
		copy(c.values[t], a.values[t])
	}
	return c
}

// Memory returns the approximate size in bytes.
func (a *Adder) Memory() int64 {
	n := int64(8 * cap(a.seen))
	for _, col := range a.values {
		n += int64(8 * cap(col))
	}
	return n
}

// each calls f with the sites that have a nonzero value, in ascending order.
func (a *Adder) each(f func(site uint32)) {
	for w, word := range a.seen {
		for ; word != 0; word &= word - 1 {
			site := uint32(w*64 + bits.TrailingZeros64(word))
			for _, col := range a.values {
				if col != nil && col[site] != 0 {
					f(site)
					break
				}
			}
		}
	}
}
