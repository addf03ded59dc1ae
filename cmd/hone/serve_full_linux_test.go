package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/freeport"
)

// A server that starts on a full disk says so, lives, and ends when it is told to,
// or goes on when there is room.
func TestServeStartsOnFullDisk(t *testing.T) {
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("SKIPPED, as this needs a file system that can be filled, and mounting one failed (%v): run it as root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	data := filepath.Join(small, "data")
	config := writeConfig(t, "[store]\nmin_free = \"1B\"\n")
	startServe(t, data, "-config", config).end()

	filler := filepath.Join(small, "filler")
	os.WriteFile(filler, bytes.Repeat([]byte("x"), 8<<20), 0o600) // as much as fits
	free, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	addr := free[0]
	get := func(path string) (status int) {
		r, err := http.Get("http://" + addr + path)
		if err != nil {
			return 0
		}
		r.Body.Close()
		return r.StatusCode
	}
	wait := func(what string, reached func() bool) {
		t.Helper()
		for start := time.Now(); !reached(); time.Sleep(20 * time.Millisecond) {
			if time.Since(start) > time.Minute {
				t.Fatal(what)
			}
		}
	}
	for _, room := range []bool{false, true} {
		// A process of its own, which a signal ends.
		cmd := bombedHone(t, "serve", "-listen", addr, "-data", data, "-config", config)
		var stderr sharedBuffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait("it doesn't answer", func() bool { return get("/healthz") == 200 })
		if status := get("/readyz"); status != 503 {
			t.Errorf("/readyz answers %d", status)
		}
		if !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("the log doesn't say why:\n%s", stderr.String())
		}
		if room {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			wait("it doesn't become ready", func() bool { return get("/readyz") == 200 })
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		if err := cmd.Wait(); err != nil {
			t.Errorf("room %v: it ended with %v:\n%s", room, err, stderr.String())
		}
		late.Stop()
	}
}
