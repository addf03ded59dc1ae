package format

import (
	"encoding/binary"
	"slices"
)

// Values stand in columns, one for each sample type. In a block and in a roll-up a
// column is
//
//	mode:byte
//	0                             zeros
//	1 column:varint factor:zigzag an earlier column times a factor
//	2 (size bytes*)*              coded as blocks or roll-ups do it
//
// Samples that are not packed have modes of their own; see samples.go.
const (
	columnZero    = 0
	columnProduct = 1
	columnCoded   = 2
)

// appendColumns appends columns of values. It calls code to append a column that is neither
// zeros nor a product.
func appendColumns(b []byte, values [][]int64, code func(b []byte, t int) []byte) []byte {
	for t, col := range values {
		if !slices.ContainsFunc(col, func(v int64) bool { return v != 0 }) {
			b = append(b, columnZero)
		} else if of, k, ok := productOf(values, t, 0, len(col)); ok {
			b = appendProduct(append(b, columnProduct), of, k)
		} else {
			b = code(append(b, columnCoded), t)
		}
	}
	return b
}

// productOf finds an earlier column that, multiplied by k, gives column t from start to end.
func productOf(values [][]int64, t, start, end int) (of int, k int64, ok bool) {
	col := values[t][start:end]
	for of := range t {
		if k, ok := factor(values[of][start:end], col); ok {
			return of, k, true
		}
	}
	return 0, 0, false
}

// factor returns k if b is a multiplied by k.
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

func appendProduct(b []byte, of int, k int64) []byte {
	return appendVarint(binary.AppendUvarint(b, uint64(of)), k)
}

// columns decodes columns when they are needed: because they are wanted, or because another
// column is their product.
type columns struct {
	n      int // values in each
	values [][]int64
	stored []storedColumn
	reused bool // values is memory that is used again and again
	only   int  // the only column whose values are wanted, -1 for none such
	// decode decodes column t, of which r has the bytes, mode and all, into col.
	decode func(c *columns, r *Reader, t int, col []int64)
}

// A storedColumn is an encoded column, and whether it has been decoded.
type storedColumn struct {
	r    Reader
	done bool
}

// cut splits the rest of r into columns without decoding them. pass skips what follows a mode.
func (c *columns) cut(r *Reader, pass func(mode byte, t int)) error {
	for t := range c.stored {
		start := r.at
		pass(r.Byte(), t)
		c.stored[t] = storedColumn{r: Reader{b: r.b[:r.at], at: start}}
	}
	return r.end()
}

// read decodes the column wanted, or all columns for -1.
func (c *columns) read(wanted int) error {
	for t := range c.stored {
		if wanted < 0 || t == wanted {
			if err := c.column(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// column decodes column t, unless that was done before.
func (c *columns) column(t int) error {
	s := &c.stored[t]
	if s.done {
		return nil
	}
	s.done = true
	if t == c.only && s.r.at < len(s.r.b) && s.r.b[s.r.at] == columnProduct {
		c.becomeProduct(&s.r, t)
		return s.r.end()
	}
	if c.reused {
		c.values[t] = grown(c.values[t], c.n)
	} else {
		c.values[t] = make([]int64, c.n)
	}
	c.decode(c, &s.r, t, c.values[t])
	return s.r.end()
}

// earlier returns column of, which column t in r depends on. It must come before t.
func (c *columns) earlier(r *Reader, t int, of uint64) []int64 {
	if of >= uint64(t) {
		r.Fail("column %d depends on column %d, which does not come before it", t, of)
		return nil
	}
	if err := c.column(int(of)); err != nil && r.err == nil {
		r.err = err
	}
	return c.values[of]
}

// product reads an earlier column and a factor, and stores the products in dst. dst begins at
// value start of the column.
func (c *columns) product(r *Reader, t int, dst []int64, start int) {
	of, k := r.Uvarint(), r.varint()
	if r.err != nil {
		return
	}
	col := c.earlier(r, t, of)
	if r.err != nil {
		return
	}
	for i, v := range col[start : start+len(dst)] {
		dst[i] = v * k
	}
}

// becomeProduct multiplies an earlier column in place to get column t. No other column needs
// the earlier one.
func (c *columns) becomeProduct(r *Reader, t int) {
	r.Byte()
	of, k := r.Uvarint(), r.varint()
	if r.err != nil {
		return
	}
	col := c.earlier(r, t, of)
	if r.err != nil {
		return
	}
	for i := range col {
		col[i] *= k
	}
	c.values[t], c.values[of] = col, nil
}

// readCoded decodes the column wanted of a block or roll-up, or all columns for -1. The others
// stay nil. code decodes a column that is neither zeros nor a product; it consists of strs byte
// strings.
func readCoded(r *Reader, values [][]int64, n, wanted, strs int, code func(c *columns, r *Reader, t int, col []int64)) error {
	c := columns{n: n, values: values, stored: make([]storedColumn, len(values)), only: wanted}
	c.decode = func(c *columns, r *Reader, t int, col []int64) {
		switch r.Byte() {
		case columnProduct:
			c.product(r, t, col, 0)
		case columnCoded:
			code(c, r, t, col)
		}
	}
	err := c.cut(r, func(mode byte, t int) {
		switch mode {
		case columnZero:
		case columnProduct:
			r.Uvarint()
			r.Uvarint()
		case columnCoded:
			for range strs {
				r.Bytes(r.Count(1))
			}
		default:
			r.Fail("unknown encoding of column %d: %d", t, mode)
		}
	})
	if err == nil {
		err = c.read(wanted)
	}
	for t := range values {
		if wanted >= 0 && t != wanted {
			values[t] = nil
		}
	}
	return err
}

// grown returns a slice of length n with arbitrary contents, if possible in the memory of s.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// withLength returns s with length n and unchanged contents.
func withLength[T any](s []T, n int) []T { return slices.Grow(s, max(n-len(s), 0))[:n] }
