package calls

import (
	"bytes"
	"strings"
	"unicode"
)

func shout(text string, b []byte) (string, []byte) {
	// want C: more than needed strings.ToUpper processes the whole text
	text = strings.ToUpper(text) // hot: strings.ToUpper
	// want C: more than needed strings.ToTitle processes the whole text
	text += strings.ToTitle(text) // hot: strings.ToTitle strings.Map
	// want C: more than needed strings.Title processes the whole text
	text += strings.Title(text) // hot: strings.Title strings.Map
	// want C: more than needed bytes.ToLower processes the whole text
	b = bytes.ToLower(b) // hot: bytes.ToLower
	// want C: more than needed bytes.ToUpper processes the whole text
	b = bytes.ToUpper(b) // hot: bytes.ToUpper
	// want C: bytes that returns the text unchanged if possible is faster
	text += strings.Map(unicode.ToTitle, text) // hot: strings.Map
	// want C: bytes that returns the text unchanged if possible is faster
	b = bytes.Map(unicode.ToTitle, b) // hot: bytes.Map
	return text, b
}

func fold(r rune) rune {
	// want C: more than needed unicode.ToUpper handles all of Unicode
	r += unicode.ToUpper(r) // hot: unicode.ToUpper unicode.To
	// want C: more than needed unicode.SimpleFold handles all of Unicode
	return unicode.SimpleFold(r) // hot: unicode.SimpleFold
}

func letter(r rune, tables []*unicode.RangeTable) bool {
	// want C: below 0x80
	known := unicode.In(r, tables...) // hot: unicode.In unicode.Is
	// want C: below 0x80
	return known || unicode.IsOneOf(tables, r) // hot: unicode.IsOneOf unicode.Is
}
