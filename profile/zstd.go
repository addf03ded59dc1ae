package profile

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdMagic begins a frame of zstd. Its first byte begins no field of a profile
// that has the type of that field.
const zstdMagic = "\x28\xb5\x2f\xfd"

// zstdWindow bounds the window of zstd data, and the memory of its reader: all
// but zstd --ultra and --long write smaller ones.
const zstdWindow = 16 << 20

func isZstd(b []byte) bool { return bytes.HasPrefix(b, []byte(zstdMagic)) }

// unzstd returns the decompressed bytes of in if it is zstd data, else its bytes.
func unzstd(in interface {
	io.Reader
	io.ByteScanner
}) (io.Reader, error) {
	peeked, ok := in.(*bufio.Reader)
	if !ok {
		peeked = bufio.NewReaderSize(in, 64<<10)
	}
	head, err := peeked.Peek(len(zstdMagic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !isZstd(head) {
		return peeked, nil
	}
	// One goroutine alone: nobody closes it.
	zr, err := zstd.NewReader(peeked, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, &gzipError{zstd: true, err: err}
	}
	return &zstdReader{zr: zr}, nil
}

// zstdReader adapts zstd's errors.
type zstdReader struct {
	zr *zstd.Decoder
	at int64 // bytes read
}

func (z *zstdReader) Read(b []byte) (int, error) {
	n, err := z.zr.Read(b)
	z.at += int64(n)
	if err == nil || err == io.EOF {
		return n, err
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return n, &LimitError{"bytes in the window of its zstd data: compress it without --long and --ultra", zstdWindow}
	}
	return n, &gzipError{zstd: true, err: err, at: z.at}
}
