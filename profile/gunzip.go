package profile

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// A decompressError says why gzip or zstd data can't be decompressed.
type decompressError struct {
	zstd bool // zstd, not gzip
	err  error
	at   int64 // bytes decompressed until then
}

func (e *decompressError) Error() string {
	if e.zstd {
		if errors.Is(e.err, io.ErrUnexpectedEOF) {
			return fmt.Sprintf("the zstd data is cut off after %d decompressed bytes", e.at)
		}
		return fmt.Sprintf("the zstd data is corrupt after %d decompressed bytes: %v", e.at, e.err)
	}
	switch {
	case errors.Is(e.err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("the gzip data is cut off after %d decompressed bytes", e.at)
	case errors.Is(e.err, gzip.ErrHeader):
		return fmt.Sprintf("something follows the gzip data, after %d decompressed bytes", e.at)
	case errors.Is(e.err, gzip.ErrChecksum):
		return fmt.Sprintf("the gzip data is corrupt: wrong checksum after %d decompressed bytes", e.at)
	}
	return fmt.Sprintf("the gzip data is corrupt after %d decompressed bytes: %v", e.at, e.err)
}

func (e *decompressError) Unwrap() error { return e.err }

// gunzipper adapts gzip's errors.
type gunzipper struct {
	zr gzip.Reader
	at int64 // bytes read
}

func (g *gunzipper) Read(b []byte) (int, error) {
	n, err := g.zr.Read(b)
	g.at += int64(n)
	if err != nil && err != io.EOF {
		err = &decompressError{err: err, at: g.at}
	}
	return n, err
}
