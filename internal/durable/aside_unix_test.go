//go:build unix

package durable

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe that nobody writes to is not waited for.
func TestLoadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if found, damage, err := Load(path, 10, func([]byte) error { return nil }); found || damage == nil || err != nil {
		t.Errorf("%v, %v, %v, want it to be set aside", found, damage, err)
	}
}
