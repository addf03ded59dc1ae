package bytes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

func key(name string, n int) []byte {
	// want A: fmt.Appendf makes the bytes directly
	return []byte(fmt.Sprintf("%s-%05d", name, n)) // hot: fmt.Sprintf
}

func raw(n int, v any) (json.RawMessage, []byte) {
	// want A: fmt.Appendf makes the bytes directly
	m := json.RawMessage(fmt.Sprintf("%d", n)) // hot: fmt.Sprintf
	// want B: fmt.Append makes the bytes directly
	b := []byte(fmt.Sprint(v)) // hot: fmt.Sprint runtime.stringtoslicebyte
	return m, b
}

func appended(buf []byte, n float64) []byte {
	// want A: fmt.Appendf appends directly
	buf = append(buf, fmt.Sprintf("%8.3f", n)...) // hot: fmt.Sprintf
	// want A: fmt.Appendln appends directly
	return append(buf, fmt.Sprintln()...) // hot: fmt.Sprintln
}

func write(w io.Writer, v any) error {
	var buf bytes.Buffer
	for i := range 10 {
		// want A: fmt.Fprintf writes it directly
		buf.Write([]byte(fmt.Sprintf("%3d: %v\n", i, v))) // hot: fmt.Sprintf
	}
	// want B: fmt.Fprintf writes it directly
	_, err := w.Write([]byte(fmt.Sprintf("%v", buf.Len()))) // hot: fmt.Sprintf
	return err
}

func kept(n int) []byte {
	// want A: fmt.Appendf makes the bytes directly
	return []byte(fmt.Sprintf("%d", n)) // alloc: fmt.Sprintf 128
}

func deferred(buf *bytes.Buffer, t fmt.Stringer) {
	// want B: fmt.Appendf makes the bytes directly
	defer buf.Write([]byte(fmt.Sprintf("%v", t))) // hot: fmt.Sprintf
	buf.Reset()
}
