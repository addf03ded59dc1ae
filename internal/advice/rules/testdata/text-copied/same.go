package same

import (
	"errors"
	"fmt"
)

type name string

// Conversions that copy nothing, that are never run, and those that aren't what takes
// the time of their line.
func same(s string, n name, b []byte, m map[string]int, f func(string) string) (string, error) {
	text := string(n) + string(s) // hot: runtime.concatstring2
	if string(b) == text {        // hot: runtime.memequal
		return string(rune(m[string(b)])), nil // hot: runtime.intstring
	}
	if s == "" {
		return "", errors.New("bad " + string(b)) // hot: runtime.slicebytetostring
	}
	if len(b) == 0 {
		return "", fmt.Errorf("bad %s", string(b)) // hot: runtime.slicebytetostring
	}
	for i, c := range []byte(s) { // hot: runtime.stringtoslicebyte
		b[i] = c
	}
	switch string(b) { // hot: runtime.slicebytetostring
	case "a":
		b = append(b, []byte(s)...) // hot: runtime.stringtoslicebyte
	case "b":
		return "", copied(b, make([]byte, len([]rune(s)))) // hot: runtime.stringtoslicerune
	}
	const fixed = "fixed"
	all := []byte(fixed) // hot: runtime.stringtoslicebyte
	// says: make([]byte, n) escapes to heap
	return f(string(b)), copied(all, make([]byte, len(s))) // alloc
}

func copied(to, from []byte) error { copy(to, from); return nil }
