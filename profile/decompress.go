package profile

import (
	"bufio"
	"bytes"
	"io"
)

// Decompress returns the bytes of r, decompressed if they are compressed with gzip
// or zstd.
func Decompress(r io.Reader) (io.Reader, error) { return uncompressed(r, new(gunzipper), nil) }

// uncompressed returns the decompressed bytes of r. It uses g if they are compressed with gzip, and
// takes memory from m, unless m is nil.
func uncompressed(r io.Reader, g *gunzipper, m *meter) (io.Reader, error) {
	// Decompression is fast only from these two types.
	var in interface {
		io.Reader
		io.ByteScanner
	}
	if mem, ok := r.(*bytes.Reader); ok {
		in = mem
	} else {
		in = bufio.NewReaderSize(r, 64<<10)
	}
	first, err := in.ReadByte()
	if err == io.EOF {
		return in, nil
	}
	if err != nil {
		return nil, err
	}
	if err := in.UnreadByte(); err != nil {
		return nil, err
	}
	if first == zstdMagic[0] {
		return unzstd(in, m)
	}
	if first != 0x1f {
		return in, nil // no field of a profile begins with 0x1f
	}
	g.at = 0
	if err := g.zr.Reset(in); err != nil {
		return nil, &decompressError{err: err}
	}
	return g, nil
}
