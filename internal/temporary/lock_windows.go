package temporary

import (
	"io"
	"os"
	"path/filepath"
	"time"
)

// renamesOpen: Windows renames and removes no open file, which tells whether the owner
// lives. A directory has such a file in it.
const renamesOpen = false

const lockName = "lock"

// loosen takes the file out of a directory that is to be removed or renamed.
func loosen(d *Dir) {
	d.lock.Close()
	os.Remove(filepath.Join(d.Path, lockName))
}

func holdDir(path string) (io.Closer, error) {
	return os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

func holdFile(*os.File) error { return nil } // it is open

func sweep(path string, dir bool) {
	if !dir {
		os.Remove(path)
		return
	}
	err := os.Remove(filepath.Join(path, lockName))
	if os.IsNotExist(err) {
		if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) < young {
			return
		}
		err = nil
	}
	if err == nil {
		removeAll(path)
	}
}
