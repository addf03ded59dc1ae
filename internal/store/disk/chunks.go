package disk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// Pebble's logs and manifests are records in chunks. A block of 32 KiB has chunks,
// none of which crosses its end:
//
//	checksum     u32, little-endian, of what follows the length
//	length       u16: of the payload
//	kind         byte: 1 a whole record, 2 the first, 3 a middle, 4 the last chunk of one;
//	             plus 4 with a log number, plus 8 with a log number and an offset
//	log number   u32, with those kinds: the low bits of the number of the log
//	offset       u64, with plus 8: up to where the log was durable by then
//	payload
//
// A log is written over an older one, so the number tells where it ends. One that was
// closed ends in a chunk without payload and checksum whose log number is the next one.
const (
	chunkBlock  = 32 << 10
	chunkHeader = 7
	chunkFull   = 1
	chunkFirst  = 2
	chunkLast   = 4
)

// A chunkReader reads the records of a log or manifest. It continues after damage.
type chunkReader struct {
	r     io.Reader
	log   uint32 // 0 for manifests, whose chunks have no number
	block [chunkBlock]byte
	n, at int   // of block
	start int64 // of block in the file
	// bad is the offset of the first damage since the record before, -1 if there
	// is none.
	bad int64
	// durable is the highest offset up to which the file is said to be durable.
	durable int64
	hole    int64 // where zeros begin that may be the end, -1 for nowhere
	// wrong are the bytes of which one bit was wrong, as they were written, by offset.
	wrong  map[int64]byte
	closed bool // the end of the log was read: nothing belongs to it behind that
}

func newChunkReader(r io.Reader, log uint64) *chunkReader {
	return &chunkReader{r: r, log: uint32(log), start: -chunkBlock, bad: -1, hole: -1}
}

// next returns the next readable record, which the caller owns, or io.EOF.
func (c *chunkReader) next() (rec []byte, err error) {
	c.bad = -1
	if c.closed {
		return nil, io.EOF
	}
	damaged := func() {
		if c.bad < 0 {
			c.bad = c.start + int64(c.at)
		}
		rec = nil
	}
	begun := false
	for {
		if c.n-c.at < chunkHeader {
			last := c.n > 0 && c.n < chunkBlock || c.n == 0 && c.start >= 0
			if last {
				if begun {
					damaged()
				}
				return nil, io.EOF
			}
			c.start += chunkBlock
			c.at = 0
			c.n, err = io.ReadFull(c.r, c.block[:])
			if err == io.EOF {
				if begun {
					damaged()
				}
				return nil, io.EOF
			}
			if err != nil && err != io.ErrUnexpectedEOF {
				return nil, err
			}
			continue
		}
		b := c.block[c.at:c.n]
		size := int(binary.LittleEndian.Uint16(b[4:]))
		if b[6] == 0 && size == 0 && binary.LittleEndian.Uint32(b) == 0 {
			// Nothing more fitted here, or nothing was written.
			if c.hole < 0 && len(b) >= chunkHeader+12 {
				c.hole = c.start + int64(c.at)
			}
			c.at = c.n
			continue
		}
		whole := c.whole(b)
		if !whole && c.mend(b) {
			whole = c.whole(b)
			size = int(binary.LittleEndian.Uint16(b[4:]))
		}
		if c.closing(b) {
			c.closed = true
			if begun {
				damaged()
			}
			return nil, io.EOF
		}
		kind, header := chunkKind(b[6])
		if !whole {
			damaged()
			begun = false
			c.at = c.nextWhole()
			continue
		}
		if c.log != 0 && binary.LittleEndian.Uint32(b[chunkHeader:]) != c.log {
			// Of an older log, or the end.
			if begun {
				damaged()
			}
			begun = false
			c.at = c.n
			continue
		}
		if c.hole >= 0 && c.bad < 0 {
			c.bad = c.hole
		}
		c.hole = -1
		if (kind == chunkFull || kind == chunkFirst) == begun {
			// A middle without a beginning, or the other way round.
			if c.bad < 0 {
				c.bad = c.start + int64(c.at)
			}
			rec, begun = nil, false
			if kind != chunkFull && kind != chunkFirst {
				c.at += header + size
				continue
			}
		}
		if header == chunkHeader+12 {
			c.durable = max(c.durable, int64(binary.LittleEndian.Uint64(b[chunkHeader+4:])))
		}
		begun = true
		rec = append(rec, b[header:header+size]...)
		c.at += header + size
		if kind == chunkFull || kind == chunkLast {
			return rec, nil
		}
	}
}

// nextWhole returns the offset of the next intact chunk in the block, or the end of the block.
// It tries all offsets, because a damaged header doesn't say where the next chunk begins.
func (c *chunkReader) nextWhole() int {
	for at := c.at + 1; at+chunkHeader <= c.n; at++ {
		b := c.block[at:c.n]
		if c.log != 0 && (len(b) < chunkHeader+4 || binary.LittleEndian.Uint32(b[chunkHeader:]) != c.log) {
			continue
		}
		if c.whole(b) {
			return at
		}
	}
	return c.n
}

// chunkKind returns the kind of a chunk, without the flags for numbers, and the size of its
// header.
func chunkKind(b byte) (kind byte, header int) {
	switch {
	case b > 8:
		return b - 8, chunkHeader + 12
	case b > 4:
		return b - 4, chunkHeader + 4
	}
	return b, chunkHeader
}

// whole reports whether b begins with an intact chunk.
func (c *chunkReader) whole(b []byte) bool {
	kind, header := chunkKind(b[6])
	end := header + int(binary.LittleEndian.Uint16(b[4:]))
	return kind != 0 && kind <= chunkLast && (header > chunkHeader) == (c.log != 0) && end <= len(b) &&
		crc(b[6:end]) == binary.LittleEndian.Uint32(b)
}

// mend corrects a single wrong bit in the chunk at the beginning of b, or in the end of a
// closed log.
func (c *chunkReader) mend(b []byte) bool {
	before := bytes.Clone(b)
	if !c.mends(b) {
		copy(b, before)
		return false
	}
	for i := range b {
		if b[i] != before[i] {
			if c.wrong == nil {
				c.wrong = map[int64]byte{}
			}
			c.wrong[c.start+int64(c.at+i)] = b[i]
		}
	}
	return true
}

func (c *chunkReader) mends(b []byte) bool {
	// The length, which the checksum isn't of, and the kind tell where the chunk ends.
	for bit := range 8 * 3 {
		b[4+bit/8] ^= 1 << (bit % 8)
		if c.whole(b) {
			return true
		}
		b[4+bit/8] ^= 1 << (bit % 8)
	}
	if end := closingChunk(c.log); c.log != 0 && len(b) >= len(end) {
		wrong := 0
		for i, want := range end {
			wrong += bits.OnesCount8(b[i] ^ want)
		}
		if wrong == 1 {
			copy(b, end)
			return true
		}
	}
	_, header := chunkKind(b[6])
	end := header + int(binary.LittleEndian.Uint16(b[4:]))
	if end > len(b) {
		return false
	}
	if whole, _ := mend(b[6:end], binary.LittleEndian.Uint32(b)); !whole {
		return false
	}
	binary.LittleEndian.PutUint32(b, crc(b[6:end]))
	return c.whole(b)
}

// closing reports whether b begins with the end of a closed log.
func (c *chunkReader) closing(b []byte) bool {
	return c.log != 0 && bytes.HasPrefix(b, closingChunk(c.log))
}

// closingChunk is the end of a closed log.
func closingChunk(log uint32) []byte {
	b := make([]byte, chunkHeader, chunkHeader+4)
	b[6] = chunkFull + 4
	return binary.LittleEndian.AppendUint32(b, log+1)
}

// mendFile corrects wrong bits in a log or manifest. It keeps the original file next to it,
// under the name it returns.
func mendFile(fsys vfs.FS, dir, name string, wrong map[int64]byte) (kept string, err error) {
	path := fsys.PathJoin(dir, name)
	kept, err = freeName(fsys, fsys.PathJoin(dir, keptPrefix+name))
	if err != nil {
		return "", err
	}
	f, err := fsys.Open(path)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(f)
	f.Close()
	if err != nil {
		return "", err
	}
	for at, b := range wrong {
		data[at] = b
	}
	mended := fsys.PathJoin(dir, mendedPrefix+name)
	if err := writeFile(fsys, mended, bytes.NewReader(data)); err != nil {
		return "", err
	}
	if err := vfs.LinkOrCopy(fsys, path, kept); err != nil {
		return "", err
	}
	if err := fsys.Rename(mended, path); err != nil {
		return "", err
	}
	return fsys.PathBase(kept), syncDir(fsys, dir)
}

// mendedBits describes which bits were corrected.
func mendedBits(wrong map[int64]byte) string {
	at := slices.Sorted(maps.Keys(wrong))
	if len(at) == 1 {
		return fmt.Sprintf("one wrong bit in byte %d, corrected when read", at[0])
	}
	return fmt.Sprintf("one wrong bit in each of %d records, the first in byte %d, corrected when read", len(at), at[0])
}

// A version is a change of a key, from a log or a table.
type version struct {
	key, value []byte
	seq        uint64
	kind       byte
}

// Kinds of versions, which are Pebble's.
const (
	versionDelete      = 0
	versionSet         = 1
	versionLog         = 3
	versionRangeDelete = 15
	versionSetDeleted  = 18 // set where it was deleted before
)

// A record of a log is a batch:
//
//	first number   u64, little-endian: the sequence number of its first change
//	changes        u32
//	(kind key value)*   byte, string, string unless the kind has none
const batchHeader = 12

// readBatch returns the changes of a batch, which alias b, and the sequence number after the
// last one.
func readBatch(b []byte) (out []version, next uint64, err error) {
	if len(b) < batchHeader {
		return nil, 0, fmt.Errorf("a batch has %d bytes", len(b))
	}
	seq, changes := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	r := format.NewReader(b)
	r.Bytes(batchHeader)
	for n := uint64(0); r.Left() > 0; {
		v := version{kind: r.Byte(), seq: seq + n}
		v.key = r.Bytes(r.Count(1))
		switch v.kind {
		case versionSet, versionRangeDelete:
			v.value = r.Bytes(r.Count(1))
		case versionDelete:
		case versionLog:
			continue // has no number
		default:
			r.Fail("a change of kind %d", v.kind)
		}
		if err := r.Err(); err != nil {
			return nil, 0, err
		}
		out = append(out, v)
		n++
	}
	return out, seq + uint64(changes), nil
}
