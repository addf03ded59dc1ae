package profile

import (
	"bytes"
	"strconv"
)

// A lineScan reads a line from its start.
type lineScan struct{ b []byte }

func (c *lineScan) while(in func(byte) bool) []byte {
	n := 0
	for n < len(c.b) && in(c.b[n]) {
		n++
	}
	head := c.b[:n]
	c.b = c.b[n:]
	return head
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isHexDigit(b byte) bool { return isDigit(b) || b >= 'a' && b <= 'f' }

func (c *lineScan) blanks() {
	for len(c.b) > 0 && c.b[0] == ' ' {
		c.b = c.b[1:]
	}
}

func (c *lineScan) digits() []byte {
	n := 0
	for n < len(c.b) && isDigit(c.b[n]) {
		n++
	}
	head := c.b[:n]
	c.b = c.b[n:]
	return head
}

// integer is digits with a sign before them.
func (c *lineScan) integer() []byte {
	b := c.b
	if len(b) > 0 && b[0] == '-' {
		c.b = b[1:]
		return b[:len(c.digits())+1]
	}
	return c.digits()
}

func (c *lineScan) literal(s string) bool {
	if len(c.b) < len(s) || string(c.b[:len(s)]) != s {
		return false
	}
	c.b = c.b[len(s):]
	return true
}

// addresses returns the longest prefix of the rest that may be addresses and spaces.
func (c *lineScan) addresses() []byte {
	return c.while(func(b byte) bool { return b == ' ' || b == 'x' || isHexDigit(b) })
}

// hex reads the digits of an address; ok is false if there are none, or too many.
func (c *lineScan) hex() (v uint64, ok bool) {
	n := 0
	for ; n < len(c.b); n++ {
		d := c.b[n]
		switch {
		case isDigit(d):
			d -= '0'
		case d >= 'a' && d <= 'f':
			d -= 'a' - 10
		default:
			c.b = c.b[n:]
			return v, n > 0
		}
		if v>>60 != 0 {
			return 0, false
		}
		v = v<<4 | uint64(d)
	}
	c.b = c.b[n:]
	return v, n > 0
}

// nextHex finds and reads the next address anywhere in the rest. ok is false if it is out
// of range.
func (c *lineScan) nextHex() (v uint64, found, ok bool) {
	for {
		i := bytes.IndexByte(c.b, 'x')
		if i < 0 {
			return 0, false, true
		}
		prefixed := i > 0 && c.b[i-1] == '0'
		c.b = c.b[i+1:]
		if prefixed && len(c.b) > 0 && isHexDigit(c.b[0]) {
			v, ok = c.hex()
			return v, true, ok
		}
	}
}

// parseInt parses decimal digits, with or without a sign.
func parseInt(b []byte) (v int64, ok bool) {
	digits := b
	if b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) > 18 {
		v, err := strconv.ParseInt(string(b), 10, 64)
		return v, err == nil
	}
	for _, d := range digits {
		v = 10*v + int64(d-'0')
	}
	if len(digits) < len(b) {
		v = -v
	}
	return v, true
}

// parseIntAnyBase parses a number in Go syntax, such as 0x10.
func parseIntAnyBase(b []byte) (v int64, ok bool) {
	v, err := strconv.ParseInt(string(b), 0, 64)
	return v, err == nil
}

func hasAnyPrefix(b []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(b, []byte(p)) {
			return true
		}
	}
	return false
}

// digitsBefore returns the start of the digits at the end of b.
func digitsBefore(b []byte) int {
	i := len(b)
	for i > 0 && isDigit(b[i-1]) {
		i--
	}
	return i
}
