package silent

import (
	"bytes"
	"strconv"
)

type point struct {
	x, y int
	seen int
	pos  *point
}

// It looks at what is there before.
func (p point) appendFirst(b []byte) []byte {
	if len(b) > 0 {
		b = append(b, ' ')
	}
	return strconv.AppendInt(b, int64(p.x), 10)
}

func (p point) first() string {
	return string(p.appendFirst(nil)) // alloc
}

// It changes what is there before.
func (p point) appendMarked(b []byte) []byte {
	b = strconv.AppendInt(b, int64(p.x), 10)
	b[0] = '#'
	return b
}

func (p point) marked() string {
	return string(p.appendMarked(nil)) // alloc
}

// It counts.
func (p *point) appendCounted(b []byte) []byte {
	p.seen++
	return strconv.AppendInt(b, int64(p.seen), 10)
}

func (p *point) counted() string {
	return string(p.appendCounted(nil)) // alloc
}

// It keeps what it appends to.
var last []byte

func (p point) appendKept(b []byte) []byte {
	last = b
	return strconv.AppendInt(b, int64(p.x), 10)
}

func (p point) kept() string {
	return string(p.appendKept(nil)) // alloc
}

// It may return something else.
func (p point) appendOr(b []byte) []byte {
	if p.x == 0 {
		return []byte("0")
	}
	return strconv.AppendInt(b, int64(p.x), 10)
}

func (p point) or() string {
	return string(p.appendOr(nil)) // alloc
}

func (p point) appendTo(b []byte) []byte { return strconv.AppendInt(b, int64(p.x), 10) }

// It is of another point.
func (p point) other() string {
	return string(p.pos.appendTo(nil)) // alloc
}

// Two call each other, and one of them reads.
func (p point) appendA(b []byte, n int) []byte {
	if n > 0 {
		b = p.appendB(b, n-1)
	}
	return append(b, 'a')
}

func (p point) appendB(b []byte, n int) []byte {
	if len(b) > 3 {
		return b
	}
	return append(p.appendA(b, n-1), 'b')
}

func (p point) both(n int) string {
	return string(p.appendA(nil, n)) // alloc
}

func (p point) bothB(n int) string {
	return string(p.appendB(nil, n)) // alloc
}

func all(p *point) []byte {
	var b []byte
	b = append(b, p.first()...)
	b = append(b, p.marked()...)
	b = append(b, p.counted()...)
	b = append(b, p.kept()...)
	b = append(b, p.or()...)
	b = append(b, p.other()...)
	b = append(b, p.both(3)...)
	b = append(b, p.bothB(3)...)
	return bytes.ToUpper(b)
}

// A wide point has the text of the point in it, and appends another one.
type wide struct{ point }

func (w wide) appendText(b []byte) []byte { return append(b, "wide"...) }

func (p point) appendText(b []byte) []byte { return strconv.AppendInt(b, int64(p.x), 10) }

func (p point) text() string {
	return string(p.appendText(nil)) // alloc
}

// The name means something else where the function is called.
func appendLabel(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

func label(n int) string {
	return string(appendLabel(nil, n)) // alloc
}

func shadowed(w wide, n int, b []byte) []byte {
	appendLabel := func(b []byte, n int) []byte { return b }
	b = append(b, label(n)...)
	b = append(b, w.text()...)
	return appendLabel(b, n)
}

// In a method expression, the receiver comes first: both are slices of bytes.
type digits []byte

func (d digits) appendTo(b []byte) []byte { return append(b, d...) }

func (d digits) String() string {
	return string(d.appendTo(nil)) // alloc
}

func expression(d digits, b []byte) []byte { return append(b, digits.String(d)...) }
