package callee

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

type encoder struct{ buf []byte }

func (e *encoder) text(s string) {
	for i := 0; i < len(s); {
		// want C: and write everything before it in one call
		if e.plain(s[i]) { // hot: callee.plain
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		e.buf = utf8.AppendRune(e.buf, r)
		i += size
	}
}

func (e *encoder) plain(b byte) bool {
	if b >= utf8.RuneSelf {
		return false
	}
	if b == '"' || b == '\\' {
		e.buf = append(e.buf, '\\')
	}
	e.buf = append(e.buf, b)
	return true
}

func name(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c, n := next(s, i)
		if n == 0 {
			break
		}
		// want C: write is called for each character of s
		write(&b, c) // hot: callee.write
		i += n
	}
	return b.String()
}

func next(s string, i int) (byte, int) {
	if s[i] != '\\' {
		return s[i], 1
	}
	if i+1 == len(s) {
		return 0, 0
	}
	return s[i+1], 2
}

func write(b *strings.Builder, c byte) {
	switch c {
	case '.', '"':
		b.WriteByte('\\')
		b.WriteByte(c)
	default:
		b.WriteByte(c)
	}
}

func plain(b *strings.Builder, s string) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '&' {
			b.WriteString("&amp;")
		} else {
			// want C: and write everything before it in one call
			b.WriteRune(r) // hot: strings.(*Builder).WriteRune
		}
		i += size
	}
}

func runes(b *strings.Builder, s string) {
	for _, r := range s {
		// want C: quoted is called for each character of s
		quoted(b, r) // hot: callee.quoted
	}
}

func quoted(b *strings.Builder, r rune) {
	if r == '"' {
		b.WriteByte('\\')
	}
	b.WriteRune(r)
}

func unescape(token []byte) string {
	var b bytes.Buffer
	for i := 1; i < len(token)-1; i++ {
		c := token[i]
		if c == '\\' {
			i++
			c = token[i]
			if c == 'n' {
				b.WriteByte('\n')
			}
		} else {
			// want C: and write everything before it in one call
			b.WriteByte(c) // hot: bytes.(*Buffer).WriteByte
		}
	}
	return b.String()
}
