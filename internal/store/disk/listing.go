package disk

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
)

// Names of files of a store.
const (
	tableExt       = ".sst"
	parityExt      = ".parity" // of a table
	manifestPrefix = "MANIFEST-"
	copyExt        = ".tables" // of a manifest
	deletionsFile  = "deletions"
	lockName       = "LOCK" // Pebble's, which the process locks that has the store open
)

// A listing is the files in a directory by kind.
type listing struct {
	tables, logs       map[uint64]string // by number
	parities           map[uint64]string // by number of their table
	copies             map[uint64]string // of manifests, by number
	manifests, options []string          // by rising number
	markers            []string
	deletions          []string // that file, if it is there
}

func listFiles(fsys vfs.FS, dir string) (*listing, error) {
	names, err := fsys.List(dir)
	if err != nil {
		return nil, err
	}
	l := &listing{tables: map[uint64]string{}, logs: map[uint64]string{}, parities: map[uint64]string{}, copies: map[uint64]string{}}
	slices.Sort(names) // numbers have leading zeros
	for _, name := range names {
		stem, kind, _ := strings.Cut(name, ".")
		n, err := strconv.ParseUint(stem, 10, 64)
		switch {
		case err == nil && kind == "sst":
			l.tables[n] = name
		case err == nil && "."+kind == parityExt:
			l.parities[n] = name
		case err == nil && kind == "log":
			l.logs[n] = name
		case err == nil && "."+kind == copyExt:
			l.copies[n] = name
		case kind == "" && strings.HasPrefix(name, manifestPrefix):
			l.manifests = append(l.manifests, name)
		case kind == "" && strings.HasPrefix(name, "OPTIONS-"):
			l.options = append(l.options, name)
		case strings.HasPrefix(name, "marker."):
			l.markers = append(l.markers, name)
		case name == deletionsFile:
			l.deletions = append(l.deletions, name)
		}
	}
	return l, nil
}

// holds reports whether the directory has, or had, a store.
func (l *listing) holds() bool {
	return len(l.tables)+len(l.manifests)+len(l.markers) > 0
}

// currentManifest returns the name of the current manifest, "" if there is no marker for it.
func currentManifest(fsys vfs.FS, dir string) (string, error) {
	return atomicfs.ReadMarker(fsys, dir, "manifest")
}

// parityName returns the name of a table's parity file.
func parityName(name string) string { return strings.TrimSuffix(name, tableExt) + parityExt }

// copyName returns the name of the copy of a manifest.
func copyName(fsys vfs.FS, name string) string {
	return fsys.PathJoin(fsys.PathDir(name), strings.TrimPrefix(fsys.PathBase(name), manifestPrefix)+copyExt)
}
