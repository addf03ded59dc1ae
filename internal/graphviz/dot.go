package graphviz

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// backslash stands for an escaped backslash on its way through the engine, whose
// versions disagree on how many of them come back. The replacement of control
// characters leaves it free for that.
const backslash = '\u009c'

// printable prepares the text for the engine. It replaces what no format can
// show, control characters (which also end C strings and break the engine's
// JSON) and invalid UTF-8, and escaped backslashes. What turns the text around it, so
// that a name reads as another, becomes an escape.
func printable(dot []byte) []byte {
	out := make([]byte, 0, len(dot)+len(dot)/16)
	for i := 0; i < len(dot); {
		r, size := utf8.DecodeRune(dot[i:])
		switch {
		case r == '\\' && i+1 < len(dot) && dot[i+1] == '\\':
			r, size = backslash, 2
		case r == '\\' && i+1 < len(dot) && dot[i+1] < utf8.RuneSelf && dot[i+1] > ' ':
			out = append(out, '\\')
			r, size = rune(dot[i+1]), 2
		case r == '\n' || r == '\t':
		case r == '\r':
			r = ' '
		case unicode.Is(unicode.Bidi_Control, r): // it would turn the text around it
			out = utf8.AppendRune(out, backslash)
			out = fmt.Appendf(out, "u%04x", r)
			i += size
			continue
		case unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF:
			r = utf8.RuneError
		}
		out = utf8.AppendRune(out, r)
		i += size
	}
	return out
}
