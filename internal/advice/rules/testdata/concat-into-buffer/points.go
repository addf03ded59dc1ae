package points

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"
)

type name string

type page struct{ out *bufio.Writer }

func (p *page) row(key, value string) {
	// want B: Check that the destination of p.out accepts the same bytes in Write calls of other sizes. (end)
	p.out.WriteString("<b>" + key + "</b> " + value + "\n") // hot: runtime.concatstrings
}

func plot(xs []int, n name) string {
	var buf bytes.Buffer
	var sb strings.Builder
	for _, x := range xs {
		// want A: write the pieces
		buf.Write([]byte("[" + strconv.Itoa(x) + "],")) // hot: runtime.concatstring3
		// want A: write the pieces
		sb.WriteString(string(n) + ":" + sb2(x)) // alloc: 48
	}
	return sb.String() + buf.String()
}

func sb2(x int) string { return strconv.Itoa(x) }

type message struct{ buf []byte }

func (m *message) text(s string) {
	// want B: Check that no other slice uses the spare capacity of m.buf
	m.buf = append(m.buf, (s + "\000")...) // hot: runtime.concatstring2
}

func joined(b, x, y []byte) []byte {
	// want B: that x doesn't share memory with b
	b = append(b, (string(x) + ":" + string(y))...) // hot: runtime.concatstring3
	return b
}

// once starts empty, and again doesn't.
func once(key, value string) string {
	var sb strings.Builder
	// want C: Call sb.Grow first
	sb.WriteString(key + ": " + value + "\n") // hot: runtime.concatstrings
	return sb.String()
}

func again(sb *strings.Builder, key, value string) {
	// want A: write the pieces
	sb.WriteString(key + ": " + value + "\n") // hot: runtime.concatstrings
}

// short joins texts that are not allocated.
func short(xs []int) string {
	var sb strings.Builder
	for _, x := range xs {
		// want C: Call sb.Grow first
		sb.WriteString(strconv.Itoa(x) + ",") // hot: runtime.concatstring2 runtime.memmove
	}
	return sb.String()
}

// line is new in each turn.
func line(keys []string) (n int) {
	for _, key := range keys {
		var other, sb strings.Builder
		// want C: Call sb.Grow first
		sb.WriteString(key + ": " + key + "\n") // alloc: 48
		n += sb.Len() + other.Len()
	}
	return n
}
