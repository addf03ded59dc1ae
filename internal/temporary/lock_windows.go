package temporary

import (
	"io"
	"os"
	"path/filepath"
	"time"
)

// renamesOpen: Windows can't rename or remove an open file, which shows whether the owner
// is alive. A directory contains such a file.
const renamesOpen = false

const lockName = "lock"

// loosen removes the lock from a directory before it is removed or renamed.
func loosen(dir string, lock io.Closer) {
	lock.Close()
	os.Remove(filepath.Join(dir, lockName))
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
		undoIn(path)
		removeAll(path)
	}
}
