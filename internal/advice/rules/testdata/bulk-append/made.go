package made

import (
	"strings"
	"unicode"
)

// Characters that are made, all with something in between, and no loop over a text.
func made(s string, runes []rune, next func() (rune, bool)) string {
	var b strings.Builder
	for _, c := range s {
		b.WriteRune(unicode.ToUpper(c)) // hot: strings.(*Builder).WriteRune
	}
	for _, c := range s {
		c++
		b.WriteRune(c) // hot: strings.(*Builder).WriteRune
	}
	for _, c := range s {
		b.WriteRune(c) // hot: strings.(*Builder).WriteRune
		b.WriteByte(',')
	}
	for {
		r, ok := next()
		if !ok {
			break
		}
		b.WriteRune(r) // hot: strings.(*Builder).WriteRune
	}
	b.WriteByte(s[0]) // hot: strings.(*Builder).WriteByte
	return b.String()
}
