package auth

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/temporary"
)

// A file has a value that several processes read and change. It is read again
// whenever it has changed. If that fails, the previous value stays, and failed
// returns the error. A missing file has the zero value.
type file[T any] struct {
	path  string
	most  int64 // bytes
	parse func(path string, data []byte) (T, error)

	mu    sync.Mutex
	read  fs.FileInfo // info of the file when it was read; nil if there was none
	value T
	err   error
}

// failed returns the error of reading the file after its last change.
func (f *file[T]) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// get returns the value. Callers share it and must not change it.
func (f *file[T]) get() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		var none T
		// A removed file has no values. A removed directory was hardly meant.
		if f.read != nil || f.err != nil {
			f.err = missingDirectory(f.path)
		}
		f.value, f.read = none, nil
		return none
	}
	if err != nil {
		f.err = err
		return f.value
	}
	// Within the resolution of the file's time, another file of the same size looks the same.
	if f.read != nil && os.SameFile(f.read, info) && f.read.Size() == info.Size() && f.read.ModTime().Equal(info.ModTime()) {
		return f.value
	}
	value, err := f.load()
	// A file that someone is still editing is read again.
	if f.err = err; err == nil {
		f.value, f.read = value, info
	}
	return f.value
}

// missingDirectory returns an ErrGone if the directory of a file is missing.
func missingDirectory(path string) error {
	if dir := filepath.Dir(path); !exists(dir) {
		return fmt.Errorf("%w: %s", ErrGone, dir)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func (f *file[T]) load() (value T, err error) {
	data, err := infile.ReadFile(context.Background(), f.path, f.most)
	if err != nil {
		return value, err
	}
	return f.parse(f.path, data)
}

// change replaces the content with the result of edit, which owns its argument.
// Readers never see a partial file, the file is on disk when change returns, and
// only one process changes it at once.
func (f *file[T]) change(edit func(T) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	unlock, err := lock(f.path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	value, err := f.load()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	data, err := edit(value)
	if err != nil {
		return err
	}
	if err := writeFile(f.path, data); err != nil {
		return err
	}
	f.get()
	return nil
}

// writeFile replaces a file that only its owner may read. The file is on disk when
// writeFile returns.
func writeFile(path string, data []byte) error {
	return temporary.Replace(path, 0o600, func(f *os.File) error {
		_, err := f.Write(data)
		return errors.Join(err, ownAsFolder(f.Name()))
	})
}

// lockTimeout is how long a change of a file waits for another process.
const lockTimeout = 30 * time.Second

// lock takes a lock, and returns a function that releases it. The lock also ends
// with the process.
func lock(path string) (unlock func(), err error) {
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		f, err := tryLock(path)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, errLocked) || time.Since(start) > lockTimeout {
			return nil, fmt.Errorf("%s can't be locked: %w", path, err)
		}
	}
}
