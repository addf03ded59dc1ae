package quote

import (
	"bytes"
	"strings"
)

func needs(s string, b []byte) bool {
	// want B: IndexByte
	if strings.ContainsAny(s, "\"\\") { // hot: strings.ContainsAny strings.IndexAny
		return true
	}
	// want B: IndexByte
	if !bytes.ContainsAny(b, "<>&") { // hot: bytes.ContainsAny
		return false
	}
	// want B: IndexByte
	return len(s) > 1 && strings.ContainsAny(s, ",;") // hot: strings.ContainsAny
}

func first(s string, next func() string) (int, bool) {
	// want C: IndexByte
	j := strings.IndexAny(s, "/?") // hot: strings.IndexAny
	// want C: IndexByte
	return j, strings.ContainsAny(next(), "/?") // hot: strings.ContainsAny
}
