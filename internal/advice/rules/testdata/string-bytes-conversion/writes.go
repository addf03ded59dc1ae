package writes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
)

type name string

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error)       { c.n += len(p); return len(p), nil }
func (c *counter) WriteString(s string) (int, error) { c.n += len(s); return len(s), nil }

type wrapped struct{ *bytes.Buffer }

func (w wrapped) WriteString(s string) (int, error) { return w.Buffer.WriteString("<" + s + ">") }

func write(w io.Writer, rw http.ResponseWriter, f *os.File, s string, n name, body []byte, r rune) error {
	var sb strings.Builder
	buf := bufio.NewWriter(w)
	// want B: of buf accepts the same bytes in Write calls of other sizes
	buf.Write([]byte(s)) // hot: runtime.stringtoslicebyte
	// want A: its type []byte(n) converts the string just to write it
	sb.Write([]byte(n)) // hot: runtime.stringtoslicebyte
	// want B: use io.WriteString
	if _, err := w.Write([]byte(s + "\n")); err != nil { // hot: runtime.stringtoslicebyte
		return err
	}
	// want B: use io.WriteString
	rw.Write([]byte("ok")) // hot: runtime.stringtoslicebyte
	// want A: use sb.Write
	sb.WriteString(string(body)) // hot: runtime.slicebytetostring
	// want A: use sb.WriteRune
	sb.WriteString(string(r)) // hot: runtime.intstring
	// want B: that the Write method of w does what its WriteString does
	io.WriteString(w, string(body)) // hot: runtime.slicebytetostring
	// want A: use f.Write
	_, err := io.WriteString(f, string(body[1:])) // hot: runtime.slicebytetostring
	return err
}

func others(c *counter, w wrapped, s string, body []byte, v any) error {
	// want B: use WriteString of c
	c.Write([]byte(s)) // hot: runtime.stringtoslicebyte
	w.Write([]byte(s)) // hot: runtime.stringtoslicebyte
	// want B: use bytes.NewReader
	if err := json.NewDecoder(strings.NewReader(string(body))).Decode(v); err != nil { // hot: runtime.slicebytetostring
		return err
	}
	// want B: use strings.NewReader
	_, err := http.Post("http://localhost", "text/plain", bytes.NewReader([]byte(s))) // hot: runtime.stringtoslicebyte
	return err
}

// paragraph is long: it is allocated, and so is its copy.
func paragraph(w io.Writer, text string) {
	// want B: use io.WriteString
	w.Write([]byte("<p>" + text)) // alloc: only 128
}

// squeezed has a writer without WriteString, where shown has a buffer.
func squeezed(w io.Writer, text string) {
	w.Write([]byte(text)) // hot: compress/gzip.(*Writer).Write bytes.(*Buffer).Write runtime.stringtoslicebyte
}

func shown(w io.Writer, text string) {
	// want B: use io.WriteString
	w.Write([]byte(text)) // hot: bytes.(*Buffer).Write runtime.stringtoslicebyte
}
