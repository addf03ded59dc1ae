package callee

import "strings"

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
