package callee

import (
	"io"
	"strings"
)

// Each byte is told to something that keeps no text.
func count(counts *[256]int, s string) {
	for i := 0; i < len(s); i++ {
		add(counts, s[i]) // hot: callee.add
	}
}

func add(counts *[256]int, b byte) {
	if b != ' ' {
		counts[b]++
	}
}

// No byte stays as it is.
func hex(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		digits(&b, s[i]) // hot: callee.digits
	}
	return b.String()
}

func digits(b *strings.Builder, c byte) {
	b.WriteByte("0123456789abcdef"[c>>4])
	b.WriteByte("0123456789abcdef"[c&15])
}

// What is written may be another byte.
func lower(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
			fallthrough
		default:
			b.WriteByte(c) // hot: strings.(*Builder).WriteByte
		}
	}
	return b.String()
}

// All have something in between.
func spaced(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		space(b, s[i]) // hot: callee.space
	}
}

func space(b *strings.Builder, c byte) {
	b.WriteByte(' ')
	b.WriteByte(c)
}

type writer struct {
	buf []byte
	w   io.Writer
}

// What is written otherwise is what the buffer had.
func (w *writer) text(s string) {
	for i := 0; i < len(s); i++ {
		w.put(s[i])            // hot: callee.put
		(*writer).put(w, s[i]) // hot: callee.put
	}
}

func (w *writer) put(c byte) {
	w.buf = append(w.buf, c)
	if len(w.buf) == cap(w.buf) {
		w.w.Write(w.buf)
		w.buf = w.buf[:0]
	}
}

// words has one buffer for words, and another one for what they are.
func words(s string) (all []string) {
	var f fields
	for i := 0; i < len(s); i++ {
		f.add(s[i]) // hot: callee.add
	}
	return f.all
}

type fields struct {
	word []byte
	all  []string
}

func (f *fields) add(c byte) {
	if c == ' ' {
		f.all = append(f.all, string(f.word))
		f.word = f.word[:0]
		return
	}
	f.word = append(f.word, c)
}

// What is written is no byte of the text.
func sums(b *strings.Builder, s string) {
	for i := 0; i < len(s); {
		c, n := sum(s, i)
		if c != 0 {
			b.WriteByte(c) // hot: strings.(*Builder).WriteByte
		}
		i += n
	}
}

func sum(s string, i int) (byte, int) { return s[i] ^ s[0], 1 }
