// Package disk is the store that hone serve keeps profiles in: a directory on a
// local disk.
//
// Pebble, an ordered key-value store, provides durability, atomicity and checksums.
// This package adds the encoding. The profiles of a service in one epoch (a week) are
// a partition. It has a dictionary of everything that profiles repeat: strings,
// functions, locations, stacks. A profile is then a list of stack numbers with their
// values. Once its hour is quiet, it is packed into a block with its neighbours and
// added to roll-ups, the sums of an hour and of a day. Queries read roll-ups, and
// single profiles only at the edges.
//
// Package format, below this one, has the encoding, its terms and an example. This package
// decides what happens when: concurrent puts, packing and queries, what stays in memory, what is
// deleted when, and what to do about full disks, crashes and damage.
//
// The files from top to bottom; each uses only those below it:
//
//	repair.go, verify.go       read a store whatever is wrong with it, and make a good one
//	ops.go, services.go        figures, backups and other calls of an operator
//	disk.go                    Open, Close, and the calls of [store.Store]
//	recover.go                 brings back what can be read of a store that can't be opened
//	upkeep.go                  the background job
//	pack.go                    fresh profiles become blocks and roll-ups
//	retain.go, delete.go       profiles are dropped
//	put.go                     profiles come in: admit.go, ids.go, append.go
//	series.go, merge.go        answers to queries
//	plan.go, sums.go, part.go  what to read for an answer, and what it adds up to
//	query.go, view.go          what a query selects
//	heal.go, healing.go        takes lost profiles out of what refers to them
//	admit.go, ids.go           may a profile come in; is it there already
//	append.go                  encodes profiles and hands them to the log
//	rewrites.go, deletions.go  what was deleted and still takes space
//	inventory.go               what is in memory, read when a store is opened
//	dictionaries.go            dictionaries in memory
//	catalogue.go, partition.go which partitions there are
//	cache.go, read.go          decoded values, and values by key
//	kv.go, scheduler.go        Pebble
//	inspect.go, standin.go     what is wrong with its files, and what is read instead
//	space.go, health.go        waits for space on the disk, and remembers damage
//	files.go, gap.go           tables and logs, read without Pebble
//	copy.go, manifest.go       the list of tables
//	table.go, tablefile.go     a table
//	parity.go, block.go        repairs smeared tables
//	chunks.go, mend.go         logs; single wrong bits
//	listing.go, durable.go     names of files; writing them so that they last
//
// Files and keys are in doc/reference/format.md, values beside their codecs, and the reasons in
// doc/design/0006-store.md and 0010-store-format.md.
package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// A Store is an open store. It implements [store.Store]. Each part owns the state that it
// keeps in memory; a method passes its call on to the right part.
type Store struct {
	dir    string
	o      Options
	epoch  int64 // ns
	db     *pebble.DB
	kv     *pebble.Lock
	space  *space
	health *health
	cache  *cache
	sums   *cache // of earlier questions; see sums.go
	ids    *identities

	mu    sync.Mutex // guards what follows
	parts map[partitionName]*partition
	aside map[uint32]Aside // what is set aside, by number of the partition
	next  uint32           // number of the next partition
	// recoveries are of what was moved aside; the list doesn't change.
	recoveries []*Recovery

	losses []Loss // since the store was opened

	heals   atomic.Uint64 // how often damage was healed; see heal.go
	bytes   atomic.Int64
	garbage atomic.Int64 // bytes deleted that may still take room
	unsure  atomic.Bool  // something may be in the store and not be durable
	busy    atomic.Bool  // the background job is at work
	counts  counts

	closing   context.Context // done when Close begins
	startEnd  context.CancelFunc
	calls     sync.WaitGroup
	callsMu   sync.RWMutex // guards closed against calls
	closed    bool
	wake      chan struct{} // wakes the background job up
	rewrites  sync.Mutex    // held by what rewrites data; guards what follows
	dead      []keyRange    // what was dropped and may still take room
	deleted   []uint32      // partitions that were deleted, and that something may be left of
	listed    []uint32      // those of them that the file of deletions names
	unclaimed bool          // that room could not be had the last time
	backdrops sync.WaitGroup
}

// Open opens the store in a directory, and creates it if needed. Only one process can
// have it open.
func Open(dir string, o Options) (*Store, error) {
	return OpenContext(context.Background(), dir, o)
}

// OpenContext is Open with a context: while the disk is full, it waits until ctx is
// done.
func OpenContext(ctx context.Context, dir string, o Options) (*Store, error) {
	o.fill()
	if o.Epoch < 24*time.Hour || o.Epoch%(24*time.Hour) != 0 {
		return nil, fmt.Errorf("invalid epoch %v: use a whole number of days", o.Epoch)
	}
	s, err := openOnce(ctx, dir, o)
	// At most, a gap is cut off, and then Pebble doesn't take what is left.
	for range 2 {
		if o.Recover && errors.Is(err, errRepair) {
			if err = moveAside(&o, dir, err); err == nil {
				s, err = openOnce(ctx, dir, o)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	return s, nil
}

// openOnce opens a store and starts its background jobs.
func openOnce(ctx context.Context, dir string, o Options) (*Store, error) {
	s := &Store{dir: dir, o: o, cache: newCache(o.CacheBytes * 3 / 8), sums: newCache(o.CacheBytes / 8),
		parts: map[partitionName]*partition{}, aside: map[uint32]Aside{}, wake: make(chan struct{}, 1)}
	s.ids = newIdentities(s, o.CacheBytes/6)
	s.closing, s.startEnd = context.WithCancel(context.Background())
	watch := context.AfterFunc(ctx, s.startEnd)
	err := s.open()
	if !watch() && err == nil {
		err = cmp.Or(s.db.Close(), s.kv.Close(), ctx.Err())
	}
	if err != nil {
		s.startEnd()
		return nil, err
	}
	return s, nil
}

func (s *Store) open() error {
	if err := s.o.FS.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	lock, err := lockDir(s.o.FS, s.dir)
	if err != nil {
		return err
	}
	s.space = newSpace(s.closing, s.o.FS, s.dir, s.o.MinFree)
	s.health = newHealth(s.o.Log, s.space)
	if err := s.space.remember(); err != nil {
		lock.Close()
		return err
	}
	if err := s.health.inspect(s.o.FS, s.dir); err != nil {
		lock.Close()
		return err
	}
	db, err := pebble.Open(s.dir, pebbleOptions(s.space, lock, s.health))
	if err != nil {
		lock.Close()
		return s.health.explainOpening(err)
	}
	s.db, s.kv = db, lock
	if err := s.readWhole(); err != nil {
		db.Close()
		lock.Close()
		return s.health.explainOpening(err)
	}
	if s.o.Recover {
		if err := s.findRecoveries(); err != nil {
			db.Close()
			lock.Close()
			return err
		}
	}
	return nil
}

// Put stores records; see [store.Store].
func (s *Store) Put(ctx context.Context, records []store.Record) error {
	if err := s.checkDictionary(records); err != nil {
		return err
	}
	return s.put(ctx, records)
}

// Merge returns merged profiles; see [store.Store].
func (s *Store) Merge(ctx context.Context, q store.Query) (out []store.Group, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	err = s.retryHealed(func() (err error) { out, err = s.merge(ctx, q); return err })
	return out, err
}

// Series returns totals over time; see [store.Store].
func (s *Store) Series(ctx context.Context, q store.Query) (out []store.Series, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	err = s.retryHealed(func() (err error) { out, err = s.series(ctx, q); return err })
	return out, err
}

// Labels returns names and values of labels; see [store.Store].
func (s *Store) Labels(ctx context.Context, q store.Query) (out []store.LabelValues, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	err = s.retryHealed(func() (err error) { out, err = s.labels(ctx, q); return err })
	return out, err
}

// errReturning is the error of a deletion that recovery would undo.
var errReturning = errors.New("profiles are still being recovered from a store that could not be opened, perhaps some of this service: delete the service when recovery is done")

// DeleteService deletes all profiles of a service, with its series, roll-ups and
// dictionaries, including those that are set aside. It returns the number of profiles.
// Deletion is atomic: after a crash, either all of them are there or none. The files
// shrink later, when they are rewritten. With dry set, nothing is deleted.
func (s *Store) DeleteService(ctx context.Context, service string, dry bool) (profiles int64, err error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	defer s.calls.Done()
	s.rewrites.Lock()
	defer s.rewrites.Unlock()
	if slices.ContainsFunc(s.Recoveries(), func(r Recovery) bool { return !r.Done }) {
		return 0, errReturning
	}
	b := s.db.NewBatch()
	defer b.Close()
	// Nobody else has two of them locked.
	var parts []*partition
	defer func() {
		for _, p := range parts {
			p.mu.Unlock()
		}
	}()
	for _, p := range s.all() {
		if p.Service != service {
			continue
		}
		p.mu.Lock()
		parts = append(parts, p)
		for _, h := range p.hours {
			profiles += int64(h.packed.Profiles) + int64(len(h.fresh.List))
		}
	}
	s.mu.Lock()
	var aside []uint32
	for id, a := range s.aside {
		if a.Service == service {
			aside = append(aside, id)
			profiles += max(a.Profiles, 0)
		}
	}
	s.mu.Unlock()
	if dry || len(parts)+len(aside) == 0 {
		return profiles, nil
	}
	for _, id := range aside {
		s.deleteForGood(b, id)
	}
	for _, p := range parts {
		s.deleteForGood(b, p.id)
	}
	if err := s.space.explain(s.db.Apply(b, pebble.Sync)); err != nil {
		return 0, err
	}
	var hours []format.Hour
	s.mu.Lock()
	for _, id := range aside {
		delete(s.aside, id)
	}
	for _, p := range parts {
		delete(s.parts, partitionName{p.Epoch, p.Service})
	}
	s.mu.Unlock()
	for _, p := range parts {
		for _, h := range p.hours {
			hours = append(hours, h.hour)
			s.garbage.Add(int64(h.packed.Bytes) + h.bytes)
		}
		p.gone, p.hours = true, nil
		s.unload(p)
		p.mu.Unlock()
	}
	parts = nil
	for _, h := range hours {
		s.ids.forgetHour(h) // what was deleted may come again
	}
	s.counts.dropped.Add(profiles)
	if err := s.listDeletions(); err != nil {
		s.o.Log.Error("the deletion is written once, and not twice: it is tried again", "service", service, "error", err)
	}
	return profiles, s.checkUsable()
}

var _ store.Deleter = (*Store)(nil)

// Losses returns what was found to be lost since the store was opened.
func (s *Store) Losses() []Loss {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.losses)
}

// Recoveries returns what was moved aside of the store, and how far it is back.
func (s *Store) Recoveries() []Recovery {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Recovery, len(s.recoveries))
	for i, r := range s.recoveries {
		out[i] = *r
	}
	return out
}

// Close waits for running calls, stops background work and releases the directory.
func (s *Store) Close() error {
	s.callsMu.Lock()
	if s.closed {
		s.callsMu.Unlock()
		return store.ErrClosed
	}
	s.closed = true
	s.callsMu.Unlock()
	s.startEnd()
	s.calls.Wait()
	s.backdrops.Wait()
	// With its log broken, Pebble can close but not flush.
	sound := s.checkUsable() == nil
	flushed := sound && s.space.check() == nil && !s.space.gaveUp.Load() && s.db.Flush() == nil
	err := s.db.Close()
	if flushed && err == nil {
		s.removeLogs()
	}
	if e := s.kv.Close(); err == nil {
		err = e
	}
	if err != nil && sound {
		return fmt.Errorf("closing the store in %s: %w", s.dir, err)
	}
	return nil
}
