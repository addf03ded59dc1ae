package disk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/sstable/valblk"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// Pebble can't read a table whose end is missing or whose index is damaged. But a table is a
// sequence of blocks, each with a checksum:
//
//	block
//	kind       byte: how it is compressed; 0 in hone's stores, not at all
//	checksum   u32, little-endian, of both
//
// so intact blocks can be found and read.

// A table is a table file of the key-value store. Some of its blocks may be unreadable.
type table struct {
	fs     vfs.FS
	path   string
	name   string
	number uint64
	level  int // -1 if it isn't known
	blocks []tableBlock
	tombs  []tomb
	maxSeq uint64
	wound  *wound // what its parity file puts right, nil for nothing
	lost   []lostBlock
	// noIndex is set where its blocks were found without an index: there may be more.
	noIndex bool
	// rows are those of the block that was read last.
	rows []version
	at   int // its index
}

// A tableBlock is the position of a block with keys and values.
type tableBlock struct {
	at          int64
	size        int
	first, last []byte // its keys
	// separator is not before its last key, and before the first of the next block. It is nil
	// where there is no index.
	separator []byte
}

// A tomb is a range deletion: it deletes older versions of the keys from start to before end.
type tomb struct {
	start, end []byte
	seq        uint64
}

// openTable reads the structure of a table. It calls lose for what can't be read, and note for
// problems that cost no data.
func openTable(fsys vfs.FS, dir, name string, lose, note func(problem string)) (*table, error) {
	t := &table{fs: fsys, path: fsys.PathJoin(dir, name), name: name, level: -1, at: -1}
	f, err := openTableFile(fsys, t.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	noted := map[int64]bool{}
	f.noted = func(at int64, problem string) {
		if !noted[at] {
			noted[at] = true
			note(name + ": " + problem)
		}
	}
	blocks, err := t.index(f)
	if err != nil {
		t.noIndex = true
		lose(fmt.Sprintf("%s: its index can't be read: %v", name, err))
		if blocks, err = findBlocks(f); err != nil {
			return nil, err
		}
	}
	var last, separator []byte // of the block before: its last key, and what is behind that
	known := 0                 // of t.lost, up to where they go
	bytes := int64(0)
	for _, b := range blocks {
		rows, err := readTableBlock(f, b)
		if err != nil {
			t.lost = append(t.lost, lostBlock{at: b.at, size: b.size, span: span{from: last}, after: separator, separator: b.separator})
			bytes, separator = bytes+int64(b.size), b.separator
			continue
		}
		for _, v := range rows {
			t.maxSeq = max(t.maxSeq, v.seq)
		}
		if len(rows) > 0 {
			b.first, b.last = slices.Clone(rows[0].key), slices.Clone(rows[len(rows)-1].key)
			t.blocks = append(t.blocks, tableBlock{at: b.at, size: b.size, first: b.first, last: b.last})
			for ; known < len(t.lost); known++ {
				t.lost[known].to = b.first
			}
			last = b.last
		}
		separator = b.separator
	}
	if len(t.lost) > 0 {
		lose(fmt.Sprintf("%s: %d of %d blocks can't be read, %d bytes from byte %d on", name, len(t.lost), len(blocks), bytes, t.lost[0].at))
	}
	for _, d := range t.tombs {
		t.maxSeq = max(t.maxSeq, d.seq)
	}
	t.wound = f.wound
	return t, nil
}

// index returns the blocks listed in the table's index, and sets the tombs.
func (t *table) index(f *tableFile) (blocks []tableBlock, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p) // of what Pebble takes to be impossible
		}
	}()
	readable, err := sstable.NewSimpleReadable(keptOpen{f})
	if err != nil {
		return nil, err
	}
	r, err := sstable.NewReader(context.Background(), readable, sstable.ReaderOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// First: they may be read where the index can't.
	if err := t.readTombs(r); err != nil {
		return nil, err
	}
	layout, err := r.Layout()
	if err != nil {
		return nil, err
	}
	for _, h := range layout.Data {
		blocks = append(blocks, tableBlock{at: int64(h.Offset), size: int(h.Length)})
	}
	n := 0
	for _, h := range layout.Index {
		data, err := readRawBlock(f, tableBlock{at: int64(h.Offset), size: int(h.Length)})
		if err != nil {
			return nil, err
		}
		var d colblk.IndexBlockDecoder
		d.Init(data)
		var it colblk.IndexIter
		it.InitWithDecoder(pebble.DefaultComparer, &d, sstable.NoTransforms)
		for ok := it.First(); ok && n < len(blocks); ok = it.Next() {
			blocks[n].separator = slices.Clone(it.Separator())
			n++
		}
	}
	if n != len(blocks) {
		return nil, fmt.Errorf("its index lists %d blocks, and there are %d", n, len(blocks))
	}
	return blocks, nil
}

// readTombs sets the tombs of the table.
func (t *table) readTombs(r *sstable.Reader) error {
	it, err := r.NewRawRangeDelIter(context.Background(), sstable.NoFragmentTransforms, sstable.NoReadEnv)
	if err != nil || it == nil {
		return err
	}
	defer it.Close()
	for span, err := it.First(); span != nil || err != nil; span, err = it.Next() {
		if err != nil {
			return err
		}
		for _, k := range span.Keys {
			t.tombs = append(t.tombs, tomb{slices.Clone(span.Start), slices.Clone(span.End), uint64(k.SeqNum())})
		}
	}
	return nil
}

// A keptOpen is a file that its reader can't close.
type keptOpen struct{ *tableFile }

func (keptOpen) Close() error { return nil }

// maxTableBlock limits the size of blocks that findBlocks looks for.
const maxTableBlock = 64 << 20

// findBlocks finds the blocks of a table by their checksums. After damage, it continues at the
// next block with keys and values.
func findBlocks(f *tableFile) (blocks []tableBlock, err error) {
	for at := int64(0); at+blockTrailer < f.size; {
		n, err := findEnd(f.File, at, min(f.size, at+maxTableBlock))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			if at, err = findData(f.File, at+1, f.size); err != nil || at < 0 {
				return blocks, err
			}
			continue
		}
		b := tableBlock{at: at, size: n}
		if data, err := readRawBlock(f, b); err == nil && isData(data) {
			blocks = append(blocks, b)
		}
		at += int64(n) + blockTrailer
	}
	return blocks, nil
}

// findData returns the first offset from at on where a block with keys and values seems to
// begin, -1 if there is none.
func findData(f vfs.File, at, size int64) (int64, error) {
	const chunk = 256 << 10
	for header := int64(dataHeader + 5*len(dataColumns)); at+header <= size; at += chunk {
		buf := make([]byte, min(chunk+header-1, size-at))
		if _, err := f.ReadAt(buf, at); err != nil {
			return 0, err
		}
		for i := range int64(len(buf)) - header + 1 {
			if isDataHeader(buf[i:]) {
				return at + i, nil
			}
		}
	}
	return -1, nil
}

// keySchema is how tables store keys.
var keySchema = colblk.DefaultKeySchema(pebble.DefaultComparer, 16)

// A block with keys and values begins with
//
//	longest key   u32
//	version       byte
//	columns       u16
//	rows          u32
//	(type offset:u32)*   of each column
//
// and has these types of columns.
var dataColumns = []byte{4, 3, 2, 1, 3, 1, 1}

// dataHeader is the length of the header before the columns.
const dataHeader = 4 + 1 + 2 + 4

// isData reports whether a block has keys and values.
func isData(b []byte) bool {
	if len(b) < dataHeader+5*len(dataColumns) || !isDataHeader(b) {
		return false
	}
	for i := range dataColumns {
		if int64(binary.LittleEndian.Uint32(b[dataHeader+5*i+1:])) > int64(len(b)) {
			return false
		}
	}
	return true
}

// isDataHeader reports whether b begins with the header of such a block.
func isDataHeader(b []byte) bool {
	if b[4] != 1 || int(binary.LittleEndian.Uint16(b[5:])) != len(dataColumns) {
		return false
	}
	for i, typ := range dataColumns {
		if b[dataHeader+5*i] != typ {
			return false
		}
	}
	return true
}

// readRawBlock reads a block and checks its checksum.
func readRawBlock(f *tableFile, b tableBlock) ([]byte, error) {
	data := make([]byte, b.size+blockTrailer)
	if _, err := f.ReadAt(data, b.at); err != nil {
		return nil, err
	}
	if data[b.size] != 0 {
		return nil, fmt.Errorf("unknown compression %d", data[b.size])
	}
	return data[:b.size], nil
}

// readTableBlock returns the keys and values of a block, which the caller owns. In tables of
// older versions of hone, a value that was replaced while a snapshot needed it may be in
// another block. readTableBlock leaves such a value out: the row before it has the same key and
// is newer.
func readTableBlock(f *tableFile, b tableBlock) (rows []version, err error) {
	data, err := readRawBlock(f, b)
	if err != nil {
		return nil, err
	}
	if !isData(data) {
		return nil, errors.New("it has no keys")
	}
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, fmt.Errorf("%v", p)
		}
	}()
	var d colblk.DataBlockDecoder
	d.Init(&keySchema, data)
	var it colblk.DataBlockIter
	it.InitOnce(&keySchema, pebble.DefaultComparer, &valblk.Reader{})
	if err := it.Init(&d, sstable.NoTransforms); err != nil {
		return nil, err
	}
	for row := it.First(); row != nil; row = it.Next() {
		if !row.V.IsInPlaceValue() {
			continue // replaced by the row before; see readTableBlock
		}
		rows = append(rows, version{key: bytes.Clone(row.K.UserKey), value: row.InPlaceValue(), seq: uint64(row.SeqNum()), kind: byte(row.Kind())})
	}
	return rows, nil
}

// maxKeptBlock limits the size of the one block per table that stays in memory.
const maxKeptBlock = 64 << 10

// load returns the keys and values of a block, which must not be changed.
func (t *table) load(i int) ([]version, error) {
	if t.at == i {
		return t.rows, nil
	}
	f, err := openTableFile(t.fs, t.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.wound = t.wound
	rows, err := readTableBlock(f, t.blocks[i])
	if err != nil {
		return nil, fmt.Errorf("%s: the block at byte %d: %w", t.name, t.blocks[i].at, err)
	}
	if t.blocks[i].size <= maxKeptBlock {
		t.rows, t.at = rows, i
	}
	return rows, nil
}

// A span is a range of keys, some of which may be lost.
type span struct{ from, to []byte }

type spans []span

// hit reports whether keys with a prefix may be lost.
func (x spans) hit(prefix []byte) bool {
	end := format.After(prefix)
	for _, s := range x {
		if bytes.Compare(prefix, s.to) <= 0 && (end == nil || bytes.Compare(s.from, end) < 0) {
			return true
		}
	}
	return false
}

// A lostBlock is an unreadable block of a table. Its keys are in the span.
type lostBlock struct {
	at   int64
	size int
	span
	// Keys of the block are behind after, and not behind separator: that is where Pebble looks
	// for them. after is nil for the first block.
	after, separator []byte
}

// tableFormat is the version of Pebble's format.
const tableFormat = pebble.FormatValueSeparation

// rank orders tables by age if sequence numbers don't. The lowest level has rank 0.
func (t *table) rank() int64 {
	if t.level < 0 {
		return int64(t.number)
	}
	return int64(-t.level)
}

// A keyRange is the keys from start to before end.
type keyRange struct{ start, end []byte }
