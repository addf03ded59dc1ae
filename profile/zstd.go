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

// unzstd returns the decompressed bytes of in if it is zstd data, else its bytes. The
// memory of the window is m's, unless that is nil.
func unzstd(in interface {
	io.Reader
	io.ByteScanner
}, m *meter) (io.Reader, error) {
	peeked, ok := in.(*bufio.Reader)
	if !ok {
		peeked = bufio.NewReaderSize(in, 64<<10)
	}
	head, err := peeked.Peek(zstd.HeaderMaxSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !isZstd(head) {
		return peeked, nil
	}
	window := int64(zstdWindow)
	if m != nil && m.budget != nil {
		// Frames that follow may not have larger windows than what is taken.
		if window, err = windowOf(head); err != nil {
			return nil, err
		}
		if err := m.take(window); err != nil {
			return nil, err
		}
	}
	// One goroutine alone: nobody closes it.
	zr, err := zstd.NewReader(peeked, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(window)))
	if err != nil {
		return nil, &decompressError{zstd: true, err: err}
	}
	return &zstdReader{zr: zr}, nil
}

// windowOf returns the window of a frame of zstd data, by its head. It is 1 MiB at least,
// as frames that follow may differ a little.
func windowOf(head []byte) (int64, error) {
	const least = 1 << 20
	var h zstd.Header
	if err := h.Decode(head); err != nil || h.Skippable {
		return zstdWindow, nil // the decoder tells what is wrong
	}
	window := h.WindowSize
	if h.SingleSegment {
		window = h.FrameContentSize
	}
	if window > zstdWindow {
		return 0, errWindow
	}
	return int64(max(least, window)), nil
}

var errWindow = &LimitError{"bytes in the window of its zstd data: compress it without --long and --ultra", zstdWindow}

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
		return n, errWindow
	}
	return n, &decompressError{zstd: true, err: err, at: z.at}
}
