//go:build unix

package infile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpenTakesRegularFilesAlone has every kind of file where a regular one is expected. A
// wrong answer for the pipe or the device is a test that never ends.
func TestOpenTakesRegularFilesAlone(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("text"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the path of a socket has to be short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for to, link := range map[string]string{"/dev/zero": "zero", "pipe": "link-to-pipe", "text": "link-to-text", "gone": "dangling"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"text": "", "link-to-text": "",
		"pipe": "is a named pipe: expected a regular file", "link-to-pipe": "is a named pipe: expected a regular file",
		"zero": "is a device: expected a regular file", ".": "is a directory: expected a regular file",
		"socket": "is a socket: expected a regular file", "dangling": "no such file",
	} {
		data, err := ReadFile(t.Context(), at(name), 100)
		switch {
		case want == "" && (err != nil || string(data) != "text"):
			t.Errorf("%s: %q, %v", name, data, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir)):
			t.Errorf("%s: %v, want %s", name, err, want)
		case want != "" && name != "dangling" && !errors.Is(err, ErrNotRegular):
			t.Errorf("%s: %v is not ErrNotRegular", name, err)
		}
	}
}

func TestReadFileIsBounded(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(name, bytes.Repeat([]byte("x"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(t.Context(), name, 1000); err != nil || len(data) != 1000 {
		t.Errorf("at its limit: %d bytes, %v", len(data), err)
	}
	if err := os.Truncate(name, 1<<40); err != nil {
		t.Skip(err) // no sparse files here
	}
	_, err := ReadFile(t.Context(), name, 20<<20)
	var tooLarge *SizeError
	if !errors.As(err, &tooLarge) || err.Error() != name+" is too large: 1048576 MiB, the limit is 20 MiB" {
		t.Errorf("a terabyte: %v", err)
	}
	// Files of /proc have no size to be told by.
	if _, err := os.Stat("/proc/self/environ"); err == nil {
		if _, err := ReadFile(t.Context(), "/proc/self/environ", 1); !errors.As(err, &tooLarge) {
			t.Errorf("a file without a size: %v", err)
		}
	}
}

// TestContextEndsReads: a pipe that nobody writes to is opened and read until the context ends.
func TestContextEndsReads(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error)
	go func() {
		_, err := OpenAny(ctx, pipe)
		opened <- err
	}()
	cancel()
	if err := <-opened; !errors.Is(err, context.Canceled) {
		t.Errorf("opening ended with %v", err)
	}

	w, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel = context.WithCancel(t.Context())
	r, err := OpenAny(ctx, pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("some")
	some := make([]byte, 4)
	if _, err := io.ReadFull(r, some); err != nil || string(some) != "some" {
		t.Fatalf("%q, %v", some, err)
	}
	read := make(chan error)
	go func() {
		_, err := r.Read(some)
		read <- err
	}()
	cancel()
	if err := <-read; !errors.Is(err, context.Canceled) {
		t.Errorf("reading ended with %v", err)
	}
}

// TestReaderPassesAllOn: in small parts, with the error at the end.
func TestReaderPassesAllOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	text := strings.Repeat("0123456789", 20_000)
	r := Reader(ctx, strings.NewReader(text))
	var b strings.Builder
	if _, err := io.CopyBuffer(struct{ io.Writer }{&b}, struct{ io.Reader }{r}, make([]byte, 7)); err != nil || b.String() != text {
		t.Errorf("%d bytes of %d, %v", b.Len(), len(text), err)
	}
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

// TestNamedIsBounded: what a user names may be a pipe, and ends at the limit or with the
// context, also where it has no end.
func TestNamedIsBounded(t *testing.T) {
	dir := t.TempDir()
	pipe, regular := filepath.Join(dir, "pipe"), filepath.Join(dir, "text")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(regular, []byte("0123456789"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var tooLarge *SizeError
	for _, name := range []string{"/dev/zero", regular} {
		if _, err := ReadAny(t.Context(), name, 9); !errors.As(err, &tooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		in, err := OpenText(t.Context(), name, 9)
		if err == nil {
			_, err = io.Copy(io.Discard, in)
			in.Close()
		}
		if !errors.As(err, &tooLarge) {
			t.Errorf("%s, bit by bit: %v", name, err)
		}
	}
	if _, err := ReadAny(t.Context(), dir, 9); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
	go os.WriteFile(pipe, []byte("\ufefftext"), 0)
	if text, err := ReadAnyText(t.Context(), pipe, 9); err != nil || string(text) != "text" {
		t.Errorf("a pipe: %q, %v", text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := ReadAnyText(ctx, pipe, 9)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a pipe that nobody writes to: %v", err)
	}
}
