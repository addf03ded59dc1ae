//go:build unix

package auth

import (
	"os"
	"path/filepath"
	"syscall"
)

// ownAsFolder gives a file that root made to the owner of the folder it is in:
// the server, which is someone else as a rule, is to read what hone token wrote.
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
