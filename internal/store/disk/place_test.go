package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// What is written into files that nobody can find is not kept.
func TestDirectoryGone(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("directories in use can't be removed there")
	}
	for _, how := range []string{"removed", "replaced", "moved and back"} {
		t.Run(how, func(t *testing.T) {
			root := t.TempDir()
			dir, other := filepath.Join(root, "d"), filepath.Join(root, "other")
			s := open(t, dir, Options{})
			all := records(t, 20)
			put(t, s, all[:10]...)
			var err error
			switch how {
			case "removed":
				err = os.RemoveAll(dir)
			case "replaced":
				b := open(t, other, Options{})
				closeStore(t, b)
				if err = os.Rename(dir, dir+".away"); err == nil {
					err = os.Rename(other, dir)
				}
			default:
				err = os.Rename(dir, other)
			}
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // also when it is sent again
				if err := s.Put(t.Context(), all[10:]); !errors.Is(err, store.ErrUnavailable) {
					t.Errorf("got %v, want that the directory is gone", err)
				}
			}
			if err := s.Ready(); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("got %v, want that it isn't ready", err)
			}
			if n := len(s.Stats().Aside); n > 0 {
				t.Errorf("%d partitions are set aside, and nothing is damaged", n)
			}
			if how != "moved and back" {
				s.Close() // it may fail, but it ends
				return
			}
			if err := os.Rename(other, dir); err != nil {
				t.Fatal(err)
			}
			time.Sleep(110 * time.Millisecond) // as long as a look is good for
			put(t, s, all...)
			wantSame(t, s, all)
			closeStore(t, s)
			s = open(t, dir, Options{})
			wantSame(t, s, all)
			closeStore(t, s)
		})
	}
}
