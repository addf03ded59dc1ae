package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// writeFile writes a file whose content is durable. Its name is durable after syncDir.
func writeFile(fsys vfs.FS, name string, from io.Reader) error {
	f, err := fsys.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes the names in a directory durable.
func syncDir(fsys vfs.FS, dir string) error {
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// freeName returns a name that nothing has, beginning with one.
func freeName(fsys vfs.FS, name string) (string, error) {
	free := name
	for n := 2; ; n++ {
		if _, err := fsys.Stat(free); errors.Is(err, fs.ErrNotExist) {
			return free, nil
		} else if err != nil {
			return "", err
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// renameDir renames a directory for good.
func renameDir(fsys vfs.FS, from, to string) error {
	if err := fsys.Rename(from, to); err != nil {
		return err
	}
	return syncDir(fsys, fsys.PathDir(to))
}
