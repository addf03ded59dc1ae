package agent

import (
	"bytes"
	"compress/gzip"
	"io"
)

// A zipper compresses profiles. It keeps the tables for that, of 0.8 MB: made
// anew they would be half of all that the agent allocates, and cause garbage
// collections that cost as much as its work.
type zipper struct{ z *gzip.Writer }

func (z *zipper) compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	if z.z == nil {
		var err error
		if z.z, err = gzip.NewWriterLevel(&b, gzip.BestSpeed); err != nil { // as runtime/pprof does
			return nil, err
		}
	}
	z.z.Reset(&b)
	if _, err := z.z.Write(data); err != nil {
		return nil, err
	}
	if err := z.z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// gunzip returns what runtime/pprof wrote.
func gunzip(gz []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
