package disk

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A gap is an unreadable part of a log, followed by readable records. Pebble refuses to
// open a store with a gap, or takes it for the end of the log. The records before the gap
// are the store as it was at that time. The records after it can't just be applied to
// that: they may sum up, number and delete what was lost in the gap.
type gap struct {
	log  uint64 // its number
	name string // of its file
	at   int64  // byte
}

func (g *gap) Error() string {
	return fmt.Sprintf("%s can't be read at byte %d, but continues after it", g.name, g.at)
}

// Unwrap makes a gap an error of damaged data.
func (g *gap) Unwrap() error { return format.ErrDamaged }

// findGap returns the first gap in the logs of a store, or nil. The end of the last log is
// not a gap, even if a crash left it incomplete: chunks say up to which byte the log was
// durable when they were written. Unless it is nil, mended is called for logs with wrong
// bits that can be corrected.
func findGap(fsys vfs.FS, dir string, l *listing, m *manifest, mended func(log string, wrong map[int64]byte) error) (found *gap, err error) {
	for _, n := range l.live(m) {
		f, err := fsys.Open(fsys.PathJoin(dir, l.logs[n]))
		if err != nil {
			return nil, err
		}
		r := newChunkReader(f, n)
		for err == nil {
			_, err = r.next()
			if r.bad >= 0 && found == nil {
				found = &gap{log: n, name: l.logs[n], at: r.bad}
			}
			if found != nil && (r.durable > found.at && n == found.log || err == nil && n > found.log) {
				f.Close()
				return found, nil
			}
		}
		f.Close()
		if !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", l.logs[n], err)
		}
		if mended != nil && len(r.wrong) > 0 {
			if err := mended(l.logs[n], r.wrong); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// cutLog makes a copy of a store, and ends its log where the gap begins. Tables don't
// change, so the copy has them as links. A crash at any time leaves the copy, or the
// gap.
func cutLog(fsys vfs.FS, dir, to string, g *gap) error {
	l, err := listFiles(fsys, dir)
	if err != nil {
		return err
	}
	if err := copyStore(fsys, dir, to, l); err != nil {
		return err
	}
	for n, name := range l.logs {
		if n > g.log {
			if err := fsys.Remove(fsys.PathJoin(dir, name)); err != nil {
				return err
			}
		}
	}
	from, err := fsys.Open(fsys.PathJoin(dir, g.name))
	if err != nil {
		return err
	}
	defer from.Close()
	short := fsys.PathJoin(dir, shorterLog)
	if err := writeFile(fsys, short, io.LimitReader(from, g.at)); err != nil {
		return err
	}
	if err := fsys.Rename(short, fsys.PathJoin(dir, g.name)); err != nil {
		return err
	}
	return syncDir(fsys, dir)
}

// copyStore copies the files of a store, all or none.
func copyStore(fsys vfs.FS, dir, to string, l *listing) (err error) {
	begun := to + ".part"
	if err := fsys.RemoveAll(begun); err != nil { // of a copy that was killed
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, fsys.RemoveAll(begun))
		}
	}()
	if err := fsys.MkdirAll(begun, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Concat(slices.Collect(maps.Values(l.tables)), slices.Collect(maps.Values(l.parities))) {
		if err := vfs.LinkOrCopy(fsys, fsys.PathJoin(dir, name), fsys.PathJoin(begun, name)); err != nil {
			return err
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Values(l.logs)), slices.Collect(maps.Values(l.copies)), l.manifests, l.options, l.markers, l.deletions) {
		from, err := fsys.Open(fsys.PathJoin(dir, name))
		if err != nil {
			return err
		}
		err = writeFile(fsys, fsys.PathJoin(begun, name), from)
		from.Close()
		if err != nil {
			return err
		}
	}
	if err := syncDir(fsys, begun); err != nil {
		return err
	}
	return renameDir(fsys, begun, to)
}
