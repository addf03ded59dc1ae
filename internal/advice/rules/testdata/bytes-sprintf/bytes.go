package bytes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

func key(name string, n int) []byte {
	// want A: makes the bytes at once
	return []byte(fmt.Sprintf("%s-%05d", name, n)) // hot: fmt.Sprintf
}

func raw(n int, v any) (json.RawMessage, []byte) {
	// want A: makes the bytes at once
	m := json.RawMessage(fmt.Sprintf("%d", n)) // hot: fmt.Sprintf
	// want B: that nobody tells nil from an empty slice
	b := []byte(fmt.Sprint(v)) // hot: fmt.Sprint runtime.stringtoslicebyte
	return m, b
}

func appended(buf []byte, n float64) []byte {
	// want A: appends without one
	buf = append(buf, fmt.Sprintf("%8.3f", n)...) // hot: fmt.Sprintf
	// want A: appends without one
	return append(buf, fmt.Sprintln()...) // hot: fmt.Sprintln
}

func write(w io.Writer, v any) error {
	var buf bytes.Buffer
	for i := range 10 {
		// want A: prints there at once
		buf.Write([]byte(fmt.Sprintf("%3d: %v\n", i, v))) // hot: fmt.Sprintf
	}
	// want B: prints there at once
	_, err := w.Write([]byte(fmt.Sprintf("%v", buf.Len()))) // hot: fmt.Sprintf
	return err
}

func kept(n int) []byte {
	// want A: makes the bytes at once
	return []byte(fmt.Sprintf("%d", n)) // alloc: fmt.Sprintf 128
}

func deferred(buf *bytes.Buffer, t fmt.Stringer) {
	// want B: that nobody tells nil from an empty slice
	defer buf.Write([]byte(fmt.Sprintf("%v", t))) // hot: fmt.Sprintf
	buf.Reset()
}
