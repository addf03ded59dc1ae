package profile

import (
	"bytes"
	"fmt"
	"strings"
)

// looksLikeGoroutineDump reports whether a file that begins with prefix is a goroutine
// dump. For debug=1 this includes other kinds of profile in the same format, if they
// have symbols. Without symbols it is a legacy format, and so is threadcreate, most of
// whose stacks are zeros without symbols.
func looksLikeGoroutineDump(prefix []byte) bool {
	before, _, _ := bytes.Cut(prefix, []byte{0}) // text after a zero byte is refused later
	text := string(before)
	if kind, _, _, ok := countHeader(text); ok {
		return kind != "threadcreate" && strings.Contains(text, "\n#\t0x")
	}
	for len(text) > 0 {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimRight(line, " \r")
		if _, _, ok := parseGoroutineHeader(line); ok && strings.HasSuffix(line, ":") {
			return true
		}
	}
	return false
}

// decodeGoroutineDump decodes the text of a goroutine profile with debug=1 or
// debug=2, or the goroutines of a panic.
//
// The result is like the protobuf goroutine profile, as far as the text has the data:
// one sample type goroutine/count, functions with their full names, and the pprof
// labels of each goroutine. Type arguments are "[...]" in the text. A dump with
// debug=2 has no addresses, so frames are distinguished by line. Its goroutines have
// more labels: state ("chan receive"), wait (in minutes, if any), created_by (a
// function), locked="true" (to its thread), leaked="true" and bubble (the number of
// its synctest bubble).
//
// From a truncated dump, it reads the complete goroutines. Warnings report missing and
// skipped parts.
func decodeGoroutineDump(data []byte, lim Limits) (*Profile, error) {
	lim = lim.withDefaults()
	if int64(len(data)) > lim.TextBytes {
		return nil, &LimitError{"bytes of text", lim.TextBytes}
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		line := 1 + bytes.Count(data[:i], []byte("\n"))
		return nil, &SyntaxError{int64(i), fmt.Sprintf("line %d: it has a zero byte, so it is not text", line)}
	}
	text := string(data)
	if _, _, _, ok := countHeader(text); ok {
		return decodeCountDump(text, lim)
	}
	return decodeStackDump(text, lim)
}
