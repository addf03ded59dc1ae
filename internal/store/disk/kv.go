package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A kv is the key-value store below a store: Pebble, on a file system that waits for disk
// space.
type kv struct {
	db     *pebble.DB
	lock   *pebble.Lock // of the directory
	space  *space
	health *health
	unsure atomic.Bool // something may be in the log and not be durable
}

// openKV opens the key-value store in a directory, which it creates if needed. tables are the
// names of existing tables. Writes wait for disk space until closing is done.
func openKV(closing context.Context, dir string, o *Options) (db *kv, tables []string, err error) {
	if err := o.FS.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	lock, err := lockDir(o.FS, dir)
	if err != nil {
		return nil, nil, err
	}
	k := &kv{lock: lock, health: newHealth(o.Log)}
	k.space = newSpace(closing, o.FS, dir, o.MinFree, k.health)
	if tables, err = k.start(dir); err != nil {
		lock.Close()
		return nil, nil, err
	}
	return k, tables, nil
}

// start checks the files and opens Pebble.
func (k *kv) start(dir string) (tables []string, err error) {
	if err := k.space.remember(); err != nil {
		return nil, err
	}
	if tables, err = inspect(k.space); err != nil {
		return nil, err
	}
	if k.db, err = pebble.Open(dir, pebbleOptions(k.space, k.lock, k.health)); err != nil {
		return nil, k.explainOpening(err)
	}
	return tables, nil
}

// explainOpening adds advice to an error of opening a store.
func (k *kv) explainOpening(err error) error {
	if isDamage(err) {
		return fmt.Errorf("%w: %w", err, errRepair)
	}
	return k.space.explain(err)
}

// close flushes memory to disk, if that is possible, and closes Pebble. If nothing could be
// written for some time, that was reported before, and close returns no error for it.
func (k *kv) close() error {
	// With its log broken, Pebble can close but not flush.
	sound := k.checkUsable() == nil
	flushed := sound && k.space.check() == nil && !k.space.gaveUp.Load() && k.db.Flush() == nil
	err := k.db.Close()
	if flushed && err == nil {
		k.removeLogs()
	}
	if e := k.lock.Close(); err == nil {
		err = e
	}
	if !sound {
		return nil
	}
	return err
}

// abandon closes Pebble without a flush, for a store that could not be opened.
func (k *kv) abandon() error { return cmp.Or(k.db.Close(), k.lock.Close()) }

// apply applies a batch without waiting until it is durable; see await.
func (k *kv) apply(b *pebble.Batch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return k.space.explain(k.db.ApplyNoSyncWait(b, pebble.Sync))
}

// await waits until a batch is durable, and closes it. If the disk is full, it returns
// store.ErrFull; the batch may become durable later.
func (k *kv) await(b *pebble.Batch) error {
	done := make(chan error, 1)
	go func() {
		err := b.SyncWait()
		b.Close()
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return k.space.explain(err)
		}
		return k.health.check()
	case <-k.health.broken:
		return k.health.check()
	case <-k.space.noRoom():
		k.unsure.Store(true)
		return cmp.Or(k.health.check(), k.space.full())
	}
}

// barrier waits until everything applied so far is durable, unless it is known to be.
func (k *kv) barrier() error {
	if !k.unsure.Load() {
		return nil
	}
	b := k.db.NewBatch()
	if err := b.LogData([]byte("barrier"), nil); err != nil {
		return err
	}
	if err := k.apply(b); err != nil {
		return err
	}
	return k.await(b)
}

// write applies a batch of background work, without a sync: after a crash, that work is done
// again.
func (k *kv) write(b *pebble.Batch) error {
	return k.space.explain(k.db.Apply(b, pebble.NoSync))
}

// write1 writes one key, like write.
func (k *kv) write1(key, value []byte) error {
	b := k.db.NewBatch()
	defer b.Close()
	b.Set(key, value, nil)
	return k.write(b)
}

// lockDir locks a directory against other processes.
func lockDir(f vfs.FS, dir string) (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(dir, f)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("another process has it open, perhaps hone serve: stop it first (%w)", err)
	}
	return lock, nil
}

// pebbleOptions returns the options for Pebble.
func pebbleOptions(f vfs.FS, lock *pebble.Lock, h *health) *pebble.Options {
	o := &pebble.Options{
		FS: f, Lock: lock,
		FormatMajorVersion: tableFormat,
		Logger:             h,
		EventListener:      h.events(),
		// Tables that are missing or cut are known by then; what is not in them
		// can be read.
		DisableConsistencyCheck: true,
		// They tell Pebble where much was deleted, which reclaim knows; and with a
		// table that can't be read it would try to find them again for ever.
		DisableTableStats: true,
		CacheSize:         8 << 20,
		// Each of up to three logs of this size is kept to be written again.
		MemTableSize: 4 << 20,
		// Profiles that aren't packed yet are gone an hour later. Compacting
		// them on the way down is work for nothing.
		L0CompactionThreshold: 8,
		// Far away, as compactions fail while a table is damaged that they need,
		// and profiles are taken meanwhile.
		L0StopWritesThreshold:       1000,
		MemTableStopWritesThreshold: 2,
		LBaseMaxBytes:               64 << 20,
		MaxOpenFiles:                500,
	}
	o.CompactionConcurrencyRange = func() (lower, upper int) { return 1, 1 }
	o.Experimental.CompactionScheduler = newScheduler(h)
	// Pebble would put a value that was replaced while a snapshot still needed it into another
	// block of the table. Reading tables without Pebble is simpler when each block is complete.
	o.Experimental.SpanPolicyFunc = func([]byte) (pebble.SpanPolicy, []byte, error) {
		return pebble.SpanPolicy{DisableValueSeparationBySuffix: true}, nil, nil
	}
	// Values are compressed already.
	o.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	for i := range o.Levels {
		o.Levels[i].BlockSize = 32 << 10
	}
	return o
}

// removeLogs removes the logs that Pebble kept for reuse. Their contents have been flushed.
// Pebble needs only the last one.
func (k *kv) removeLogs() {
	l, err := listFiles(k.space.FS, k.space.dir)
	if err != nil {
		return
	}
	numbers := slices.Sorted(maps.Keys(l.logs))
	for _, n := range numbers[:max(len(numbers)-1, 0)] {
		k.space.FS.Remove(k.space.FS.PathJoin(k.space.dir, l.logs[n]))
	}
}

// checkUsable returns an error if nothing can be stored any more, whatever Pebble reports: the
// directory is gone, or Pebble can't continue.
func (k *kv) checkUsable() error {
	if err := k.health.check(); err != nil {
		return err
	}
	return k.space.checkUsable()
}

// size returns the size of the data on the disk, without logs.
func (k *kv) size() int64 {
	total := k.db.Metrics().Total()
	return total.AggregateSize()
}

// readable returns an error if a new partition with this number would be unreadable because of
// a damaged table.
func (k *kv) readable(id uint32) error {
	if !k.health.knowsDamage() {
		return nil
	}
	for _, kind := range format.PerPartition {
		prefix := format.PartitionKey(kind, id)
		if err := scan(k.db, prefix, format.After(prefix), func(_, _ []byte) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}
