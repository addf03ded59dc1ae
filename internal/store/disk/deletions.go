package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A deletion is written twice: as a mark at the key of each partition, and to a separate file.
// If the table or log with the mark is lost, older tables still have the profiles. The file
// "deletions" is
//
//	version    byte: 1
//	n id*      varints, rising: the partitions
//	checksum   u32, little-endian, of all before
//
// A deletion is acknowledged when the file has it. A partition is removed from the file before
// its mark is, because a new partition may get its number.
const deletionsVersion = 1

// readDeletions reads the file with the deleted partitions. Without a file, there are none.
func readDeletions(fsys vfs.FS, dir string) ([]uint32, error) {
	f, err := fsys.Open(fsys.PathJoin(dir, deletionsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 64<<20))
	if err != nil {
		return nil, err
	}
	end := len(b) - 4
	if end < 1 || crc(b[:end]) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, fmt.Errorf("the file %s is damaged", deletionsFile)
	}
	if b[0] != deletionsVersion {
		return nil, fmt.Errorf("the file %s has version %d: %w", deletionsFile, b[0], format.ErrVersion)
	}
	r := format.NewReader(b[1:end])
	ids := make([]uint32, r.Count(1))
	for i := range ids {
		ids[i] = uint32(r.Uvarint())
	}
	return ids, r.Err()
}

// writeDeletions writes the file with the deleted partitions, or removes it if there are none.
func writeDeletions(fsys vfs.FS, dir string, ids []uint32) error {
	name := fsys.PathJoin(dir, deletionsFile)
	if len(ids) == 0 {
		if err := fsys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return syncDir(fsys, dir)
	}
	b := binary.AppendUvarint([]byte{deletionsVersion}, uint64(len(ids)))
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id))
	}
	b = binary.LittleEndian.AppendUint32(b, crc(b))
	again := fsys.PathJoin(dir, againPrefix+deletionsFile)
	if err := writeFile(fsys, again, bytes.NewReader(b)); err != nil {
		return err
	}
	if err := fsys.Rename(again, name); err != nil {
		return err
	}
	return syncDir(fsys, dir)
}

// findDeletions reads the file with the deleted partitions. It keeps a damaged file under
// another name; the marks in the partitions have the same information.
func findDeletions(fsys vfs.FS, dir string, log *slog.Logger) ([]uint32, error) {
	ids, err := readDeletions(fsys, dir)
	if err == nil || errors.Is(err, format.ErrVersion) {
		return ids, err
	}
	log.Error("the list of deleted services is damaged; hone reads it from the tables instead", "error", err)
	name := fsys.PathJoin(dir, deletionsFile)
	return nil, fsys.Rename(name, fsys.PathJoin(dir, keptPrefix+deletionsFile))
}
