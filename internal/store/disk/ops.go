package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Stats describe the state of a store.
type Stats struct {
	Partitions int   // one for each service and epoch
	Series     int   // in partitions whose dictionary is or was in memory
	Profiles   int64 // stored
	Fresh      int64 // stored, but not packed yet
	FreshBytes int64 // approximate size of their samples

	LiveBytes  int64 // size of the data on disk, without logs
	DiskBytes  int64 // size of all files, including deleted data
	CacheBytes int64 // memory of dictionaries and decoded values
	CacheHits  int64
	CacheMiss  int64

	Put        int64 // profiles, since the store was opened
	Duplicates int64 // records that were stored already
	Expired    int64 // records that were too old
	Full       int64 // records refused because the disk was full
	Packed     int64 // profiles
	Dropped    int64 // profiles, because of their age or the size limit
	Lost       int64 // profiles lost because a table is damaged; see [Store.Losses]
	Busy       bool  // background work is running or due

	Aside   []Aside  // partitions that are not served because they can't be read fully
	Damaged []string // damaged files, and what is wrong with them
}

// Memory returns the memory of dictionaries and decoded values, in bytes.
func (s *Store) Memory() int64 {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return s.dicts.bytes.Load() + s.cache.bytes
}

// Stats returns the current state of the store.
func (s *Store) Stats() Stats {
	st := Stats{
		Put: s.counts.put.Load(), Duplicates: s.counts.duplicates.Load(), Expired: s.counts.expired.Load(),
		Full: s.counts.full.Load(), Packed: s.counts.packed.Load(), Dropped: s.counts.dropped.Load(), Lost: s.counts.lost.Load(),
		CacheBytes: s.dicts.bytes.Load(), Busy: s.upkeep.busy.Load(),
	}
	s.cache.mu.Lock()
	st.CacheBytes += s.cache.bytes
	st.CacheHits, st.CacheMiss = s.cache.hits, s.cache.misses
	s.cache.mu.Unlock()
	for _, p := range s.catalogue.all() {
		p.mu.Lock()
		st.Partitions++
		if d := cmp.Or(p.dict, p.index); d != nil {
			st.Series += len(d.Series)
		}
		if p.index != nil {
			st.CacheBytes += p.index.Memory()
		}
		for _, h := range p.hours {
			st.Profiles += h.profiles()
			st.Fresh += int64(len(h.fresh.List))
			st.FreshBytes += h.bytes
			st.Busy = st.Busy || len(h.fresh.List) > 0 && s.o.PackAfter >= 0 && h.ripe(s.o)
		}
		p.mu.Unlock()
	}
	st.Aside, st.Damaged = s.asides(), s.kv.health.problems()
	if s.calls.Begin(context.Background()) == nil {
		m := s.kv.db.Metrics()
		st.LiveBytes, st.DiskBytes = s.kv.size(), int64(m.DiskSpaceUsage())
		st.Busy = st.Busy || m.Compact.NumInProgress > 0 || m.Flush.NumInProgress > 0
		s.calls.Done()
	}
	return st
}

// asides returns the partitions that are set aside, sorted by time and service.
func (s *Store) asides() []Aside {
	out := append(slices.Collect(maps.Values(s.catalogue.asides())), s.recoveries.left()...)
	slices.SortFunc(out, func(a, b Aside) int {
		return cmp.Or(a.Epoch.Compare(b.Epoch), strings.Compare(a.Service, b.Service), strings.Compare(a.Problem, b.Problem))
	})
	return out
}

// Ready returns an error if Put would fail now because of the disk.
func (s *Store) Ready() error { return cmp.Or(s.kv.checkUsable(), s.kv.space.check()) }

// WaitIdle waits until no background work is running or due.
func (s *Store) WaitIdle(ctx context.Context) error {
	for s.Stats().Busy {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// Pack packs all profiles now, without waiting until their hours are over.
func (s *Store) Pack(ctx context.Context) error {
	if err := s.calls.Begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	return s.packer.pack(ctx, func(*hourData) bool { return true })
}

// Compact packs all profiles and rewrites the files, so that deleted data no longer
// takes space.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.Pack(ctx); err != nil {
		return err
	}
	if err := s.calls.Begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	s.rewrites.Lock()
	defer s.rewrites.Unlock()
	return s.rewrites.compact(ctx, []keyRange{{[]byte{0}, []byte{0xff}}})
}

// Backup writes a copy of the current store to dir, which must not exist. Puts and
// queries continue meanwhile. On the same disk, files that never change are linked.
// The copy is a store that can be opened. After an error, nothing of it is left.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := s.calls.Begin(ctx); err != nil {
		return err
	}
	if err := s.backup(dir, s.calls.Done); err != nil {
		return fmt.Errorf("backing up to %s: %w", dir, err)
	}
	return nil
}

// backup writes the copy. It calls done when all its work has ended, which may be after it
// returns.
func (s *Store) backup(dir string, done func()) error {
	_, err := s.o.FS.Stat(dir)
	if err == nil {
		err = fs.ErrExist
	} else if errors.Is(err, fs.ErrNotExist) {
		err = s.kv.space.check()
	}
	if err != nil {
		done()
		return err
	}
	result := make(chan error, 1)
	go func() {
		defer done()
		err := s.kv.db.Checkpoint(dir, pebble.WithFlushedWAL())
		if err != nil {
			s.o.FS.RemoveAll(dir)
		}
		result <- err
	}()
	select {
	case err := <-result:
		return s.kv.space.explain(err)
	case <-s.kv.space.noRoom():
		// The copy needs the log to be written first. It goes when it is done.
		go func() {
			if <-result == nil {
				s.o.FS.RemoveAll(dir)
			}
		}()
		return s.kv.space.full()
	}
}
