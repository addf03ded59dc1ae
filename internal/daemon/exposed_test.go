//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"testing"
)

func TestExposed(t *testing.T) {
	data := t.TempDir()
	store := filepath.Join(data, "store")
	if err := os.Mkdir(store, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data, store os.FileMode
		want        bool
	}{{0o755, 0o755, true}, {0o711, 0o755, true}, {0o750, 0o755, false}, {0o755, 0o700, false}, {0o700, 0o755, false}} {
		if os.Chmod(data, test.data) != nil || os.Chmod(store, test.store) != nil {
			t.Fatal("the modes can't be changed")
		}
		if got := exposed(data); got != test.want {
			t.Errorf("%o with a store of %o: %v", test.data, test.store, got)
		}
	}
	if exposed(filepath.Join(data, "none")) {
		t.Error("a directory that isn't there")
	}
}
