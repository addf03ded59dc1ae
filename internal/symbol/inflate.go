package symbol

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
)

// maxInflate bounds how many times larger a compressed section may become;
// deflate reaches at most 1032.
const maxInflate = 1032

// inflateGNU decompresses a section compressed the way GNU tools did before
// ELF had a flag for it, and Go still does outside ELF.
//
//	|"ZLIB"|size, big-endian, 64 bits|zlib stream|
func inflateGNU(b []byte) ([]byte, error) {
	if len(b) < 12 || string(b[:4]) != "ZLIB" {
		return b, nil
	}
	z, err := zlib.NewReader(bytes.NewReader(b[12:]))
	if err != nil {
		return nil, err
	}
	// The size is not trusted; the stream's own bound is enough.
	limit := int64(len(b)) * maxInflate
	out, err := io.ReadAll(io.LimitReader(z, limit+1))
	if int64(len(out)) > limit {
		return nil, errors.New("compressed section expands without end")
	}
	return out, err
}
