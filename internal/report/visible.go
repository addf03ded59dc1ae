package report

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible returns a text with invisible characters that change its direction written
// as escapes. With them a name can look like another: "gnp.exe" like "exe.png". They
// are the characters with Unicode's property Bidi_Control. Terminal output, pictures
// and the web UI use the same rule.
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
