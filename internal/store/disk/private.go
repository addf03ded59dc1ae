package disk

import (
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// userFS is the file system of the operating system. Other users can't read what it creates.
var userFS vfs.FS = privateFS{vfs.Default}

// A privateFS creates directories and files that only their owner can read. Pebble asks for
// modes that let everyone read, and a backup may be outside the server's private directory.
type privateFS struct{ vfs.FS }

func (f privateFS) MkdirAll(dir string, perm os.FileMode) error {
	return f.FS.MkdirAll(dir, perm&^0o077)
}

func (f privateFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.FS.Create(name, category)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(name, 0o600); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
