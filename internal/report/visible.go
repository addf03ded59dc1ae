package report

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible returns a text with the characters that nobody sees but that turn the
// text around them as escapes: with them a name reads as another, "gnp.exe" as
// "exe.png". They are those with Unicode's property Bidi_Control, here as on
// terminals, in pictures, and in the web UI.
func Visible(s string) string {
	if !strings.ContainsFunc(s, turns) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if turns(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func turns(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// printable replaces the characters that neither HTML nor XML allows.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r == 0xfffe || r == 0xffff {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
