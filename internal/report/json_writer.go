package report

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
)

// A jsonWriter writes JSON by its parts, for files with millions of numbers. An
// error of what is below it comes with flush.
type jsonWriter struct {
	w       *bufio.Writer
	scratch []byte
}

func newJSONWriter(w io.Writer) *jsonWriter { return &jsonWriter{w: bufio.NewWriterSize(w, 64<<10)} }

func (j *jsonWriter) flush() error { return j.w.Flush() }

// text writes what is JSON already.
func (j *jsonWriter) text(s string) { j.w.WriteString(s) }

// array writes an array of n elements, each written by element.
func (j *jsonWriter) array(n int, element func(i int)) {
	j.w.WriteByte('[')
	for i := range n {
		if i > 0 {
			j.w.WriteByte(',')
		}
		element(i)
	}
	j.w.WriteByte(']')
}

func (j *jsonWriter) int(v int64) {
	j.scratch = strconv.AppendInt(j.scratch[:0], v, 10)
	j.w.Write(j.scratch)
}

// number writes a value with up to six decimals: milliseconds to the nanosecond.
func (j *jsonWriter) number(v float64) {
	if i := int64(v); v == float64(i) {
		j.int(i)
		return
	}
	b := strconv.AppendFloat(j.scratch[:0], v, 'f', 6, 64)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	j.scratch = b
	j.w.Write(b)
}

func (j *jsonWriter) bool(v bool) { j.w.WriteString(strconv.FormatBool(v)) }

func (j *jsonWriter) string(s string) {
	text, _ := json.Marshal(s) // of a string, it doesn't fail
	j.w.Write(text)
}
