package silent

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"
)

// stamped has its own way to append.
type stamped struct{ time.Time }

func (s stamped) AppendFormat(b []byte, layout string) []byte { return append(b, "stamp"...) }

// shouting writes something else.
type shouting struct{ strings.Builder }

func (s *shouting) Write(p []byte) (int, error) { return s.Builder.Write(bytes.ToUpper(p)) }

type raw []byte

func strings_(b raw, w io.Writer, s *shouting, buf *bytes.Buffer, st stamped, n int, name, layout string, ok bool) (string, raw) {
	// Another type.
	b = append(b, strconv.Itoa(n)...) // hot: strconv.Itoa
	// The string is kept.
	text := strconv.Itoa(n) // hot: strconv.Itoa
	buf.WriteString(text)
	// A writer of any kind.
	io.WriteString(w, strconv.Itoa(n)) // hot: strconv.Itoa
	w.Write([]byte(strconv.Itoa(n))[:1])
	s.WriteString(strconv.Itoa(n)) // hot: strconv.Itoa
	// Its length isn't known.
	buf.WriteString(strconv.Quote(name)) // hot: strconv.Quote
	buf.WriteString(st.Format(layout))   // hot: time.Time.Format
	// Neither is allocated.
	buf.WriteString(strconv.FormatBool(ok)) // hot: strconv.FormatBool
	// Other code.
	buf.WriteString(strconv.Itoa(n)) // hot: bytes.growSlice
	return text, b
}

func later(w *bufio.Writer, n int, next func() int) {
	// What it writes would be in the same place.
	w.WriteString(strconv.Itoa(next())) // hot: strconv.Itoa
	// Now, not at the end.
	defer w.WriteString(strconv.Itoa(n)) // hot: strconv.Itoa
}

// int64 is something else.
func shadowed(b []byte, int64 func(int) int) []byte {
	return append(b, strconv.Itoa(int64(1))...) // hot: strconv.Itoa
}
