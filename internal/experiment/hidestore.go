package experiment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hone-go/hone/internal/temporary"
)

// HideStore keeps .hone, where runs lie by default, out of the user's git
// status, as caches of other tools do. A store elsewhere is the user's business.
func HideStore(store string) error {
	dir := filepath.Dir(store)
	if filepath.Base(dir) != ".hone" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	file := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return temporary.ReplaceText(file, 0o644, []byte("*\n"))
}
