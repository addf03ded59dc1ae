// Package durable gives files their names for good. A rename is in a directory,
// which is written to the disk when the system comes to it: until then a crash of
// the machine can take it back, also when the file itself was synced.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Rename renames a file or directory as [os.Rename] does. When it returns nil the
// new name outlasts a crash of the machine.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories can't be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil // some network file systems have no such thing
	}
	return errors.Join(err, d.Close())
}
