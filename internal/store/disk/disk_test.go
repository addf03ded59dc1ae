package disk

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
)

func open(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	if o.PackAfter == 0 {
		o.PackAfter = -1
	}
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	storetest.RunDurable(t, func(t *testing.T, dir string) store.Store { return open(t, dir, Options{}) })
}

// A packing store packs every third time that something is put.
type packingStore struct {
	*Store
	puts atomic.Int32
}

func (s *packingStore) Put(ctx context.Context, records []store.Record) error {
	if err := s.Store.Put(ctx, records); err != nil {
		return err
	}
	if s.puts.Add(1)%3 != 0 {
		return nil
	}
	return s.Pack(ctx)
}

func TestConformancePacked(t *testing.T) {
	disks := map[string]vfs.FS{} // in memory, to be fast
	storetest.RunDurable(t, func(t *testing.T, dir string) store.Store {
		if disks[dir] == nil {
			disks[dir] = vfs.NewMem()
		}
		return &packingStore{Store: open(t, dir, Options{FS: disks[dir]})}
	})
}
