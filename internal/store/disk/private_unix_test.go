//go:build unix

package disk

import (
	"io/fs"
	"path/filepath"
	"testing"
)

// TestPrivate: other users can't read a store, nor a backup, whatever directory they are in.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "a"), Options{})
	put(t, s, records(t, 20)...)
	if err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	files := 0
	for _, name := range []string{"a", "b"} {
		err := filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			files++
			if mode := info.Mode().Perm(); mode&0o077 != 0 && info.Size() > 0 || d.IsDir() && mode != 0o700 {
				t.Errorf("%s has the mode %o", path, mode)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if files < 10 {
		t.Errorf("only %d files", files)
	}
}
