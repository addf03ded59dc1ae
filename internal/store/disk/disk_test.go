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

// A forgetful store has no dictionary in memory when it is asked.
type forgetfulStore struct{ *Store }

func (s forgetfulStore) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	s.trim()
	return s.Store.Series(ctx, q)
}

func (s forgetfulStore) Labels(ctx context.Context, q store.Query) ([]store.LabelValues, error) {
	s.trim()
	return s.Store.Labels(ctx, q)
}

func (s forgetfulStore) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	s.trim()
	return s.Store.Merge(ctx, q)
}

func TestConformanceForgetful(t *testing.T) {
	storetest.RunDurable(t, func(t *testing.T, dir string) store.Store {
		return forgetfulStore{open(t, dir, Options{CacheBytes: 1})}
	})
}

// Totals and labels of all services are asked for all the time, and there are
// more services than dictionaries fit in memory.
func TestTotalsNeedNoDictionary(t *testing.T) {
	s := open(t, "d", Options{FS: vfs.NewMem(), CacheBytes: 1})
	defer closeStore(t, s)
	for n, service := range []string{"api", "shop", "worker"} {
		put(t, s, record(t, n, service, "a", 0))
	}
	loads := func() int64 { return s.counts.loads.Load() }
	s.trim()
	before := loads()
	series, err := s.Series(t.Context(), store.Query{By: []string{store.LabelService}})
	if err != nil {
		t.Fatal(err)
	}
	labels, err := s.Labels(t.Context(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if len(series) != 3 || len(labels) == 0 || loads() != before {
		t.Errorf("%d series and %d labels after loading %d dictionaries, want 3, some and none", len(series), len(labels), loads()-before)
	}
	if groups, err := s.Merge(t.Context(), store.Query{}); err != nil || len(groups) != 1 || loads() != before+3 {
		t.Errorf("%d merged profiles after loading %d dictionaries (%v), want one and 3", len(groups), loads()-before, err)
	}
}
