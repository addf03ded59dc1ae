//go:build unix

package symbol

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/profile"
)

// TestFolders checks that a server opens executables in its folders alone, whatever
// names a profile has, and waits for no named pipe.
func TestFolders(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	dir, outside := filepath.Join(top, "binaries"), filepath.Join(top, "outside")
	for _, file := range []string{filepath.Join(dir, "app"), filepath.Join(dir, "opt", "tool"), filepath.Join(outside, "secret")} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, program, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600), os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	f, err := Open(own)
	if err != nil {
		t.Fatal(err)
	}
	id := f.BuildID()
	f.Close()
	for _, test := range []struct {
		name    string
		mapping profile.Mapping
		opens   bool
	}{
		{"by its base name", profile.Mapping{File: "/srv/app"}, true},
		{"by its whole name", profile.Mapping{File: filepath.Join(dir, "app")}, true},
		{"below the folder", profile.Mapping{File: "/opt/tool"}, true},
		{"with its build ID", profile.Mapping{File: "/srv/app", BuildID: id}, true},
		{"with another build ID", profile.Mapping{File: "/srv/app", BuildID: "0123456789abcdef"}, false},
		{"outside", profile.Mapping{File: filepath.Join(outside, "secret")}, false},
		{"up and outside", profile.Mapping{File: "../outside/secret"}, false},
		{"by a build ID that leads outside", profile.Mapping{File: "secret", BuildID: "../outside"}, false},
		{"a link outside", profile.Mapping{File: "link"}, false},
		{"a named pipe", profile.Mapping{File: "pipe"}, false},
		{"a folder", profile.Mapping{File: "opt"}, false},
		{"nothing", profile.Mapping{}, false},
	} {
		ends := make(chan error, 1)
		go func() {
			f, err := Folders{filepath.Join(top, "nosuch"), dir}.Open(&test.mapping)
			if err == nil {
				f.Close()
			}
			ends <- err
		}()
		select {
		case err := <-ends:
			if (err == nil) != test.opens {
				t.Errorf("%s: %v", test.name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it hangs", test.name)
		}
	}
	if _, err := (Folders{}).Open(&profile.Mapping{File: own}); err == nil {
		t.Error("a server without folders opens binaries")
	}
}

// TestOpenDoesNotWait checks that a named pipe is no executable, and that nobody
// waits for its writer.
func TestOpenDoesNotWait(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ends := make(chan error, 1)
	go func() {
		_, err := Open(pipe)
		ends <- err
	}()
	select {
	case err := <-ends:
		if !errors.Is(err, ErrFormat) {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it hangs")
	}
}
