package written

import (
	"bytes"
	"strings"
)

func hyphens(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, c := range s {
		if c == ' ' {
			b.WriteRune('-')
		} else {
			// want C: strings.ReplaceAll
			b.WriteRune(c) // hot: strings.(*Builder).WriteRune
		}
	}
	return b.String()
}

func escape(dst *bytes.Buffer, text []byte) {
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst.WriteByte('\\')
			dst.WriteByte(c)
		default:
			// want C: and write everything before it in one call
			dst.WriteByte(c) // hot: bytes.(*Buffer).WriteByte
		}
	}
}

func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' && i+2 < len(text) {
			b.WriteByte(text[i+2] - '0')
			i += 2
			continue
		}
		// want C: and write everything before it in one call
		b.WriteByte(c) // hot: strings.(*Builder).WriteByte
	}
	return b.String()
}
