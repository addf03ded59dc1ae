package disk

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Every table has a parity file, 000123.parity for 000123.sst, so that one smeared sector
// can be repaired wherever it is. The table is cut into strips of equal length. The file has
// their exclusive or. If bytes change within the length of one strip, also across a boundary,
// the parity of the table now differs from the file by exactly that change. Which strip was
// changed is found by trying, because each block of a table has a checksum.
//
//	version    byte: 1
//	strip      u32, little-endian: a strip's length
//	size       u64: of the table
//	parity     the strips combined; the last one is filled up with zeros
//	checksum   u32, of all before
//
// The file is written when a table is complete, and not synced: if it is missing or torn, the
// table is read without it. The background job writes parity files that are missing or torn
// after a crash, and those of tables from earlier versions.
const (
	parityVersion  = 1
	parityHeader   = 1 + 4 + 8
	parityChecksum = 4
	// A strip is longer, so that it shows where in it the damage begins. More is kept of
	// large tables, 0.1 %.
	minStrip      = page + 64
	maxStrip      = minStrip << 4
	tablePerStrip = 1 << 10
)

// stripOf returns the length of the strips for a table's size.
func stripOf(size int64) int64 {
	strip := int64(minStrip)
	for strip < maxStrip && strip*tablePerStrip < size {
		strip *= 2
	}
	return strip
}

// A combiner computes the exclusive or of the strips of what is written to it.
type combiner struct {
	size int64
	sum  []byte
}

func (c *combiner) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		to := c.sum[c.size%int64(len(c.sum)):]
		k := min(len(to), len(p))
		subtle.XORBytes(to, to[:k], p[:k])
		c.size += int64(k)
		p = p[k:]
	}
	return n, nil
}

// parity returns the parity file for what was written. It shortens the strips to the right
// length: each strip of half the length is half of a longer one.
func (c *combiner) parity() []byte {
	strip := stripOf(c.size)
	for n := int64(len(c.sum)) / 2; n >= strip; n /= 2 {
		subtle.XORBytes(c.sum, c.sum[:n], c.sum[n:2*n])
	}
	b := append(make([]byte, 0, parityHeader+strip+parityChecksum), parityVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(strip))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.size))
	b = append(b, c.sum[:strip]...)
	return binary.LittleEndian.AppendUint32(b, crc(b))
}

// A parityWriter writes a table. When it is closed, it writes the parity file.
type parityWriter struct {
	vfs.File
	fs      vfs.FS
	stopped func() bool // whether nothing is written any more
	name    string
	c       combiner
	err     error
}

func newParityWriter(f vfs.File, fsys vfs.FS, stopped func() bool, name string) *parityWriter {
	return &parityWriter{File: f, fs: fsys, stopped: stopped, name: name, c: combiner{sum: make([]byte, maxStrip)}}
}

func (f *parityWriter) Write(p []byte) (int, error) {
	f.c.Write(p) // first: what is written to may change it
	n, err := f.File.Write(p)
	if err != nil {
		f.err = err
	}
	return n, err
}

func (f *parityWriter) WriteAt([]byte, int64) (int, error) {
	return 0, errors.New("tables are written from their beginning to their end")
}

func (f *parityWriter) Close() error {
	if err := f.File.Close(); err != nil || f.err != nil || f.stopped() {
		return err
	}
	name := parityName(f.name)
	to, err := f.fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil // the table is good without
	}
	_, err = to.Write(f.c.parity())
	if err = errors.Join(err, to.Close()); err != nil {
		f.fs.Remove(name)
	}
	return nil
}

// ensureParity writes the parity file of a table, unless a good one exists. It returns the
// number of bytes it read.
func ensureParity(fsys vfs.FS, path string) (read int64, err error) {
	f, err := fsys.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // it was replaced
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	name := parityName(path)
	if strip, size, err := readParity(fsys, name); err == nil && strip != nil && size == info.Size() {
		return int64(len(strip)), nil
	}
	c := combiner{sum: make([]byte, maxStrip)}
	n, err := io.Copy(&c, io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return n, err
	}
	if err := writeFile(fsys, name, bytes.NewReader(c.parity())); err != nil {
		return n, errors.Join(err, fsys.Remove(name))
	}
	if _, err := fsys.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return n, fsys.Remove(name) // it was replaced meanwhile
	}
	return n, nil
}

// errParity is the error of a damaged parity file.
var errParity = errors.New("it is damaged")

// readParity reads a parity file. It returns nil if there is none, and errParity if it
// is damaged.
func readParity(fsys vfs.FS, name string) (strip []byte, size int64, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, 0, nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, parityHeader+maxStrip+parityChecksum+1))
	if err != nil {
		return nil, 0, err
	}
	end := len(b) - parityChecksum
	if end < parityHeader {
		return nil, 0, errParity
	}
	if whole, _ := mend(b[:end], binary.LittleEndian.Uint32(b[end:])); !whole || uint32(end-parityHeader) != binary.LittleEndian.Uint32(b[1:]) || end == parityHeader {
		return nil, 0, errParity
	}
	if b[0] != parityVersion {
		return nil, 0, fmt.Errorf("it has version %d", b[0])
	}
	return b[parityHeader:end], int64(binary.LittleEndian.Uint64(b[5:])), nil
}

// A wound describes the damage to a table, as the parity file shows it.
type wound struct {
	strip int64
	// done are the differences, each in the length of a strip and with where it begins there.
	// The first is all of it, the others are what is apart.
	done []difference
}

type difference struct {
	from  int64 // offset in a strip
	bytes []byte
}

// findWound compares a table with its parity file. It returns nil if there is no parity file,
// or if it belongs to a table of another size.
func findWound(fsys vfs.FS, path string, f vfs.File) (*wound, error) {
	sum, size, err := readParity(fsys, parityName(path))
	if err != nil || sum == nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Size() != size {
		return nil, err
	}
	c := combiner{sum: sum}
	buf := make([]byte, 256<<10)
	for at := int64(0); at < size; at += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), size-at)]
		if err := readPages(f, buf, at); err != nil {
			return nil, err
		}
		c.Write(buf)
	}
	w := &wound{strip: int64(len(sum))}
	w.split(sum)
	return w, nil
}

const (
	// equalRun is how many equal bytes are between two differences: a smear has some by chance.
	equalRun = 16
	// maxRuns bounds the differences that are tried one by one.
	maxRuns = 64
)

// split finds the separate runs of differences. The strip is treated as a ring, because damage
// may cross from the end of one strip into the next.
func (w *wound) split(sum []byte) {
	var ends [][2]int64 // runs
	for i, b := range sum {
		at := int64(i)
		switch n := len(ends); {
		case b == 0:
		case n > 0 && at-ends[n-1][1] < equalRun:
			ends[n-1][1] = at + 1
		default:
			ends = append(ends, [2]int64{at, at + 1})
		}
	}
	if n := len(ends); n > 1 && ends[0][0]+w.strip-ends[n-1][1] < equalRun {
		ends[0][0] = ends[n-1][0] - w.strip
		ends = ends[:n-1]
	}
	run := func(from, to int64) difference {
		d := difference{from: (from + w.strip) % w.strip}
		for at := from; at < to; at++ {
			d.bytes = append(d.bytes, sum[(at+w.strip)%w.strip])
		}
		return d
	}
	if len(ends) > 1 {
		// All of it begins behind the longest run of equal bytes.
		at, longest := 0, int64(-1)
		for i := range ends {
			before := ends[(i+len(ends)-1)%len(ends)][1]
			if n := ((ends[i][0]-before)%w.strip + w.strip) % w.strip; n > longest {
				at, longest = i, n
			}
		}
		w.done = append(w.done, run(ends[at][0], ends[at][0]+w.strip-longest))
	}
	for _, e := range ends[:min(len(ends), maxRuns)] {
		w.done = append(w.done, run(e[0], e[1]))
	}
}

// heal repairs b, which was read at an offset of the table, so that whole returns true. It
// returns the number of wrong bytes, 0 if b can't be repaired.
func (w *wound) heal(b []byte, at int64, whole func() bool) (wrong int) {
	for _, d := range w.done {
		// The first strip in which it may reach into b.
		first := (at-d.from-int64(len(d.bytes)))/w.strip - 1
		for from := first*w.strip + d.from; from < at+int64(len(b)); from += w.strip {
			lo, hi := max(from, at), min(from+int64(len(d.bytes)), at+int64(len(b)))
			if lo >= hi {
				continue
			}
			to, what := b[lo-at:hi-at], d.bytes[lo-from:hi-from]
			subtle.XORBytes(to, to, what)
			if whole() {
				for _, x := range what {
					if x != 0 {
						wrong++
					}
				}
				return wrong
			}
			subtle.XORBytes(to, to, what)
		}
	}
	return 0
}
