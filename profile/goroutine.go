package profile

import (
	"bytes"
	"fmt"
	"strings"
)

// looksLikeGoroutineDump reports whether a file that begins with prefix is such
// a dump. For debug=1 that includes profiles of other kinds in the same format,
// but only with symbols: without, the format is one of the legacy ones. So is
// threadcreate, most of whose stacks are zeros, which have no symbols.
func looksLikeGoroutineDump(prefix []byte) bool {
	before, _, _ := bytes.Cut(prefix, []byte{0}) // what is behind is refused later
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
// The result is what the protobuf goroutine profile tells, as far as the text
// does: one sample type goroutine/count, functions under their full names, and
// the pprof labels of each goroutine. Type arguments are "[...]" in the text.
// A dump with debug=2 has no addresses, so frames are told apart by line; its
// goroutines carry further labels: state ("chan receive"), wait (in minutes, if
// any), created_by (a function), locked="true" (to its thread), leaked="true"
// and bubble (the number of its synctest bubble).
//
// A dump that is cut off gives the goroutines that are whole. What is missing
// or was skipped is told by Warnings.
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
