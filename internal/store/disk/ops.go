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

// Stats are figures of a store.
type Stats struct {
	Partitions int   // services, once for each epoch they have profiles of
	Series     int   // of partitions whose dictionary is or was in memory
	Profiles   int64 // kept
	Fresh      int64 // of those, not packed yet
	FreshBytes int64 // size of their samples, about

	LiveBytes  int64 // size of the data on disk, without logs
	DiskBytes  int64 // size of all files, with what is to be deleted
	CacheBytes int64 // memory of dictionaries and decoded values
	CacheHits  int64
	CacheMiss  int64

	Put        int64 // profiles, since the store was opened
	Duplicates int64 // records that were there already
	Expired    int64 // records that were too old
	Full       int64 // records that there was no room for
	Packed     int64 // profiles
	Dropped    int64 // profiles, for their age or for room
	Lost       int64 // profiles found to be lost, as a table is damaged; see [Store.Losses]
	Busy       bool  // background work is under way or due

	Aside   []Aside  // what is not served, as something of it can't be read
	Damaged []string // files that are damaged, and how
}

// Memory returns the memory of dictionaries and decoded values.
func (s *Store) Memory() int64 {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return s.dictBytes.Load() + s.cache.bytes
}

// Stats returns figures of the store as it is now.
func (s *Store) Stats() Stats {
	st := Stats{
		Put: s.counts.put.Load(), Duplicates: s.counts.duplicates.Load(), Expired: s.counts.expired.Load(),
		Full: s.counts.full.Load(), Packed: s.counts.packed.Load(), Dropped: s.counts.dropped.Load(), Lost: s.counts.lost.Load(),
		CacheBytes: s.dictBytes.Load(), Busy: s.busy.Load(),
	}
	s.cache.mu.Lock()
	st.CacheBytes += s.cache.bytes
	st.CacheHits, st.CacheMiss = s.cache.hits, s.cache.misses
	s.cache.mu.Unlock()
	for _, p := range s.partitions() {
		p.mu.Lock()
		st.Partitions++
		if d := cmp.Or(p.dict, p.index); d != nil {
			st.Series += len(d.Series)
		}
		if p.index != nil {
			st.CacheBytes += p.index.Memory()
		}
		for _, h := range p.hours {
			st.Profiles += int64(h.packed.Profiles) + int64(len(h.fresh.List))
			st.Fresh += int64(len(h.fresh.List))
			st.FreshBytes += h.bytes
			st.Busy = st.Busy || len(h.fresh.List) > 0 && s.o.PackAfter >= 0 && s.ripe(h)
		}
		p.mu.Unlock()
	}
	st.Aside, st.Damaged = s.asides(), s.health.damaged()
	if s.begin(context.Background()) == nil {
		m := s.db.Metrics()
		st.LiveBytes, st.DiskBytes = s.size(), int64(m.DiskSpaceUsage())
		st.Busy = st.Busy || m.Compact.NumInProgress > 0 || m.Flush.NumInProgress > 0
		s.calls.Done()
	}
	return st
}

// asides returns what is set aside, in the order of time and service.
func (s *Store) asides() []Aside {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Collect(maps.Values(s.aside))
	for _, r := range s.recoveries {
		if !r.Done {
			out = append(out, r.left...)
		}
	}
	slices.SortFunc(out, func(a, b Aside) int {
		return cmp.Or(a.Epoch.Compare(b.Epoch), strings.Compare(a.Service, b.Service), strings.Compare(a.Problem, b.Problem))
	})
	return out
}

// Ready returns why nothing can be put now.
func (s *Store) Ready() error { return cmp.Or(s.here(), s.space.check()) }

// WaitIdle waits until no background work is under way or due.
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

// Pack packs all profiles now, without waiting for their hours to be over.
func (s *Store) Pack(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	return s.pack(ctx, func(*hourData) bool { return true })
}

// Compact packs all profiles and rewrites files, so that what was deleted takes
// no room any more.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.Pack(ctx); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	s.jobs.Lock()
	defer s.jobs.Unlock()
	return s.compact(ctx, []keyRange{{[]byte{0}, []byte{0xff}}})
}

// Backup writes a copy of the store as it is now to dir, which must not exist.
// Puts and queries go on meanwhile. Files that don't change are linked where the
// copy is on the same disk. The copy is a store that can be opened. With an error
// nothing is left of it.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	if err := s.backup(dir, s.calls.Done); err != nil {
		return fmt.Errorf("backing up to %s: %w", dir, err)
	}
	return nil
}

// backup calls done when nothing of it goes on any more, which may be after it
// returned.
func (s *Store) backup(dir string, done func()) error {
	_, err := s.o.FS.Stat(dir)
	if err == nil {
		err = fs.ErrExist
	} else if errors.Is(err, fs.ErrNotExist) {
		err = s.space.check()
	}
	if err != nil {
		done()
		return err
	}
	result := make(chan error, 1)
	go func() {
		defer done()
		err := s.db.Checkpoint(dir, pebble.WithFlushedWAL())
		if err != nil {
			s.o.FS.RemoveAll(dir)
		}
		result <- err
	}()
	select {
	case err := <-result:
		return s.space.explain(err)
	case <-s.space.noRoom():
		// The copy needs the log to be written first. It goes when it is done.
		go func() {
			if <-result == nil {
				s.o.FS.RemoveAll(dir)
			}
		}()
		return s.space.full()
	}
}
