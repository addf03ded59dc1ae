package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestKilledWriting kills hone fix while it writes the source: the source keeps its old text,
// and the next run removes what was written, and what an older hone left so.
func TestKilledWriting(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	// So large that the kill comes before all of it is written.
	after := fastSum + "\n/*" + strings.Repeat("x", 2<<20) + "*/\n"
	m := newKilledModule(t, after)
	events, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(events)
	if _, err := unix.InotifyAddWatch(events, m.dir, unix.IN_CREATE); err != nil {
		t.Fatal(err)
	}
	made := make(chan bool) // a temporary file
	go func() {
		for buf := make([]byte, 4096); ; {
			n, err := unix.Read(events, buf)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil: // closed
				return
			case bytes.Contains(buf[:n], []byte(".hone-tmp-")):
				made <- true
			}
		}
	}()
	// Each time, the kernel decides whether the kill comes in time.
	const tries = 10
	for try := 1; ; try++ {
		cmd, out := m.start("fix", "-dirty", "-count", "6", "-benchtime", "2ms", "test-123456")
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-made:
			cmd.Process.Kill() // unless it has just ended
			<-ended
		case <-ended:
			if cmd.ProcessState.ExitCode() != exitMissed {
				t.Fatalf("hone fix: %v\n%s", cmd.ProcessState, out)
			}
			t.Skipf("SKIPPED: this machine is too busy to confirm the rewrite, which comes before it is written:\n%s", out)
		}
		torn := false
		for _, name := range glob(t, filepath.Join(m.dir, ".hone-tmp-*")) {
			if info, err := os.Stat(name); err == nil && info.Size() < int64(len(after)) {
				torn = true
			}
		}
		if torn {
			t.Logf("killed in the middle of the file, at try %d", try)
			break
		}
		if try == tries {
			t.Fatalf("none of %d kills came while the file was written", tries)
		}
		write(t, m.source, slowSum)
	}
	if text, err := os.ReadFile(m.source); err != nil || string(text) != slowSum {
		t.Fatalf("the source is not what it was: %v, %d bytes", err, len(text))
	}
	older := filepath.Join(m.dir, ".hone-fix-2596996162")
	write(t, older, slowSum[:20])
	if hour := time.Now().Add(-time.Hour); os.Chtimes(older, hour, hour) != nil {
		t.Fatal("the time of the older file can't be set")
	}
	cmd, out := m.start("fix", "-dirty", "-check", "test-123456")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the next run: %v\n%s", err, out)
	}
	filepath.WalkDir(m.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && (strings.Contains(e.Name(), "hone-tmp-") || strings.Contains(e.Name(), "hone-fix-")) {
			t.Errorf("the next run leaves %s", path)
		}
		return nil
	})
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}
