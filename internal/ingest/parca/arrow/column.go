package arrow

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
)

// A Column has the values of one field. References were checked when it was read,
// so its methods only need an index below Len. They are not safe for concurrent
// use.
type Column struct {
	Name string
	Kind Kind
	Len  int

	width    int
	unsigned bool
	unit     int64
	validity []byte // a bit per value: 1 if it isn't null; nil if none is null
	data     []byte // values, the bytes of texts, or views
	offsets  []byte // i32, of texts and lists: one more than there are values; for Ranges, as many
	sizes    []byte // i32, of Ranges
	more     [][]byte
	children []*Column
	values   *Column // the dictionary, if data has indexes into it

	run int // of Runs: the run of the value that was read last
}

// Field returns the column of a Struct's field, nil if there is none.
func (c *Column) Field(name string) *Column {
	if c.Kind != Struct {
		return nil
	}
	return find(c.children, name)
}

func find(columns []*Column, name string) *Column {
	for _, c := range columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Fields returns the columns of a Struct's fields.
func (c *Column) Fields() []*Column { return c.children }

// Elem returns the column of the lists' elements.
func (c *Column) Elem() *Column { return c.children[0] }

// Plain returns the column that has the values of c, behind dictionaries and runs.
// Value returns positions in it.
func (c *Column) Plain() *Column {
	for {
		switch {
		case c.values != nil:
			c = c.values
		case c.Kind == Runs:
			c = c.children[1]
		default:
			return c
		}
	}
}

// Value returns the position of value i in Plain; ok is false if the value is null.
func (c *Column) Value(i int) (at int, ok bool) {
	for {
		switch {
		case c.validity != nil && c.validity[i>>3]>>(i&7)&1 == 0:
			return 0, false
		case c.values != nil:
			c, i = c.values, int(c.number(i))
		case c.Kind == Runs:
			c, i = c.children[1], c.runOf(i)
		default:
			return i, true
		}
	}
}

// runOf returns the run that value i is in.
func (c *Column) runOf(i int) int {
	ends := c.children[0]
	from := func(run int) int64 {
		if run == 0 {
			return 0
		}
		return ends.number(run - 1)
	}
	if int64(i) < from(c.run) || int64(i) >= ends.number(c.run) {
		if next := c.run + 1; int64(i) >= from(c.run) && next < ends.Len && int64(i) < ends.number(next) {
			c.run = next
		} else {
			c.run = sort.Search(ends.Len-1, func(run int) bool { return int64(i) < ends.number(run) })
		}
	}
	return c.run
}

// number returns a number as it is stored. Unsigned numbers of 8 bytes may overflow.
func (c *Column) number(i int) int64 {
	b := c.data[i*c.width:]
	switch {
	case c.width == 8:
		return int64(binary.LittleEndian.Uint64(b))
	case c.width == 4 && c.unsigned:
		return int64(binary.LittleEndian.Uint32(b))
	case c.width == 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case c.width == 2 && c.unsigned:
		return int64(binary.LittleEndian.Uint16(b))
	case c.width == 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case c.unsigned:
		return int64(b[0])
	}
	return int64(int8(b[0]))
}

// Int returns number i; in ns if it is a time, and 0 if it is null. Numbers that
// are too large become the largest int64.
func (c *Column) Int(i int) int64 {
	at, ok := c.Value(i)
	if !ok {
		return 0
	}
	p := c.Plain()
	v := p.number(at)
	switch {
	case p.unsigned && v < 0, p.unit > 1 && v > math.MaxInt64/p.unit:
		return math.MaxInt64
	case p.unit > 1 && v < 0:
		return 0 // before 1970
	case p.unit > 1:
		return v * p.unit
	}
	return v
}

// Bits returns number i, of 8 bytes, unchanged; 0 if it is null.
func (c *Column) Bits(i int) uint64 {
	at, ok := c.Value(i)
	if !ok {
		return 0
	}
	return uint64(c.Plain().number(at))
}

// Bytes returns the bytes of text i; nil if it is null. The record owns them.
func (c *Column) Bytes(i int) []byte {
	at, ok := c.Value(i)
	if !ok {
		return nil
	}
	return c.Plain().bytes(at)
}

func (c *Column) bytes(i int) []byte {
	switch c.Kind {
	case Fixed:
		return c.data[i*c.width:][:c.width]
	case View:
		b, _ := c.view(i)
		return b
	}
	from, to := i32(c.offsets, i), i32(c.offsets, i+1)
	return c.data[from:to]
}

// view returns value i of a View:
//
//	i32 bytes; up to 12: the bytes, else: 4 of them, i32 buffer, i32 offset in it
func (c *Column) view(i int) ([]byte, error) {
	v := c.data[16*i:][:16]
	n := i32(v, 0)
	if n < 0 {
		return nil, fmt.Errorf("a text of %d bytes", n)
	}
	if n <= 12 {
		return v[4 : 4+n], nil
	}
	buffer, from := i32(v, 2), i32(v, 3)
	if buffer < 0 || buffer >= len(c.more) || from < 0 || from > len(c.more[buffer])-n {
		return nil, fmt.Errorf("a text of %d bytes at %d of buffer %d of %d", n, from, buffer, len(c.more))
	}
	return c.more[buffer][from : from+n], nil
}

// Range returns the half-open range of list i in Elem.
func (c *Column) Range(i int) (from, to int) {
	at, ok := c.Value(i)
	if !ok {
		return 0, 0
	}
	p := c.Plain()
	from = i32(p.offsets, at)
	if p.Kind == Ranges {
		return from, from + i32(p.sizes, at)
	}
	return from, i32(p.offsets, at+1)
}

func i32(b []byte, i int) int { return int(int32(binary.LittleEndian.Uint32(b[4*i:]))) }

// check returns an error if values refer to something out of range.
func (c *Column) check() error {
	switch {
	case c.values != nil:
		for i := range c.Len {
			if c.validity != nil && c.validity[i>>3]>>(i&7)&1 == 0 {
				continue
			}
			if n := c.number(i); n < 0 || n >= int64(c.values.Len) {
				return fmt.Errorf("value %d is entry %d of a dictionary of %d", i, n, c.values.Len)
			}
		}
	case c.Kind == Text, c.Kind == List:
		most := len(c.data)
		if c.Kind == List {
			most = c.Elem().Len
		}
		last := 0
		for i := range c.Len + 1 {
			n := i32(c.offsets, i)
			if n < last || n > most {
				return fmt.Errorf("value %d begins at %d, the one before at %d, of %d", i, n, last, most)
			}
			last = n
		}
	case c.Kind == View:
		for i := range c.Len {
			if _, err := c.view(i); err != nil {
				return fmt.Errorf("value %d: %w", i, err)
			}
		}
	case c.Kind == Ranges:
		for i := range c.Len {
			if from, n := i32(c.offsets, i), i32(c.sizes, i); from < 0 || n < 0 || from > c.Elem().Len-n {
				return fmt.Errorf("value %d has %d elements from %d, of %d", i, n, from, c.Elem().Len)
			}
		}
	case c.Kind == Struct:
		for _, child := range c.children {
			if child.Len < c.Len {
				return fmt.Errorf("field %.60q has %d values for %d", child.Name, child.Len, c.Len)
			}
		}
	case c.Kind == Runs:
		return c.checkRuns()
	}
	return nil
}

func (c *Column) checkRuns() error {
	ends, values := c.children[0], c.children[1]
	if ends.Kind != Int || ends.values != nil || ends.validity != nil {
		return fmt.Errorf("the ends of runs are not numbers")
	}
	if values.Len < ends.Len {
		return fmt.Errorf("%d values for %d runs", values.Len, ends.Len)
	}
	last := int64(0)
	for i := range ends.Len {
		n := ends.number(i)
		if n <= last {
			return fmt.Errorf("run %d ends at %d, the one before at %d", i, n, last)
		}
		last = n
	}
	if last < int64(c.Len) {
		return fmt.Errorf("%d values, and the last run ends at %d", c.Len, last)
	}
	return nil
}
