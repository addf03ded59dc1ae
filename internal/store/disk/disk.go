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
//	sources.go                 what a sum is made of
//	heal.go, healing.go        takes lost profiles out of what refers to them
//	admit.go, ids.go           may a profile come in; is it there already
//	append.go                  hands profiles to the log
//	encode.go                  encodes them
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
//	private.go                 creates files that other users can't read
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
	"time"

	"github.com/hone-go/hone/internal/store"
)

// A Store is an open store. It implements [store.Store]. Each part owns the state that it
// keeps in memory; a method passes its call on to the right part.
type Store struct {
	dir   string
	o     *Options
	calls *store.Calls

	kv         *kv           // below all others
	catalogue  *catalogue    // which partitions there are
	dicts      *dictionaries // of them, in memory
	cache      *cache        // decoded values
	counts     *counts
	rewrites   *rewrites
	healer     *healer
	intake     *intake
	querier    *querier
	packer     *packer
	retention  *retention
	upkeep     *upkeep
	recoveries *recoveries

	end        context.CancelFunc // ends what goes on in the background, ...
	background sync.WaitGroup     // ... which is this
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
	closing, end := context.WithCancel(context.Background())
	watch := context.AfterFunc(ctx, end)
	s, err := build(closing, dir, &o)
	if !watch() && err == nil {
		err = cmp.Or(s.kv.abandon(), ctx.Err())
	}
	if err != nil {
		end()
		return nil, err
	}
	s.end = end
	s.background.Go(func() { s.upkeep.run(closing) })
	s.background.Go(func() { s.recoveries.run(closing) })
	return s, nil
}

// build makes the parts of a store, from the bottom up: each knows only earlier ones.
func build(closing context.Context, dir string, o *Options) (_ *Store, err error) {
	db, tables, err := openKV(closing, dir, o)
	if err != nil {
		return nil, err
	}
	var aside []*Recovery
	if o.Recover {
		if aside, err = findRecoveries(o, dir); err != nil {
			db.abandon()
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			err = db.explainOpening(err)
			db.abandon()
		}
	}()
	listed, err := findDeletions(o.FS, dir, o.Log)
	if err != nil {
		return nil, err
	}
	dicts := &dictionaries{kv: db, limit: o.CacheBytes}
	rewrites := &rewrites{kv: db, listed: listed}
	rewrites.Lock()
	defer rewrites.Unlock()
	read, hit, err := (&inventoryReader{kv: db, o: o, dicts: dicts, listed: listed}).load(rewrites)
	if err != nil {
		return nil, err
	}
	rewrites.deleted = read.deleted
	catalogue, cache, calls, counts := read.catalogue(o.InstanceLabels), newCache(o.CacheBytes*3/8), new(store.Calls), new(counts)
	ids := newIdentities(db, catalogue, cache, o.CacheBytes/6)
	healer := &healer{kv: db, o: o, catalogue: catalogue, dicts: dicts, cache: cache, ids: ids, rewrites: rewrites, counts: counts}
	if err := healer.begin(read, hit); err != nil {
		return nil, err
	}
	if err := rewrites.deleteAgain(); err != nil {
		return nil, err
	}
	wake := make(chan struct{}, 1)
	admission := &admission{o: o, space: db.space, catalogue: catalogue, counts: counts}
	appender := &appender{kv: db, now: o.Now, catalogue: catalogue, dicts: dicts, counts: counts, wake: wake}
	intake := &intake{kv: db, calls: calls, admission: admission, healer: healer, ids: ids, appender: appender, counts: counts}
	querier := &querier{kv: db, catalogue: catalogue, dicts: dicts, cache: cache, sums: newCache(o.CacheBytes / 8), heals: &healer.heals, counts: counts}
	packer := &packer{kv: db, catalogue: catalogue, dicts: dicts, cache: cache, healer: healer, rewrites: rewrites, counts: counts}
	retention := &retention{kv: db, o: o, catalogue: catalogue, dicts: dicts, ids: ids, rewrites: rewrites, counts: counts}
	upkeep := &upkeep{kv: db, o: o, catalogue: catalogue, dicts: dicts, healer: healer, packer: packer, retention: retention, rewrites: rewrites, wake: wake, unprotected: tables}
	recoveries := &recoveries{kv: db, o: o, intake: intake, list: aside}
	return &Store{dir: dir, o: o, calls: calls, kv: db, catalogue: catalogue, dicts: dicts, cache: cache, counts: counts, rewrites: rewrites,
		healer: healer, intake: intake, querier: querier, packer: packer, retention: retention, upkeep: upkeep, recoveries: recoveries}, nil
}

// Put stores records; see [store.Store].
func (s *Store) Put(ctx context.Context, records []store.Record) error {
	return s.intake.put(ctx, records, s.o.MaxDictionary)
}

// Merge returns merged profiles; see [store.Store].
func (s *Store) Merge(ctx context.Context, q store.Query) (out []store.Group, err error) {
	if err := s.calls.Begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	err = s.healer.retryHealed(func() (err error) { out, err = s.querier.merge(ctx, q); return err })
	return out, err
}

// Series returns totals over time; see [store.Store].
func (s *Store) Series(ctx context.Context, q store.Query) (out []store.Series, err error) {
	if err := s.calls.Begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	err = s.healer.retryHealed(func() (err error) { out, err = s.querier.series(ctx, q); return err })
	return out, err
}

// Labels returns names and values of labels; see [store.Store].
func (s *Store) Labels(ctx context.Context, q store.Query) (out []store.LabelValues, err error) {
	if err := s.calls.Begin(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	err = s.healer.retryHealed(func() (err error) { out, err = s.querier.labels(ctx, q); return err })
	return out, err
}

// errReturning is the error of a deletion that recovery would undo.
var errReturning = errors.New("profiles are still being recovered from a store that could not be opened, perhaps some of this service: delete the service when recovery is done")

// DeleteService deletes all profiles of a service, with its series, roll-ups and
// dictionaries, including those that are set aside. It returns the number of profiles.
// Deletion is atomic: after a crash, either all of them are there or none. The files
// shrink later, when they are rewritten. With dry set, nothing is deleted.
func (s *Store) DeleteService(ctx context.Context, service string, dry bool) (profiles int64, err error) {
	if err := s.calls.Begin(ctx); err != nil {
		return 0, err
	}
	defer s.calls.Done()
	if slices.ContainsFunc(s.Recoveries(), func(r Recovery) bool { return !r.Done }) {
		return 0, errReturning
	}
	return s.retention.deleteService(service, dry)
}

var _ store.Deleter = (*Store)(nil)

// Losses returns the profiles that were found to be lost since the store was opened.
func (s *Store) Losses() []Loss { return s.healer.found() }

// Recoveries returns the stores that were moved aside, and the progress of each recovery.
func (s *Store) Recoveries() []Recovery { return s.recoveries.now() }

// Close waits for running calls, stops background work and releases the directory.
func (s *Store) Close() error {
	if err := s.calls.Close(); err != nil {
		return err
	}
	s.end()
	s.calls.Wait()
	s.background.Wait()
	if err := s.kv.close(); err != nil {
		return fmt.Errorf("closing the store in %s: %w", s.dir, err)
	}
	return nil
}
