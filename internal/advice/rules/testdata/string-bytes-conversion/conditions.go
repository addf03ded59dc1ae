package conditions

import (
	"bytes"
	"os"
	"strings"
)

var shared = []byte("text")

func clear(s string) string { shared[0] = 0; return s }

func argument(s string) bool {
	// want B: Check that clear(s) doesn't change shared, which is now read after it. (end)
	return bytes.Equal([]byte(clear(s)), shared) // hot: runtime.stringtoslicebyte
}

// called has a function that changes what is looked at, quiet one that doesn't.
func called(b []byte) (bool, bool) {
	// want B: Check that the function doesn't change b when it is called. (end)
	x := strings.ContainsFunc(string(b), func(r rune) bool { b[0] = 0; return r == 'x' }) // hot: runtime.slicebytetostring
	// want A: which doesn't need a copy. (end)
	y := strings.ContainsFunc(string(b), func(r rune) bool { return r == 'x' }) // hot: runtime.slicebytetostring
	return x, y
}

// part lies in the buffer, which makes room by moving what it has.
func part(buf *bytes.Buffer) {
	data := buf.Bytes()
	// want B: Check that data doesn't share memory with buf
	buf.WriteString(string(data)) // hot: runtime.slicebytetostring
}

func apart(sb *strings.Builder, f *os.File, data []byte) string {
	// want A: text is copied to convert its type string(data) copies the text just to write it; use sb.Write. (end)
	sb.WriteString(string(data)) // hot: runtime.slicebytetostring
	// want A: text is copied to convert its type string(data) copies the text just to write it; use f.Write. (end)
	f.WriteString(string(data)) // hot: runtime.slicebytetostring
	var buf bytes.Buffer
	// want A: text is copied to convert its type string(data) copies the text just to write it; use buf.Write. (end)
	buf.WriteString(string(data)) // hot: runtime.slicebytetostring
	return buf.String()
}

type log struct{ lines []string }

func (l *log) Write(b []byte) (int, error) {
	l.lines = append(l.lines, "b"+string(b))
	return len(b), nil
}
func (l *log) WriteString(s string) (int, error) {
	l.lines = append(l.lines, "s"+s)
	return len(s), nil
}

func own(l *log, s string, b []byte) {
	// want B: Check that WriteString of l does what its Write method does. (end)
	l.Write([]byte(s)) // hot: runtime.stringtoslicebyte
	// want B: Check that the Write method of l does what its WriteString does, and neither keeps nor changes the bytes. (end)
	l.WriteString(string(b)) // hot: runtime.slicebytetostring
}

func inOneStatement(s string) (bool, string) {
	// want B: Also check that later calls in the statement don't change shared
	return bytes.Equal([]byte(s), shared), clear(s) // hot: runtime.stringtoslicebyte
}
