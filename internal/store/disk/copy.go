package disk

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A manifest is written twice: 000123.tables is a copy of MANIFEST-000123. Without the list of
// tables, it is uncertain which of the tables in the directory were replaced. So recovery,
// verify and repair read the copy if the manifest is damaged. The copy is not synced. They use
// it only if the logs continue where it ends.

// A listWriter writes a manifest and its copy.
type listWriter struct {
	vfs.File
	fs      vfs.FS
	stopped func() bool // whether nothing is written any more
	name    string      // of the copy
	copy    vfs.File    // nil if it could not be written
}

func newListWriter(f vfs.File, fsys vfs.FS, stopped func() bool, manifest string) *listWriter {
	w := &listWriter{File: f, fs: fsys, stopped: stopped, name: copyName(fsys, manifest)}
	if !stopped() {
		w.copy, _ = fsys.Create(w.name, vfs.WriteCategoryUnspecified) // a store is good without
	}
	return w
}

// Write writes the copy first, so that after a kill the copy is never older.
func (f *listWriter) Write(p []byte) (int, error) {
	if f.copy != nil && !f.stopped() {
		if _, err := f.copy.Write(bytes.Clone(p)); err != nil { // what is written to may change it
			f.copy.Close()
			f.copy = nil
			f.fs.Remove(f.name)
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

// readCopy reads the copy of a manifest. It returns nil if no copy says which tables the store
// has.
func readCopy(fsys vfs.FS, dir, name string, l *listing) *manifest {
	c := readManifest(fsys, dir, fsys.PathBase(copyName(fsys, name)))
	if c.uncertain(fsys, dir, l) != nil {
		return nil
	}
	return c
}
