package disk

import (
	"encoding/binary"
	"errors"
	"io"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const blockTrailer = 5

// findEnd returns the size of the block at an offset. It returns 0 if no block that begins
// there ends before limit.
func findEnd(f io.ReaderAt, at, limit int64) (size int, err error) {
	const chunk = 256 << 10
	buf := make([]byte, 0, max(0, min(limit-at, chunk+blockTrailer)))
	sum := ^uint32(0) // the CRC as it is while bytes are added, inverted
	for pos := at; pos+blockTrailer < limit; {
		n := int(min(limit-pos, chunk+blockTrailer))
		buf = buf[:n]
		if _, err := f.ReadAt(buf, pos); err != nil {
			return 0, err
		}
		for i := range n - blockTrailer {
			sum = castagnoli[byte(sum)^buf[i]] ^ sum>>8 // package crc32 is for more bytes at once
			if buf[i+1] == 0 && masked(^(castagnoli[byte(sum)]^sum>>8)) == binary.LittleEndian.Uint32(buf[i+2:]) {
				return int(pos-at) + i + 1, nil
			}
		}
		pos += int64(n - blockTrailer)
	}
	return 0, nil
}

var errChecksum = errors.New("checksum mismatch")

// mendBlock is mend for a table's block with its trailer.
func mendBlock(b []byte) (whole, mended bool) {
	end := len(b) - blockTrailer + 1
	return mend(b[:end], binary.LittleEndian.Uint32(b[end:]))
}

// wholeBlock reports whether the checksum of a table's block, with its trailer, is right.
func wholeBlock(b []byte) bool {
	end := len(b) - blockTrailer + 1
	return end > 0 && crc(b[:end]) == binary.LittleEndian.Uint32(b[end:])
}

// page is the unit in which disks lose data, in bytes.
const page = 4 << 10

// readPages reads part of a file. Pages that can't be read are filled with zeros.
func readPages(f vfs.File, p []byte, at int64) error {
	if _, err := f.ReadAt(p, at); !errors.Is(err, syscall.EIO) {
		return err
	}
	for len(p) > 0 {
		some := p[:min(int64(len(p)), page-at%page)]
		if _, err := f.ReadAt(some, at); errors.Is(err, syscall.EIO) {
			clear(some)
		} else if err != nil {
			return err
		}
		p, at = p[len(some):], at+int64(len(some))
	}
	return nil
}
