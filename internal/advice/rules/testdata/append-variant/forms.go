package forms

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

type point struct{ x, y int }

// String is how a point is written.
func (p point) String() string {
	buf := make([]byte, 0, 32)
	// The brackets are part of the text.
	buf = append(buf, '(')
	buf = strconv.AppendInt(buf, int64(p.x), 10)
	buf = append(buf, ", "...)
	buf = strconv.AppendInt(buf, int64(p.y), 10)
	// want A: appendString
	return string(append(buf, ')')) // alloc
}

func joined(ps []point) []byte {
	var b []byte
	for _, p := range ps {
		b = append(b, p.String()...)
		b = append(b, ' ')
	}
	return b
}

func printed(ps []point) string {
	var sb strings.Builder
	for _, p := range ps {
		sb.WriteString(p.String())
	}
	return sb.String()
}

func same(p point, text string) bool { return p.String() == text && len(p.String()) > 3 }

func found(p point, known map[string]int) int { return known[p.String()] }

// described makes a longer text of two.
func described(p, q point, n int) string {
	if n > 1 {
		text := p.String() + " twice"
		return text
	}
	return "<" + p.String() + "-" + q.String() + " " + strconv.Itoa(n) + ">"
}

// kept needs a string.
func kept(p point, known map[string]int) string {
	known[p.String()]++
	return p.String()
}

type header struct {
	id   uint32
	size uint16
	name string
}

func (h *header) encode() []byte {
	// want A: appendEncode
	buf := make([]byte, 6+len(h.name)) // alloc
	binary.BigEndian.PutUint32(buf, h.id)
	binary.BigEndian.PutUint16(buf[4:], h.size)
	copy(buf[6:], h.name)
	return buf
}

func toFile(f *os.File, hs []*header) error {
	w := bufio.NewWriter(f)
	for _, h := range hs {
		if _, err := w.Write(h.encode()); err != nil {
			return err
		}
	}
	return w.Flush()
}

func sum(hs []*header) (n int) {
	for _, h := range hs {
		b := h.encode()
		for _, c := range b {
			n += int(c)
		}
	}
	return n
}

type node struct {
	left, right *node
	name        string
}

func (n *node) text() string {
	if n == nil {
		return "-"
	}
	var sb strings.Builder
	sb.WriteByte('(')
	sb.WriteString(n.left.text())
	if sb.Len() > 1 {
		sb.WriteRune('é')
	}
	sb.WriteString(n.name + ":")
	fmt.Fprintf(&sb, "%d", len(n.name))
	// want A: appendText
	sb.WriteString(n.right.text()) // hot: strings.(*Builder).WriteString
	sb.WriteByte(')')
	return sb.String()
}

func trees(ns []*node) string {
	var out bytes.Buffer
	for _, n := range ns {
		out.WriteString(n.text())
	}
	return out.String()
}

func formatKey(kind string, id int, parts ...string) string {
	switch {
	case id < 0:
		return kind + ":none"
	case len(parts) > 0:
		// want A: appendKey
		return fmt.Sprintf("%s/%s", kind, parts[0]) // hot: fmt.Sprintf
	}
	return kind + ":" + strconv.Itoa(id)
}

func matches(key string, kind string, id int, parts []string) bool {
	return key == formatKey(kind, id, parts...)
}

type digits []byte

func (d digits) bytes() []byte {
	buf := make([]byte, 0, utf8.UTFMax*len(d))
	for i, c := range d {
		if len(buf) > 0 && i%3 == 0 {
			buf = append(buf, '_')
		}
		// want B: an empty result may now be nil
		buf = utf8.AppendRune(buf, rune(c)) // alloc
	}
	return buf
}

func equal(d digits, text []byte) bool { return bytes.Equal(d.bytes(), text) }

func (h *header) line(tags []string) string {
	s := "id=" + strconv.Itoa(int(h.id))
	if h.name != "" {
		s += ", name=" + h.name
	}
	for _, tag := range tags {
		if s != "" && len(s) < 1000 {
			s = s + ";" + tag
		}
	}
	// want A: appendLine
	s += fmt.Sprint(h.size) // hot: runtime.concatstring2
	return s + "\n"
}

// marked begins anew in one case.
func (h *header) marked(first string) string {
	var s string
	if first != "" {
		s = ";" + first
	}
	s += h.name + "\t"
	if h.id == 0 {
		s = "none"
	}
	// want A: appendMarked
	s += strconv.Itoa(int(h.size)) + "\t" // hot: runtime.concatstring2
	return s
}

func sameMark(h *header, text string) bool { return h.marked("x") == text }

func lines(hs []*header) string {
	var out bytes.Buffer
	for _, h := range hs {
		out.WriteString(h.line(nil))
	}
	return out.String()
}

// label's result goes to memory that may be shared.
func label(n int) string {
	var scratch [24]byte
	b := scratch[:0]
	b = append(b, "n="...)
	b = strconv.AppendInt(b, int64(n), 10)
	// want B: no other slice uses the spare capacity of dst
	return string(b) // alloc
}

func labels(dst []byte, n int) []byte { return append(dst, label(n)...) }

type named struct{ name, unit string }

// The slice is read while it is built.
func (n named) padded() string {
	buf := make([]byte, 0, 64)
	buf = append(buf, n.name...)
	if buf[len(buf)-1] != ' ' {
		buf = append(buf, ' ')
	}
	// want A: appendPadded
	return string(buf) // alloc
}

// What else has the slice isn't known.
func (n named) given(grow func([]byte) []byte) string {
	buf := make([]byte, 0, 64)
	buf = grow(append(buf, n.name...))
	// want B: that given doesn't change b
	return string(buf) // alloc
}

func all(n named, grow func([]byte) []byte) []byte {
	var b []byte
	b = append(b, n.padded()...)
	return append(b, n.given(grow)...)
}

// both adds to two texts in one block.
func both(p point) (string, int) {
	first := "first " + p.String()
	second := "second " + p.String()
	return first, len(second)
}
