package calls

import (
	"bytes"
	"strings"
	"unicode"
)

func shout(text string, b []byte) (string, []byte) {
	// want C: goes over the whole text
	text = strings.ToUpper(text) // hot: strings.ToUpper
	// want C: goes over the whole text
	text += strings.ToTitle(text) // hot: strings.ToTitle strings.Map
	// want C: goes over the whole text
	text += strings.Title(text) // hot: strings.Title strings.Map
	// want C: goes over the whole text
	b = bytes.ToLower(b) // hot: bytes.ToLower
	// want C: goes over the whole text
	b = bytes.ToUpper(b) // hot: bytes.ToUpper
	// want C: A loop over the bytes
	text += strings.Map(unicode.ToTitle, text) // hot: strings.Map
	// want C: A loop over the bytes
	b = bytes.Map(unicode.ToTitle, b) // hot: bytes.Map
	return text, b
}

func fold(r rune) rune {
	// want C: knows all of Unicode
	r += unicode.ToUpper(r) // hot: unicode.ToUpper unicode.To
	// want C: knows all of Unicode
	return unicode.SimpleFold(r) // hot: unicode.SimpleFold
}

func letter(r rune, tables []*unicode.RangeTable) bool {
	// want C: below 0x80
	known := unicode.In(r, tables...) // hot: unicode.In unicode.Is
	// want C: below 0x80
	return known || unicode.IsOneOf(tables, r) // hot: unicode.IsOneOf unicode.Is
}
