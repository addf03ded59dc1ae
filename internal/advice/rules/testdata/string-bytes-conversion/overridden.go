package conv

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// counted has a Write of its own, and the WriteString of what it embeds.
type counted struct {
	*bytes.Buffer
	n int
}

func (c *counted) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.Buffer.Write(p)
}

// shouting is the other way round.
type shouting struct{ io.Writer }

func (s shouting) WriteString(text string) (int, error) {
	return s.Writer.Write([]byte(text + "!"))
}

func write(c *counted, s shouting, text string, b []byte) {
	c.Write([]byte(text))        // hot: runtime.stringtoslicebyte
	c.WriteString(string(b))     // hot: runtime.slicebytetostring
	s.WriteString(string(b))     // hot: runtime.slicebytetostring
	io.WriteString(s, string(b)) // hot: runtime.slicebytetostring
	s.Write([]byte(text))        // hot: runtime.stringtoslicebyte
}

// whole has a Match of its own.
type whole struct{ *regexp.Regexp }

func (w whole) Match(b []byte) bool { return len(w.Find(b)) == len(b) }

func match(w whole, b []byte) bool {
	return w.MatchString(string(b)) // hot: runtime.slicebytetostring
}

// later is of the bytes as they are now.
func later(w *bufio.Writer, b []byte) {
	defer w.WriteString(string(b)) // hot: runtime.slicebytetostring
	b[0] = 'x'
}

// attribute is short: it is put together on the stack, and its copy alone is allocated.
func attribute(w io.Writer, name string) {
	w.Write([]byte(" " + name)) // alloc: only 16
}
