package trace

import (
	"io"

	"github.com/hone-go/hone/profile"
)

// A counter counts what was read, for errors.
type counter struct {
	r   io.Reader
	n   int64
	err error // other than io.EOF

	generation int64 // bytes of the one that is read, and perhaps of the one before
	most       int64 // of them
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.generation += int64(n); c.generation > c.most {
		err = &profile.LimitError{What: "bytes in a generation of the trace", Limit: c.most}
	}
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}
