package clickhouse

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The engine's Native format: a stream of blocks, each a few rows in columns.
//
//	block   columns uvarint, rows uvarint, column...
//	column  name string, type string, values
//	string  length uvarint, bytes
//
// Values of numbers are little-endian, one behind the other, those of a String
// are strings, those of a FixedString bytes. An Array has the ends of its rows,
// UInt64 each and counted in elements, and then the elements of all rows.

// A column is a column of a block to send.
type column struct {
	name, kind string
	rows       int
	ends       []byte // of an array
	elements   uint64 // of an array
	values     []byte
}

func (c *column) uint64(v uint64) {
	c.values = binary.LittleEndian.AppendUint64(c.values, v)
	c.rows++
}

func (c *column) int64(v int64) { c.uint64(uint64(v)) }

func (c *column) int32(v int32) {
	c.values = binary.LittleEndian.AppendUint32(c.values, uint32(v))
	c.rows++
}

func (c *column) uint8(v uint8) {
	c.values = append(c.values, v)
	c.rows++
}

func (c *column) string(s string) {
	c.values = appendString(c.values, s)
	c.rows++
}

// bytes appends a string.
func (c *column) bytes(b []byte) {
	c.values = append(binary.AppendUvarint(c.values, uint64(len(b))), b...)
	c.rows++
}

// fixed appends a string of the column's fixed length.
func (c *column) fixed(b []byte) {
	c.values = append(c.values, b...)
	c.rows++
}

// words appends an array of 8-byte numbers.
func (c *column) words(b []byte) {
	c.values = append(c.values, b...)
	c.elements += uint64(len(b) / 8)
	c.ends = binary.LittleEndian.AppendUint64(c.ends, c.elements)
	c.rows++
}

// A block is a set of rows to send, stored by column.
type block []column

// newBlock returns an empty block with columns of some names and types.
func newBlock(namesAndTypes ...string) block {
	b := make(block, len(namesAndTypes)/2)
	for i := range b {
		b[i].name, b[i].kind = namesAndTypes[2*i], namesAndTypes[2*i+1]
	}
	return b
}

// col returns a column by name. The block must have it.
func (b block) col(name string) *column {
	for i := range b {
		if b[i].name == name {
			return &b[i]
		}
	}
	panic("a block has no column " + name)
}

// rows returns the number of rows.
func (b block) rows() int { return b[0].rows }

// names returns the column names as a list for a statement.
func (b block) names() string {
	names := make([]string, len(b))
	for i := range b {
		names[i] = b[i].name
	}
	return strings.Join(names, ", ")
}

// structure returns the columns' names and types, as the engine expects them for a temporary
// table.
func (b block) structure() string {
	columns := make([]string, len(b))
	for i := range b {
		columns[i] = b[i].name + " " + b[i].kind
	}
	return strings.Join(columns, ",")
}

// append appends the encoded block to dst.
func (b block) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	dst = binary.AppendUvarint(dst, uint64(b.rows()))
	for i := range b {
		c := &b[i]
		dst = appendString(appendString(dst, c.name), c.kind)
		dst = append(append(dst, c.ends...), c.values...)
	}
	return dst
}

// values is a column of an answer. Numbers of any width are in words, strings in texts. For
// arrays, ends has the end of each row in words; otherwise it is nil.
type values struct {
	name  string
	words []uint64
	texts []string
	ends  []uint64
}

func (v *values) int64(row int) int64 { return int64(v.words[row]) }
func (v *values) int32(row int) int32 { return int32(v.words[row]) }

// row returns the numbers in row i of an array.
func (v *values) row(i int) []uint64 {
	start := uint64(0)
	if i > 0 {
		start = v.ends[i-1]
	}
	return v.words[start:v.ends[i]]
}

// An answer has the rows of a query, stored by column.
type answer struct {
	rows int
	cols []values
}

// col returns a column by name. The statement must have asked for it, which is checked when the
// answer arrives. An answer without rows may lack columns.
func (a *answer) col(name string) *values {
	for i := range a.cols {
		if a.cols[i].name == name {
			return &a.cols[i]
		}
	}
	if a.rows > 0 {
		panic("an answer has no column " + name)
	}
	return &values{name: name}
}

// maxRows limits the number of rows in a block of an answer.
const maxRows = 1 << 31

// readAnswer reads all blocks of an answer.
func readAnswer(r *stream) (*answer, error) {
	a := new(answer)
	for {
		n, err := r.uvarint()
		if err == io.EOF {
			return a, nil
		}
		rows := uint64(0)
		if err == nil {
			rows, err = r.uvarint()
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errAnswer, noEOF(err))
		}
		if n > 1<<16 || rows > maxRows {
			return nil, errAnswer
		}
		if a.cols == nil {
			a.cols = make([]values, n)
		} else if int(n) != len(a.cols) {
			return nil, errAnswer
		}
		for i := range a.cols {
			if err := a.cols[i].read(r, int(rows)); err != nil {
				return nil, fmt.Errorf("column %d of %d rows: %w", i, rows, noEOF(err))
			}
		}
		a.rows += int(rows)
	}
}

func (v *values) read(r *stream, rows int) error {
	name, err := r.string()
	if err != nil {
		return err
	}
	v.name = name
	kind, err := r.string()
	if err != nil || rows == 0 {
		return err
	}
	if inner, ok := strings.CutPrefix(kind, "Array("); ok {
		base := uint64(len(v.words) + len(v.texts))
		last := uint64(0)
		for range rows {
			b, err := r.next(8)
			if err != nil {
				return err
			}
			end := binary.LittleEndian.Uint64(b)
			if end < last || end > maxRows {
				return errAnswer
			}
			last = end
			v.ends = append(v.ends, base+end)
		}
		kind, rows = strings.TrimSuffix(inner, ")"), int(last)
	}
	width := 0
	switch {
	case kind == "String":
		for range rows {
			s, err := r.string()
			if err != nil {
				return err
			}
			v.texts = append(v.texts, s)
		}
		return nil
	case strings.HasPrefix(kind, "FixedString("):
		n, err := strconv.Atoi(strings.TrimSuffix(kind[len("FixedString("):], ")"))
		if err != nil || n < 1 || n > 1<<20 {
			return errAnswer
		}
		for range rows {
			b, err := r.next(n)
			if err != nil {
				return err
			}
			v.texts = append(v.texts, string(b))
		}
		return nil
	case kind == "UInt8":
		width = 1
	case kind == "UInt16":
		width = 2
	case kind == "Int32", kind == "UInt32":
		width = 4
	case kind == "Int64", kind == "UInt64":
		width = 8
	default:
		return fmt.Errorf("%w: unexpected column type %.100s", errAnswer, kind)
	}
	for range rows {
		b, err := r.next(width)
		if err != nil {
			return err
		}
		var w uint64
		switch {
		case width == 1:
			w = uint64(b[0])
		case width == 2:
			w = uint64(binary.LittleEndian.Uint16(b))
		case kind == "Int32":
			w = uint64(int32(binary.LittleEndian.Uint32(b)))
		case width == 4:
			w = uint64(binary.LittleEndian.Uint32(b))
		default:
			w = binary.LittleEndian.Uint64(b)
		}
		v.words = append(v.words, w)
	}
	return nil
}
