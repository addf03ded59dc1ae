package calls

import (
	"bytes"
	"strings"
	"unicode"
)

func trimmed(text string, b []byte) (string, []byte, int) {
	// want C: a loop over the bytes needs no calls
	n := strings.IndexFunc(text, unicode.IsSpace) // hot: strings.IndexFunc
	// want C: a loop over the bytes needs no calls
	some := strings.ContainsFunc(text, unicode.IsUpper) // hot: strings.ContainsFunc strings.IndexFunc
	// want C: a loop over the bytes needs no calls
	text = strings.TrimFunc(text, unicode.IsSpace) // hot: strings.TrimFunc
	// want C: a loop over the bytes needs no calls
	text = strings.TrimLeftFunc(text, unicode.IsPunct) // hot: strings.TrimLeftFunc
	// want C: a loop over the bytes needs no calls
	text = strings.TrimRightFunc(text, unicode.IsPunct) // hot: strings.TrimRightFunc
	// want C: a loop over the bytes needs no calls
	n += bytes.IndexFunc(b, unicode.IsSpace) // hot: bytes.IndexFunc
	// want C: a loop over the bytes needs no calls
	some = some || bytes.ContainsFunc(b, unicode.IsUpper) // hot: bytes.ContainsFunc bytes.IndexFunc
	// want C: a loop over the bytes needs no calls
	b = bytes.TrimFunc(b, unicode.IsSpace) // hot: bytes.TrimFunc
	// want C: a loop over the bytes needs no calls
	b = bytes.TrimLeftFunc(b, unicode.IsPunct) // hot: bytes.TrimLeftFunc
	// want C: a loop over the bytes needs no calls
	b = bytes.TrimRightFunc(b, unicode.IsPunct) // hot: bytes.TrimRightFunc
	if some {
		n++
	}
	return text, b, n
}
