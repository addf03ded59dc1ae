package conv

import (
	"bytes"
	"io"
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
