package disk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

// examine looks through the tables of which blocks can't be read, unless it did before, has
// what can't be read of them stand in for, and returns the keys that may be lost.
func (h *health) examine(fsys vfs.FS, dir string) (lost spans, tables []keyRange, err error) {
	h.mu.Lock()
	suspects := map[string]bool{}
	for p := range h.blocks {
		suspects[p.file] = true
	}
	maps.Copy(suspects, h.cut)
	maps.DeleteFunc(suspects, func(file string, _ bool) bool { return h.examined[file] })
	h.mu.Unlock()
	if len(suspects) == 0 {
		return nil, nil, nil
	}
	name, err := currentManifest(fsys, dir)
	if err != nil {
		return nil, nil, err
	}
	m := readManifest(fsys, dir, name)
	for _, file := range slices.Sorted(maps.Keys(suspects)) {
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
		h.mu.Lock()
		h.examined[file] = true
		cut := h.cut[file]
		h.mu.Unlock()
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
		if t.noIndex {
			if err := h.makeAgain(fsys, dir, t, info); err != nil {
				return nil, nil, err
			}
			h.mu.Lock()
			maps.DeleteFunc(h.blocks, func(p place, _ error) bool { return p.file == file })
			h.files[file] = fmt.Sprintf("its index can't be read; a table was made again of its %d whole blocks, and the one of before is kept as %s", len(t.blocks), fsys.PathBase(kept))
			h.mu.Unlock()
			lost, tables = append(lost, span{info.first, info.last}), append(tables, bounds)
			continue
		}
		h.mu.Lock()
		for _, l := range t.lost {
			if l.from == nil {
				l.from = info.first
			}
			if l.to == nil {
				l.to = info.last
			}
			if b := l.standIn(n); b != nil {
				h.standIns[place{file, l.at}] = b
				lost = append(lost, l.span)
			}
		}
		h.files[file] = fmt.Sprintf("%d of %d blocks can't be read; the table is kept as %s", len(t.lost), len(t.lost)+len(t.blocks), fsys.PathBase(kept))
		h.mu.Unlock()
		tables = append(tables, bounds)
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

// makeAgain writes a table of the blocks of one whose index can't be read, in its place. Where
// what deletes ranges of keys can't be read either, partitions that were deleted are known by
// their keys, and the rest is found; see heal.go.
func (h *health) makeAgain(fsys vfs.FS, dir string, t *table, info tableInfo) (err error) {
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
	f, err := h.room.Create(again, vfs.WriteCategoryUnspecified)
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
