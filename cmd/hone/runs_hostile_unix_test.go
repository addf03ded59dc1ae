//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-go/hone/internal/api"
)

// TestHostileRuns has runs among the others that can't be read, or not to their end: every
// verb that looks at runs ends, says which are bad, and does its work on the others.
func TestHostileRuns(t *testing.T) {
	runs := inModule(t)
	bad := func(id string, put func(file string) error) {
		dir := filepath.Join(runs, id)
		if err := errors.Join(os.Mkdir(dir, 0o777), put(filepath.Join(dir, "run.json"))); err != nil {
			t.Fatal(err)
		}
	}
	bad("20991101-000000-aaaa", func(file string) error { return syscall.Mkfifo(file, 0o600) })
	bad("20991102-000000-bbbb", func(file string) error { return os.Symlink("/dev/zero", file) })
	bad("20991103-000000-cccc", func(file string) error {
		return errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, 80<<20))
	})
	bad("20991104-000000-dddd", func(file string) error { return os.Mkdir(file, 0o700) })

	o := hone(t, "runs", "-json")
	var listed []api.ListedRun
	if err := json.Unmarshal([]byte(o.stdout), &listed); err != nil || len(listed) != 7 {
		t.Fatalf("%v: %+v", err, o)
	}
	for i, want := range []string{"is a directory", "run.json is too large: 80 MiB, the limit is 4 MiB", "is a device", "is a named pipe"} {
		if !strings.Contains(listed[i].Error, want) || !strings.Contains(listed[i].Error, listed[i].ID) {
			t.Errorf("%s: %q, want %s", listed[i].ID, listed[i].Error, want)
		}
	}
	for _, args := range [][]string{
		{"runs"}, {"compare", "latest"}, {"compare", baseRun, headRun}, {"top", "latest:Count/n=20-2/cpu"},
		{"diff", "latest:base/Count/n=20-2/cpu", "latest:Count/n=20-2/cpu"}, {"__complete", "top", "latest:"},
	} {
		if o := hone(t, args...); o.code != 0 && o.code != exitMissed {
			t.Errorf("%v: %+v", args, o)
		}
	}
	for _, id := range []string{"20991101", "20991102", "20991103", "20991104"} {
		if o := hone(t, "compare", id); o.code != exitFailure || !strings.Contains(o.stderr, id) {
			t.Errorf("compare %s: %+v", id, o)
		}
	}
	// The file of objectives is one more that somebody else may have written.
	if err := syscall.Mkfifo("hone.toml", 0o600); err != nil {
		t.Fatal(err)
	}
	if o := hone(t, "check", "latest"); o.code != exitFailure || !strings.Contains(o.stderr, "hone.toml is a named pipe: expected a regular file") {
		t.Errorf("check: %+v", o)
	}
}

// TestInterruptEndsReading: ^C ends verbs that read a pipe, and those that wait for one to be
// opened.
func TestInterruptEndsReading(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	silent, w := io.Pipe() // a standard input that says nothing
	defer w.Close()
	for _, args := range [][]string{
		{"top", "pipe"}, {"top", "-"}, {"compare", "pipe"}, {"compare", "-"}, {"pgo", "pipe"}, {"push", "-server", "http://127.0.0.1:1", "-service", "x", "pipe"},
		{"push", "-server", "http://127.0.0.1:1", "-service", "x", "-"}, {"wall", "pipe"}, {"flame", "-"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var stderr sharedBuffer
		a := &app{stdin: silent, stdout: io.Discard, stderr: &stderr, getenv: func(string) string { return "" }}
		ended := make(chan int)
		go func() { ended <- exitCode(ctx, a, args) }()
		cancel()
		if code := <-ended; code != exitFailure || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr.String())
		}
	}
}
