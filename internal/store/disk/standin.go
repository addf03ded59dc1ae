package disk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// If a block of a table can't be read, and parity can't repair it, an empty block is read in
// its place. So the rest of the table can be read, and other tables with the same keys.
// Tables can be compacted, which removes the damage. Before the next query, healing finds out
// what was in the block; see healing.go. A table whose index can't be read is rebuilt from its
// blocks. The original table is kept under another name.

// noKey returns a unique key right after before that no store has. Pebble ends the process if
// it finds a key twice with the same sequence number.
func noKey(before []byte, table uint64, at int64) []byte {
	key := append(bytes.Clone(before), 0)
	key = binary.BigEndian.AppendUint64(key, table)
	return binary.BigEndian.AppendUint64(key, uint64(at))
}

// standIn returns a block with the size of a lost one, with its trailer. A block can't be
// empty, so this one deletes a key that no store has. The key is in the range of the lost
// block: with a smaller one, Pebble would search forever. standIn returns nil if the block is
// too small.
func (l *lostBlock) standIn(table uint64) []byte {
	after := l.after
	if after == nil {
		after = l.from
	}
	key := noKey(after, table, l.at)
	if bytes.Compare(key, l.separator) > 0 {
		key = l.separator // the last key of the block, perhaps
	}
	// Its value is as long as it takes.
	for value := max(l.size-128-len(key), 0); value <= l.size; value++ {
		var e colblk.DataBlockEncoder
		e.Init(&keySchema)
		e.Add(pebble.InternalKey{UserKey: key, Trailer: 1<<8 | versionDelete}, make([]byte, value), block.InPlaceValuePrefix(false),
			colblk.KeyComparison{PrefixLen: int32(len(key))}, false)
		b, _ := e.Finish(1, e.Size())
		if len(b) < l.size {
			continue
		}
		if len(b) > l.size {
			break
		}
		b = append(b, 0)
		return binary.LittleEndian.AppendUint32(b, crc(b))
	}
	return nil
}

// examine looks for unreadable blocks in suspect tables that it hasn't examined yet, and puts
// stand-ins in their place. It returns the keys that may be lost.
func examine(r *space) (lost spans, tables []keyRange, err error) {
	fsys, dir, h := r.FS, r.dir, r.health
	suspects := h.suspects()
	if len(suspects) == 0 {
		return nil, nil, nil
	}
	name, err := currentManifest(fsys, dir)
	if err != nil {
		return nil, nil, err
	}
	m := readManifest(fsys, dir, name)
	for _, file := range suspects {
		n, _ := strconv.ParseUint(strings.TrimSuffix(file, tableExt), 10, 64)
		info, ok := m.tables[n]
		if !ok {
			continue // it is not in use any more, or the list can't be read
		}
		t, err := openTable(fsys, dir, file, func(string) {}, func(string) {})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		t.number = n
		cut := h.noteExamined(file)
		bounds := keyRange{info.first, append(bytes.Clone(info.last), 0)}
		if !t.noIndex && len(t.lost) == 0 {
			if cut { // it was made again, perhaps by a start that was killed before it found what was lost
				lost, tables = append(lost, span{info.first, info.last}), append(tables, bounds)
			}
			continue
		}
		if err := sweep(fsys, dir); err != nil {
			return nil, nil, err
		}
		kept := fsys.PathJoin(dir, keptPrefix+file)
		if err := vfs.LinkOrCopy(fsys, fsys.PathJoin(dir, file), kept); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, nil, err
		}
		tables = append(tables, bounds)
		if t.noIndex {
			if err := makeAgain(r, t, info); err != nil {
				return nil, nil, err
			}
			h.replaced(file, fmt.Sprintf("its index can't be read; the table was rebuilt from its %d readable blocks, and the original is kept as %s", len(t.blocks), fsys.PathBase(kept)))
			lost = append(lost, span{info.first, info.last})
			continue
		}
		standIns := map[int64][]byte{}
		for _, l := range t.lost {
			if l.from == nil {
				l.from = info.first
			}
			if l.to == nil {
				l.to = info.last
			}
			if b := l.standIn(n); b != nil {
				standIns[l.at] = b
				lost = append(lost, l.span)
			}
		}
		h.standIn(file, standIns, fmt.Sprintf("%d of %d blocks can't be read; the original is kept as %s", len(t.lost), len(t.lost)+len(t.blocks), fsys.PathBase(kept)))
	}
	return lost, tables, nil
}

// copyTombs copies the range deletions of a table to another one.
func copyTombs(fsys vfs.FS, path string, to sstable.RawWriter) error {
	f, err := openTableFile(fsys, path)
	if err != nil {
		return err
	}
	defer f.Close()
	readable, err := sstable.NewSimpleReadable(keptOpen{f})
	if err != nil {
		return err
	}
	r, err := sstable.NewReader(context.Background(), readable, sstable.ReaderOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	it, err := r.NewRawRangeDelIter(context.Background(), sstable.NoFragmentTransforms, sstable.NoReadEnv)
	if err != nil || it == nil {
		return err
	}
	defer it.Close()
	span, err := it.First()
	for ; span != nil && err == nil; span, err = it.Next() {
		if err := to.EncodeSpan(*span); err != nil {
			return err
		}
	}
	return err
}

// makeAgain rebuilds a table whose index is unreadable from its blocks. If its range deletions
// are unreadable, too, deleted data may come back. Deleted partitions have marks; the rest is
// found later, see healing.go.
func makeAgain(r *space, t *table, info tableInfo) (err error) {
	fsys, dir := r.FS, r.dir
	var rows []version
	for i := range t.blocks {
		more, err := t.load(i)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	slices.SortStableFunc(rows, func(a, b version) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.seq, a.seq))
	})
	if len(rows) == 0 {
		rows = []version{{key: noKey(info.first, t.number, 0), seq: 1, kind: versionDelete}}
	}
	again := fsys.PathJoin(dir, againPrefix+t.name)
	f, err := r.Create(again, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w := sstable.NewRawWriter(objstorageprovider.NewFileWritable(f), sstable.WriterOptions{
		TableFormat: tableFormat.MaxTableFormat(), Comparer: pebble.DefaultComparer, KeySchema: &keySchema,
		BlockSize: 32 << 10, Compression: sstable.NoCompression,
	})
	for _, v := range rows {
		k := pebble.InternalKey{UserKey: v.key}
		setTrailer(&k.Trailer, v.seq<<8|uint64(v.kind))
		if err := w.Add(k, v.value, false); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	if len(t.tombs) > 0 {
		if err := copyTombs(fsys, fsys.PathJoin(dir, t.name), w); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	path := fsys.PathJoin(dir, t.name)
	if err := errors.Join(fsys.Rename(parityName(again), parityName(path)), fsys.Rename(again, path)); err != nil {
		return err
	}
	return syncDir(fsys, dir)
}

// setTrailer sets a value of a type that only Pebble can name.
func setTrailer[Trailer ~uint64](t *Trailer, v uint64) { *t = Trailer(v) }
