//go:build unix

package temporary

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// renamesOpen: a file stays locked until it is renamed.
const renamesOpen = true

// loosen does nothing: the directory itself is locked, and can be removed or renamed.
func loosen(string, io.Closer) {}

func holdDir(path string) (io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := holdFile(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// holdFile locks an open file or directory until it is closed. The error is errSwept if
// another process was faster.
func holdFile(f *os.File) error {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errSwept
	case err != nil:
		return nil // a file system without locks: no one else can lock it either
	}
	if !named(f) {
		return errSwept
	}
	return nil
}

// named reports whether a file still has its name.
func named(f *os.File) bool {
	now, err := os.Lstat(f.Name())
	if err != nil {
		return false
	}
	mine, err := f.Stat()
	return err == nil && os.SameFile(now, mine)
}

// sweep removes a file or directory that no one has locked. It must belong to this user: in
// a shared directory, other users may have put something else under the name.
func sweep(path string, dir bool) {
	access := syscall.O_RDWR // some network file systems need it for locks
	if dir {
		access = syscall.O_RDONLY
	}
	fd, err := syscall.Open(path, access|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err == syscall.EACCES && !dir { // the file is read-only
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return
	}
	if syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) != nil || !named(f) {
		return
	}
	if dir {
		// Builds before this package locked a file in the directory.
		if lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0); err == nil {
			defer lock.Close()
			if errors.Is(syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
				return
			}
		}
		undoIn(path)
		removeAll(path)
	} else {
		os.Remove(path)
	}
}
