package disk

import (
	"encoding/binary"
	"math/bits"
)

// samples are the samples of one profile: sites, and a column of values for each
// sample type. A site may occur more than once; its values add up.
type samples struct {
	sites  []uint32
	values [][]int64 // nil for columns that were not asked for

	distances []int64 // readSamples' own
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

const (
	columnZero    = 0 // all values are 0
	columnPlain   = 1 // varints
	columnSigned  = 2 // zigzag varints
	columnProduct = 3 // column:varint factor:zigzag: another column before it times a factor
	columnRatios  = 4 // varints that the column before it is to be multiplied by: sizes of objects
)

func appendSamples(b []byte, s *samples, scratch []byte) (out, newScratch []byte) {
	b = append(b, samplesVersion)
	b = binary.AppendUvarint(b, uint64(len(s.values)))
	b = binary.AppendUvarint(b, uint64(len(s.sites)))
	scratch = scratch[:0]
	last := uint32(0)
	for _, site := range s.sites {
		scratch = appendVarint(scratch, int64(site)-int64(last))
		last = site
	}
	b = appendString(b, string(scratch))
	for t, col := range s.values {
		mode := byte(columnZero)
		scratch = scratch[:0]
		any, all := int64(0), int64(0)
		for _, v := range col {
			any |= v
			all |= v >> 63
		}
		if any != 0 {
			mode = columnPlain
			if all != 0 {
				mode = columnSigned
			}
			for u := range t {
				if k, ok := factor(s.values[u], col); ok {
					mode = columnProduct
					scratch = appendVarint(binary.AppendUvarint(scratch, uint64(u)), k)
					break
				}
			}
		}
		if mode == columnPlain && t > 0 {
			if out, ok := appendRatios(scratch, s.values[t-1], col); ok {
				mode, scratch = columnRatios, out
			}
		}
		switch mode {
		case columnPlain:
			for _, v := range col {
				scratch = binary.AppendUvarint(scratch, uint64(v))
			}
		case columnSigned:
			for _, v := range col {
				scratch = appendVarint(scratch, v)
			}
		}
		b = append(b, mode)
		b = binary.AppendUvarint(b, uint64(len(scratch)))
		b = append(b, scratch...)
	}
	return b, scratch
}

// appendRatios appends b, value by value, divided by a, if nothing is left over.
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

// factor returns k if b is a, value by value, times k.
func factor(a, b []int64) (k int64, ok bool) {
	for i, v := range a {
		if v != 0 {
			if k = b[i] / v; k*v != b[i] {
				return 0, false
			}
			break
		}
	}
	if k == 0 {
		return 0, false
	}
	for i, v := range a {
		if v*k != b[i] {
			return 0, false
		}
	}
	return k, true
}

// readSamples decodes the samples of a profile with the given number of sample
// types, of which it decodes the columns wanted: one of them, or with -1 all.
// Sites are below nSites. The memory of s is used again.
func readSamples(s *samples, value []byte, types, wanted, nSites int) error {
	r := reader{b: value}
	r.version(samplesVersion)
	if n := r.uvarint(); r.err == nil && n != uint64(types) {
		r.fail("it has %d columns, and its head tells of %d", n, types)
	}
	n := r.count(1)
	in := reader{b: r.b, at: r.at}
	size := r.count(1)
	in = reader{b: r.b[:r.at+min(size, len(r.b)-r.at)], at: r.at}
	r.bytes(size)
	if r.err != nil {
		return r.err
	}
	s.sites, s.distances = grown(s.sites, n), grown(s.distances, n)
	in.varints(s.distances)
	last := int64(0)
	for i, d := range s.distances {
		last += d
		if uint64(last) >= uint64(nSites) {
			in.fail("sample %d is of site %d of %d", i, last, nSites)
			return in.err
		}
		s.sites[i] = uint32(last)
	}
	if err := in.end(); err != nil {
		return err
	}
	for len(s.values) < types {
		s.values = append(s.values, nil)
	}
	s.values = s.values[:types]
	if wanted < 0 {
		for t := range types {
			s.readColumn(&r, t, n)
		}
		return r.end()
	}
	// A product needs the column that it is of.
	columns := make([]reader, types)
	for t := range columns {
		start := r.at
		r.byte()
		r.bytes(r.count(1))
		columns[t] = reader{b: r.b[:r.at], at: start}
	}
	if err := r.end(); err != nil {
		return err
	}
	return s.readWanted(columns, wanted, n)
}

func (s *samples) readWanted(columns []reader, t, n int) error {
	c := columns[t]
	if c.at < len(c.b) && c.b[c.at] == columnRatios && t > 0 {
		if err := s.readWanted(columns, t-1, n); err != nil {
			return err
		}
	}
	if c.at < len(c.b) && c.b[c.at] == columnProduct {
		head := reader{b: c.b, at: c.at + 1}
		head.uvarint()
		of := head.uvarint()
		if of < uint64(t) {
			if err := s.readWanted(columns, int(of), n); err != nil {
				return err
			}
		}
	}
	s.readColumn(&c, t, n)
	return c.end()
}

// readColumn decodes column t of n values.
func (s *samples) readColumn(r *reader, t, n int) {
	mode := r.byte()
	size := r.count(1)
	in := reader{b: r.b[:r.at+size], at: r.at}
	r.bytes(size)
	col := grown(s.values[t], n)
	s.values[t] = col
	switch mode {
	case columnZero:
		clear(col)
	case columnPlain:
		in.uvarints(col)
	case columnSigned:
		in.varints(col)
	case columnProduct:
		of := in.below(max(t, 1))
		k := in.varint()
		if t == 0 || len(s.values[of]) != n {
			in.fail("column %d is a product of column %d", t, of)
			break
		}
		for i, v := range s.values[of] {
			col[i] = v * k
		}
	case columnRatios:
		if t == 0 || len(s.values[t-1]) != n {
			in.fail("the first column has ratios to the one before")
			break
		}
		in.uvarints(col)
		for i, v := range s.values[t-1] {
			col[i] *= v
		}
	default:
		in.fail("column %d is encoded in an unknown way, %d", t, mode)
	}
	if err := in.end(); err != nil && r.err == nil {
		r.err = err
	}
}

// grown returns s with length n; what is in it doesn't matter.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// sums adds up samples by site.
type sums struct {
	types  int // number of sample types
	wanted int // the column that is added up, -1 for all
	values [][]int64
	seen   []uint64 // a bit per site
}

// newSums returns sums for sites below n.
func newSums(types, wanted, n int) *sums {
	a := &sums{types: types, wanted: wanted, values: make([][]int64, types), seen: make([]uint64, (n+63)/64)}
	for t := range a.values {
		if wanted < 0 || t == wanted {
			a.values[t] = make([]int64, n)
		}
	}
	return a
}

func (a *sums) add(s *samples) {
	for _, site := range s.sites {
		a.seen[site/64] |= 1 << (site % 64)
	}
	for t, to := range a.values {
		if to == nil {
			continue
		}
		col := s.values[t][:len(s.sites)]
		for i, site := range s.sites {
			to[site] += col[i]
		}
	}
}

// each calls f with the sites that have a value other than 0, in order.
func (a *sums) each(f func(site uint32)) {
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
