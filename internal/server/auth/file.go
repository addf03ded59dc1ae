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

// A file keeps a value that several processes read and change. It is read again
// whenever it has changed; if it can't be read then, what was read before stays,
// and failed tells. One that isn't there is the zero value.
type file[T any] struct {
	path  string
	most  int64 // bytes
	parse func(path string, data []byte) (T, error)

	mu    sync.Mutex
	read  fs.FileInfo // of the file as it was read; nil for none
	value T
	err   error
}

// failed returns why the file could not be read the last time it had changed.
func (f *file[T]) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// get returns the value. It is shared: nobody changes it.
func (f *file[T]) get() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		var none T
		f.value, f.read, f.err = none, nil, nil
		return none
	}
	if err != nil {
		f.err = err
		return f.value
	}
	// Within the grain of the clock it may be another file with the same size.
	if f.read != nil && os.SameFile(f.read, info) && f.read.Size() == info.Size() && f.read.ModTime().Equal(info.ModTime()) {
		return f.value
	}
	value, err := f.load()
	// A file that is read while it is written by hand is read again.
	if f.err = err; err == nil {
		f.value, f.read = value, info
	}
	return f.value
}

func (f *file[T]) load() (value T, err error) {
	data, err := infile.ReadFile(context.Background(), f.path, f.most)
	if err != nil {
		return value, err
	}
	return f.parse(f.path, data)
}

// change replaces the content by what edit makes of the value, which is edit's
// own. The file is complete at any time, on the disk when change returns, and no
// two processes change it at once.
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

// writeFile replaces a file that the user alone may read. It is on the disk when
// writeFile returns.
func writeFile(path string, data []byte) error {
	return temporary.Replace(path, 0o600, func(f *os.File) error {
		_, err := f.Write(data)
		return errors.Join(err, ownAsFolder(f.Name()))
	})
}

// lockTimeout is how long a change of a file waits for another one.
const lockTimeout = 30 * time.Second

// errLocked is the error of a lock that another process has.
var errLocked = errors.New("another hone is changing it")

// lock takes a lock that ends with the process, and returns what gives it back.
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
