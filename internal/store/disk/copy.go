package disk

import (
	"bytes"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A manifest is written twice: 000123.tables is a copy of MANIFEST-000123. Without the list of
// tables, nobody can tell for certain which of the tables that a kill leaves were replaced, so
// recovery, verify and repair read the copy where the manifest is damaged. The copy is not
// synced. It is relied on only if the logs go on where it ends.
const (
	manifestPrefix = "MANIFEST-"
	copyExt        = ".tables"
)

// copyName returns the name of the copy of a manifest.
func copyName(fsys vfs.FS, manifest string) string {
	return fsys.PathJoin(fsys.PathDir(manifest), strings.TrimPrefix(fsys.PathBase(manifest), manifestPrefix)+copyExt)
}

// A listWriter is a manifest that is being written, with its copy.
type listWriter struct {
	vfs.File
	space *space
	name  string   // of the copy
	copy  vfs.File // nil if it could not be written
}

func newListWriter(f vfs.File, r *space, manifest string) *listWriter {
	w := &listWriter{File: f, space: r, name: copyName(r.FS, manifest)}
	if !r.stopped() {
		w.copy, _ = r.FS.Create(w.name, vfs.WriteCategoryUnspecified) // a store is good without
	}
	return w
}

// Write writes the copy first, so that after a kill it is not behind.
func (f *listWriter) Write(p []byte) (int, error) {
	if f.copy != nil && !f.space.stopped() {
		if _, err := f.copy.Write(bytes.Clone(p)); err != nil { // what is written to may change it
			f.copy.Close()
			f.copy = nil
			f.space.FS.Remove(f.name)
		}
	}
	return f.File.Write(p)
}

func (f *listWriter) Close() error {
	if f.copy != nil {
		f.copy.Close()
	}
	return f.File.Close()
}

// readCopy reads the copy of a manifest, and returns nil if there is none that tells which
// tables the store has.
func readCopy(fsys vfs.FS, dir, name string, l *listing) *manifest {
	c := readManifest(fsys, dir, fsys.PathBase(copyName(fsys, name)))
	if c.uncertain(fsys, dir, l) != nil {
		return nil
	}
	return c
}
