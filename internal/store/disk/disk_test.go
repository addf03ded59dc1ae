package disk

import (
	"context"
	"testing"

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
	puts int
}

func (s *packingStore) Put(ctx context.Context, records []store.Record) error {
	if err := s.Store.Put(ctx, records); err != nil {
		return err
	}
	if s.puts++; s.puts%3 != 0 {
		return nil
	}
	return s.Pack(ctx)
}

func TestConformancePacked(t *testing.T) {
	storetest.RunDurable(t, func(t *testing.T, dir string) store.Store {
		return &packingStore{Store: open(t, dir, Options{})}
	})
}
