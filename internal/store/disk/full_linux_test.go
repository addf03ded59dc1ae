package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// smallMount mounts a file system of a size in bytes.
func smallMount(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("SKIPPED, as this needs a file system that can be filled, and mounting one failed (%v): run it as root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill leaves no room in a directory, and returns what makes it again.
func fill(t *testing.T, dir string) (empty func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1<<16)
	for len(b) > 0 {
		if _, err := f.Write(b); errors.Is(err, syscall.ENOSPC) {
			b = b[:len(b)/2]
		} else if err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}

func TestBackupOnFullDisk(t *testing.T) {
	all := records(t, 60)
	for _, where := range []string{"the store's", "the copy's"} {
		t.Run(where, func(t *testing.T) {
			small := smallMount(t, "4m")
			dir, to := filepath.Join(small, "d"), filepath.Join(small, "b")
			if where == "the copy's" {
				dir = filepath.Join(t.TempDir(), "d")
			}
			s := open(t, dir, Options{MinFree: 1})
			put(t, s, all[:40]...)
			empty := fill(t, small)
			begin := time.Now()
			err := s.Backup(t.Context(), to)
			if !errors.Is(err, store.ErrFull) {
				t.Errorf("got %v, want that there is no room", err)
			}
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("it took %v to say so", took)
			}
			for start := time.Now(); ; time.Sleep(10 * time.Millisecond) { // what is under way goes when it is done
				if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
					break
				} else if time.Since(start) > time.Minute {
					t.Fatal("something is left of the copy")
				}
			}
			empty()
			time.Sleep(110 * time.Millisecond) // as long as a look is good for
			for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
				if err = s.Put(t.Context(), all); err == nil {
					break
				} else if !errors.Is(err, store.ErrFull) || time.Since(start) > time.Minute {
					t.Fatal(err)
				}
			}
			wantSame(t, s, all)
			closeStore(t, s)
		})
	}
}

func TestOpenOnFullDisk(t *testing.T) {
	small := smallMount(t, "4m")
	dir := filepath.Join(small, "d")
	s := open(t, dir, Options{MinFree: 1})
	all := records(t, 20)
	put(t, s, all...)
	closeStore(t, s)
	empty := fill(t, small)
	// It ends when it is told to.
	ctx, end := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer end()
	if s, err := OpenContext(ctx, dir, Options{MinFree: 1, PackAfter: -1}); err == nil {
		t.Error("it opened without room")
		s.Close()
	}
	// And begins when there is room.
	opened := make(chan error, 1)
	go func() {
		var err error
		s, err = OpenContext(t.Context(), dir, Options{MinFree: 1, PackAfter: -1})
		opened <- err
	}()
	time.Sleep(100 * time.Millisecond)
	empty()
	select {
	case err := <-opened:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not open, and there is room")
	}
	wantSame(t, s, all)
	closeStore(t, s)
}
