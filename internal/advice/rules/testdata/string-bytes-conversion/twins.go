package twins

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

type name string

type packet []byte

var word = regexp.MustCompile(`\w+`)

func match(s string, n name, b []byte) bool {
	// want A: which doesn't need a copy
	if word.Match([]byte(s)) { // hot: runtime.stringtoslicebyte
		return true
	}
	// want A: which doesn't need a copy
	if at := word.FindStringIndex(string(b)); at != nil { // hot: runtime.slicebytetostring
		return at[0] == 0
	}
	// want A: which doesn't need a copy
	return strings.HasPrefix(string(b), "<?xml") || // hot: runtime.slicebytetostring
		// want A: which doesn't need a copy
		bytes.Contains([]byte(n), []byte("x")) // hot: runtime.stringtoslicebyte
}

func count(p packet, s string) int {
	// want A: which doesn't need a copy
	n := utf8.RuneCountInString(string(p)) // alloc: 48
	// want A: which doesn't need a copy
	n += strings.Count(string(p[1:]), string(p[:1])) // alloc: 48
	// want A: which doesn't need a copy
	n += strings.IndexByte(string(p), s[0]) // alloc: 48
	return n
}

func equal(a, b string, c []byte) bool {
	// want A: compare strings instead
	if !bytes.Equal([]byte(a), c) { // hot: runtime.stringtoslicebyte
		return false
	}
	// want A: compare strings instead
	return bytes.Equal([]byte(a), []byte(b)) // hot: runtime.stringtoslicebyte
}
