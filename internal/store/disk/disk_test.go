package disk

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
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
	s.dicts.trim(s.catalogue)
	return s.Store.Series(ctx, q)
}

func (s forgetfulStore) Labels(ctx context.Context, q store.Query) ([]store.LabelValues, error) {
	s.dicts.trim(s.catalogue)
	return s.Store.Labels(ctx, q)
}

func (s forgetfulStore) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	s.dicts.trim(s.catalogue)
	return s.Store.Merge(ctx, q)
}

func TestConformanceForgetful(t *testing.T) {
	storetest.RunDurable(t, func(t *testing.T, dir string) store.Store {
		return forgetfulStore{open(t, dir, Options{CacheBytes: 1})}
	})
}

// A Put that fails, as on a full disk, forgets a dictionary that is about to be
// forgotten for room.
func TestTrimBesideFailingPuts(t *testing.T) {
	s := open(t, "d", Options{FS: vfs.NewMem(), CacheBytes: 1})
	defer closeStore(t, s)
	put(t, s, record(t, 0, "api", "a", 0))
	put(t, s, record(t, 1, "web", "a", 0))
	for _, p := range s.catalogue.all() {
		p.mu.Lock()
		if err := s.dicts.load(p); err != nil {
			t.Error(err)
		}
		p.mu.Unlock()
	}
	uses := uses(s.catalogue.all())
	if len(uses) != 2 {
		t.Fatalf("%d dictionaries could be forgotten, want 2", len(uses))
	}
	failed := uses[0].p
	failed.mu.Lock()
	s.dicts.unload(failed)
	failed.mu.Unlock()
	s.dicts.forgetOldest(uses, 0)
	for _, u := range uses {
		if u.p.dict != nil {
			t.Errorf("the dictionary of %v is still there", u.p)
		}
	}
	if uses[1].p.index == nil || s.dicts.bytes.Load() > 0 {
		t.Errorf("%d bytes are kept", s.dicts.bytes.Load())
	}
}

// Many services that send between two rounds of the background job don't have all their
// dictionaries in memory: the ones used last stay.
func TestTrimBetweenRounds(t *testing.T) {
	const cache = 16 << 10
	s := open(t, "d", Options{FS: vfs.NewMem(), CacheBytes: cache, PackAfter: -1})
	defer closeStore(t, s)
	largest := int64(0)
	for i := range 100 {
		put(t, s, record(t, i, fmt.Sprint("service", i), "a", 0))
		uses := uses(s.catalogue.all())
		p := uses[len(uses)-1].p
		largest = max(largest, p.memory)
		if p.dict == nil || p.Service != fmt.Sprint("service", i) {
			t.Fatalf("what was used last is %s, after service%d", p.Service, i)
		}
		if n := s.dicts.bytes.Load(); n > 4*cache+largest {
			t.Fatalf("%d services: dictionaries take %d bytes", i+1, n)
		}
	}
	if 100*largest < 8*cache {
		t.Fatalf("all dictionaries take no more than %d bytes", 100*largest)
	}
}

// The two sides of a comparison want the same blocks at the same time.
func TestCacheReadsOnceForAll(t *testing.T) {
	c := newCache(1 << 20)
	reading, proceed := make(chan struct{}), make(chan struct{})
	var reads atomic.Int32
	get := func() (int, error) {
		return load(c, cacheKey{"block", 1}, func() (int, int64, error) {
			if reads.Add(1) == 1 {
				close(reading)
			}
			<-proceed
			return 7, 100, nil
		})
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if v, err := get(); v != 7 || err != nil {
				t.Errorf("%d, %v, want 7", v, err)
			}
		})
	}
	<-reading
	for misses := int64(0); misses < 4; time.Sleep(10 * time.Millisecond) { // from missing to waiting
		c.mu.Lock()
		misses = c.misses
		c.mu.Unlock()
	}
	close(proceed)
	all.Wait()
	if v, err := get(); v != 7 || err != nil || reads.Load() != 1 {
		t.Errorf("%d, %v after %d reads, want 7 after one", v, err, reads.Load())
	}
	wrong := errors.New("wrong")
	for range 2 {
		v, err := load(c, cacheKey{"block", 2}, func() (*format.Heads, int64, error) { reads.Add(1); return nil, 0, wrong })
		if v != nil || err != wrong {
			t.Errorf("%v, %v, want the error", v, err)
		}
	}
	if reads.Load() != 3 {
		t.Errorf("what couldn't be read was kept")
	}
}

func TestTooMuchFresh(t *testing.T) {
	for _, h := range []struct {
		fresh, packed int64
		profiles      int
		want          bool
	}{
		{fresh: minFreshBytes, profiles: 100},
		{fresh: minFreshBytes + 1, profiles: 100, want: true},
		{fresh: minFreshBytes + 1, packed: minFreshBytes / 4, profiles: 100}, // half of what is packed
		{fresh: maxFreshBytes, packed: 1 << 40, profiles: 100},
		{fresh: maxFreshBytes + 1, packed: 1 << 40, profiles: 100, want: true},
		{profiles: maxFreshProfiles + 1, want: true},
	} {
		d := hourData{bytes: h.fresh, packed: format.Summary{Bytes: uint64(h.packed)}, fresh: format.Heads{List: make([]format.Head, h.profiles)}}
		if d.tooMuch() != h.want {
			t.Errorf("%+v: %v", h, !h.want)
		}
	}
}

// Totals and labels of all services are asked for all the time, and there are
// more services than dictionaries fit in memory.
func TestTotalsNeedNoDictionary(t *testing.T) {
	s := open(t, "d", Options{FS: vfs.NewMem(), CacheBytes: 1})
	defer closeStore(t, s)
	for n, service := range []string{"api", "shop", "worker"} {
		put(t, s, record(t, n, service, "a", 0))
	}
	loads := func() int64 { return s.dicts.loads.Load() }
	s.dicts.trim(s.catalogue)
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
