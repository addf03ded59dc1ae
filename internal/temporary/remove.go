package temporary

import (
	"fmt"
	"os"
	"path/filepath"
)

// removeAll also removes read-only folders.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("can't remove a temporary directory: %w", err)
	}
	return nil
}
