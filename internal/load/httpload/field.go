package httpload

import (
	"bytes"
	"iter"
)

// items are the values of a list.
func items(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(list) > 0 {
			item, rest, _ := bytes.Cut(list, []byte(","))
			list = rest
			if item = bytes.TrimSpace(item); len(item) > 0 && !yield(item) {
				return
			}
		}
	}
}

// equalFold compares b with an ASCII text in lower case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
