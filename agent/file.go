package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// file is a profile being written. It gets its name when it is complete.
type file struct {
	f      *os.File
	target string // absolute, links resolved: the program may change directory
	temp   string // "" if written in place: a device or a pipe
	err    error  // first failure of Write
}

// createFile creates the file that will become path.
func createFile(path string) (*file, error) {
	target, inPlace, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if inPlace {
		f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			return nil, err
		}
		return &file{f: f, target: target}, nil
	}
	// os.CreateTemp would make a file that only its owner can read.
	temp := target + "." + randomText()[:8] + ".partial"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	return &file{f: f, target: target, temp: temp}, nil
}

// randomText returns 16 characters that no other process gets either.
func randomText() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// resolve returns the file that path stands for, and whether it has to be
// written in place. Renaming a file onto /dev/null would replace the device,
// and onto a link the link.
func resolve(path string) (target string, inPlace bool, err error) {
	target, err = filepath.Abs(path)
	if err != nil {
		return "", false, err
	}
	for _, p := range []string{"/dev/fd/", "/dev/std", "/proc/"} {
		if strings.HasPrefix(target, p) {
			return target, true, nil // an open file, whatever it leads to
		}
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err := os.Lstat(target)
		return target, err == nil, nil // in place if a link to what does not exist yet
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return target, true, nil
	}
	target, err = filepath.EvalSymlinks(target)
	return target, false, err
}

// Write remembers its first failure: the CPU profiler and the tracer don't.
func (f *file) Write(b []byte) (int, error) {
	n, err := f.f.Write(b)
	if f.err == nil {
		f.err = err
	}
	return n, err
}

// commit gives the file its name, or removes it if it is not complete.
func (f *file) commit() error {
	err := f.err
	if closeErr := f.f.Close(); err == nil {
		err = closeErr
	}
	if f.temp == "" {
		return err
	}
	if err == nil {
		err = rename(f.temp, f.target)
	}
	if err != nil {
		_ = os.Remove(f.temp)
		return fmt.Errorf("%s was not written: %w", f.target, err)
	}
	return nil
}

func (f *file) discard() {
	_ = f.f.Close()
	if f.temp != "" {
		_ = os.Remove(f.temp)
	}
}

// rename renames a file for good: a crash of the machine could undo it until the
// directory is on the disk, too.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil // directories can't be synced there
	}
	dir, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil // some network file systems have no such thing
	}
	return errors.Join(err, dir.Close())
}
