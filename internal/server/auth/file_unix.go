//go:build unix

package auth

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// ownAsFolder gives a file that root created to the owner of its folder. Then a
// server that runs as another user can read what hone token wrote.
func ownAsFolder(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
		return os.Chown(path, int(st.Uid), int(st.Gid))
	}
	return nil
}

func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err = ownAsFolder(path); err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errLocked
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
