package silent

import (
	"bufio"
	"bytes"
	"io"
	"math/big"
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

// 1 is an int there, and would be an int64.
func shifted(b []byte, n uint) []byte {
	return append(b, strconv.Itoa(1<<n)...) // hot: strconv.Itoa
}

// These panic, or may.
func invalid(bs [][]byte, i, bits int, n uint64, x *big.Int, f float64) [][]byte {
	bs[i] = append(bs[i], strconv.FormatUint(n, 200)...)            // hot: strconv.FormatUint
	bs[i] = append(bs[i], x.Text(1)...)                             // hot: math/big.(*Int).Text
	bs[i] = append(bs[i], strconv.FormatFloat(f, 'g', -1, bits)...) // hot: strconv.FormatFloat
	return bs
}

// The capacity of the bytes is asked for.
func room(n int) int {
	return cap([]byte(strconv.Itoa(n))) // hot: strconv.Itoa
}
