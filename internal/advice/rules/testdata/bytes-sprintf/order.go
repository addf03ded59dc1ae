package order

import (
	"bytes"
	"fmt"
)

type log struct {
	buf *bytes.Buffer
	out []byte
}

// line is evaluated behind l.buf now, and was before it.
func line(l *log, xs []string, i int) {
	// want B: that l.buf doesn't panic: it is now evaluated before xs[i]. (end)
	l.buf.Write([]byte(fmt.Sprintf("%s\n", xs[i]))) // hot: fmt.Sprintf
}

func number(l *log, n int) {
	// want A: fmt.Fprintf writes it directly
	l.buf.Write([]byte(fmt.Sprintf("%d\n", n))) // hot: fmt.Sprintf
}

func appended(l *log, xs []string, i int) {
	// want B: that l.out doesn't panic: it is now evaluated before xs[i]. (end)
	l.out = append(l.out, fmt.Sprintf("%s\n", xs[i])...) // hot: fmt.Sprintf
}

func appendedTo(out []byte, xs []string, i int) []byte {
	// want A: fmt.Appendf appends directly
	return append(out, fmt.Sprintf("%s\n", xs[i])...) // hot: fmt.Sprintf
}
