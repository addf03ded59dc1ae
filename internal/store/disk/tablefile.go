package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// wholeFooter reports whether the end of a table, which has a checksum of its own, is as
// it was written. Pebble reads it with a length of all its versions, of which this is the
// longest:
//
//	how blocks' checksums are made   byte
//	(offset size)*                   varints: the index of the table's other blocks, and of its data
//	zeros
//	attributes                       u32
//	checksum                         u32, little-endian, of all else
//	version                          u32
//	magic                            8 bytes
func wholeFooter(b []byte) bool {
	const behind = 4 + 8
	end := len(b) - behind - 4
	return end > 0 && masked(crc32.Update(crc32.Checksum(b[:end], castagnoli), castagnoli, b[end+4:])) == binary.LittleEndian.Uint32(b[end:])
}

// olderFooter reports whether the footer has an earlier version, which Pebble reads but hone
// hasn't written for a long time.
func olderFooter(b []byte) bool {
	const magic = "\xf0\x9f\xaa\xb3\xf0\x9f\xaa\xb3"
	end := len(b) - len(magic)
	return end > 4 && string(b[end:]) == magic && binary.LittleEndian.Uint32(b[end-4:]) < footerVersion
}

// footerVersion is the version of the footers that hone writes.
const footerVersion = 7

// A tableFile is an open table file. It reads each block with its trailer and repairs it if
// possible. Without that, Pebble would reject a block with a wrong checksum, after searching a
// second for a wrong bit.
type tableFile struct {
	vfs.File
	fs   vfs.FS
	path string
	size int64
	// noted is told what is wrong with a block, or with the end of the table, and is read as
	// it was. lost says what a block that can't be is read as; nil is an error.
	noted func(at int64, problem string)
	lost  func(p []byte, at int64) error

	mu    sync.Mutex
	wound *wound
}

func openTableFile(fsys vfs.FS, path string, opts ...vfs.OpenOption) (*tableFile, error) {
	f, err := fsys.Open(path, opts...)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &tableFile{File: f, fs: fsys, path: path, size: info.Size(), noted: func(int64, string) {}}, nil
}

func (f *tableFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	if errors.Is(err, syscall.EIO) {
		n, err = len(p), readPages(f.File, p, at) // which may be put right
	}
	if err != nil {
		return n, err
	}
	if at+int64(len(p)) == f.size {
		if !wholeFooter(p) && !olderFooter(p) && !f.heal(p, at, func() bool { return wholeFooter(p) }) && f.lost != nil {
			return n, f.lost(p, at)
		}
		return n, nil
	}
	switch whole, mended := mendBlock(p); {
	case mended:
		f.noted(at, fmt.Sprintf("one wrong bit in the block at byte %d, corrected when read", at))
	case whole || f.heal(p, at, func() bool { return wholeBlock(p) }):
	case f.lost != nil:
		return n, f.lost(p, at)
	default:
		return 0, errChecksum
	}
	return n, nil
}

// checkIndex returns an error if the table's index, or something after it, can't be read.
// Pebble would notice only when it has the table open, and would then keep it open even if it
// is replaced.
func (f *tableFile) checkIndex() error {
	const footer = 61
	if f.size < footer {
		return nil // Pebble finds out
	}
	b := make([]byte, footer)
	if _, err := f.ReadAt(b, f.size-footer); err != nil || olderFooter(b) {
		return err
	}
	r := format.NewReader(b)
	r.Byte()
	meta, metaSize := int64(r.Uvarint()), int64(r.Uvarint())
	at, size := int64(r.Uvarint()), int64(r.Uvarint())
	if r.Err() != nil || at < 0 || size < 0 || at+size >= meta || meta+metaSize > f.size {
		return nil
	}
	for at < meta {
		if _, err := f.ReadAt(make([]byte, size+blockTrailer), at); err != nil {
			return err
		}
		if at += size + blockTrailer; at >= meta {
			break // all of them are whole, and the table need not be read for more
		}
		n, err := findEnd(f.File, at, meta)
		if err != nil {
			return err
		}
		if n == 0 { // it is damaged, or there is none
			n = f.findHealedEnd(at, meta)
		}
		if size = int64(n); n == 0 {
			size = meta - at - blockTrailer
		}
	}
	_, err := f.ReadAt(make([]byte, metaSize+blockTrailer), meta)
	return err
}

// findHealedEnd returns the size of the block at an offset, if repairs give it an end before
// limit, or else 0. Damage may extend over several small blocks.
func (f *tableFile) findHealedEnd(at, limit int64) (size int) {
	const most = 64 << 10 // what is behind an index is small
	b := make([]byte, min(limit-at, most))
	if readPages(f.File, b, at) != nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wound == nil {
		f.wound, _ = findWound(f.fs, f.path, f.File)
	}
	if f.wound != nil {
		f.wound.heal(b, at, func() bool {
			size, _ = findEnd(bytes.NewReader(b), 0, int64(len(b)))
			return size > 0
		})
	}
	return size
}

// heal repairs p with the parity file, if possible.
func (f *tableFile) heal(p []byte, at int64, whole func() bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	wrong := 0
	if f.wound != nil {
		wrong = f.wound.heal(p, at, whole)
	}
	if wrong == 0 {
		w, err := findWound(f.fs, f.path, f.File)
		if err != nil || w == nil {
			return false
		}
		f.wound = w
		wrong = w.heal(p, at, whole)
	}
	if wrong > 0 {
		f.noted(at, fmt.Sprintf("%d wrong bytes in the block at byte %d, corrected when read", wrong, at))
	}
	return wrong > 0
}
