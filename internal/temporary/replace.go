package temporary

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hone-go/hone/internal/durable"
)

// Replace replaces the content of a file in one step: readers see the old or the new one,
// even if hone is killed. The content is on disk when Replace returns. write gets an empty
// file that only the owner can read; mode is the final mode.
func Replace(path string, mode fs.FileMode, write func(*os.File) error) error {
	folder := filepath.Dir(path)
	Sweep(folder)
	for range tries {
		f, err := os.CreateTemp(folder, hidden)
		if err != nil {
			return err
		}
		switch err := holdFile(f); {
		case errors.Is(err, errSwept):
			f.Close()
			continue
		case err != nil:
			return errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
		return fill(f, path, mode, write)
	}
	return errSwept
}

// fill writes the file, which is locked, and renames it.
func fill(f *os.File, path string, mode fs.FileMode, write func(*os.File) error) (err error) {
	defer func() {
		f.Close() // a second time on success
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(mode), f.Sync()); err != nil {
		return err
	}
	if !renamesOpen {
		if err := f.Close(); err != nil {
			return err
		}
	}
	return durable.Rename(f.Name(), path)
}

// ReplaceText is Replace for a text.
func ReplaceText(path string, mode fs.FileMode, text []byte) error {
	return Replace(path, mode, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}
