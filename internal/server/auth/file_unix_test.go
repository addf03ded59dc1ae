//go:build unix

package auth

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestFilesAreTheServers checks that what root writes into the data directory
// can be read by whom that belongs to.
func TestFilesAreTheServers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root alone gives files away")
	}
	dir := t.TempDir()
	const someone = 12345
	if err := os.Chown(dir, someone, someone); err != nil {
		t.Skip(err)
	}
	tokens, err := OpenTokens(filepath.Join(dir, "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := tokens.Add("a", Read, nil, time.Time{}); err != nil {
		t.Fatal(err)
	}
	audit, err := OpenAudit(filepath.Join(dir, "audit.log"), 0, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer audit.Close()
	for _, name := range []string{"tokens.json", "audit.log"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; owner != someone {
			t.Errorf("%s belongs to %d", name, owner)
		}
	}
}
