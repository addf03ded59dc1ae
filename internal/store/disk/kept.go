package disk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Files that hone puts right stay beside the store as they were, so that nothing is destroyed
// that a person could still read. They have keptPrefix before their name. What takes their place
// is written under a name with another prefix first, which a crash may leave.
const (
	keptPrefix   = "damaged-"
	againPrefix  = "again-"
	mendedPrefix = "mended-"
	shorterLog   = "shorter-log"
	// maxKept and maxKeptBytes bound what is kept. The files changed last stay, one at least.
	maxKept      = 16
	maxKeptBytes = 64 << 20
)

// sweep removes incomplete files that a crash left, and the oldest kept files beyond the
// limits.
func sweep(fsys vfs.FS, dir string) error {
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	var kept []keptFile
	for _, name := range names {
		path := fsys.PathJoin(dir, name)
		switch {
		case strings.HasPrefix(name, againPrefix), strings.HasPrefix(name, mendedPrefix), name == shorterLog:
			if err := fsys.Remove(path); err != nil {
				return err
			}
		case strings.HasPrefix(name, keptPrefix):
			info, err := fsys.Stat(path)
			if err != nil {
				return err
			}
			kept = append(kept, keptFile{path, info.Size(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(kept, func(a, b keptFile) int {
		return cmp.Or(cmp.Compare(b.changed, a.changed), strings.Compare(b.path, a.path))
	})
	bytes := int64(0)
	for i, f := range kept {
		if bytes += f.size; i > 0 && (i >= maxKept || bytes > maxKeptBytes) {
			if err := fsys.Remove(f.path); err != nil {
				return err
			}
		}
	}
	return nil
}

type keptFile struct {
	path    string
	size    int64
	changed int64 // ns since 1970
}
