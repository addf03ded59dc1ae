package disk

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// rewrites tracks data that was deleted but still takes space until its tables are rewritten. A
// job that rewrites data holds the lock, so only one runs.
type rewrites struct {
	*kv
	garbage atomic.Int64 // bytes deleted that may still take room

	sync.Mutex            // guards what follows
	dead       []keyRange // what was dropped and may still take room
	deleted    []uint32   // partitions that were deleted, and that something may be left of
	listed     []uint32   // those of them that the file of deletions names
	unclaimed  bool       // that room could not be had the last time
}

// listDeletions writes the deleted partitions to the file of deletions. w is locked.
func (w *rewrites) listDeletions() error {
	ids := slices.Clone(w.deleted)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if slices.Equal(ids, w.listed) {
		return nil
	}
	if err := writeDeletions(w.space.FS, w.space.dir, ids); err != nil {
		return w.space.explain(err)
	}
	w.listed = ids
	return nil
}

// deletePartition deletes a partition. w is locked.
func (w *rewrites) deletePartition(b *pebble.Batch, id uint32) {
	for _, kind := range format.PerPartition {
		prefix := format.PartitionKey(kind, id)
		b.DeleteRange(prefix, format.After(prefix), nil)
		w.dead = append(w.dead, keyRange{prefix, format.After(prefix)})
	}
}

// deleteForGood deletes a partition and marks it as deleted until none of its data is on the
// disk. A partition that is dropped for its age needs no mark: if its data came back, it would
// be dropped again. w is locked.
func (w *rewrites) deleteForGood(b *pebble.Batch, id uint32) {
	w.deletePartition(b, id)
	b.Set(format.PartitionKey(format.KindPartition, id), format.Deleted.Append(nil), nil)
	w.deleted = append(w.deleted, id)
}

// deleteAgain deletes the data of deleted partitions that may be back, because the table with
// their deletion was damaged. w is locked.
func (w *rewrites) deleteAgain() error {
	if len(w.deleted) == 0 {
		return nil
	}
	ids := w.deleted
	w.deleted = nil
	b := w.db.NewBatch()
	defer b.Close()
	for _, id := range ids {
		w.deleteForGood(b, id)
	}
	if err := w.write(b); err != nil {
		return err
	}
	return w.listDeletions()
}

// deleteHour deletes one of several hours of a partition. It also deletes the roll-ups of its
// day, which would be too large; see Partition.Dropped in package format. w is locked.
func (w *rewrites) deleteHour(b *pebble.Batch, p *partition, h format.Hour) {
	for _, kind := range format.PerHour {
		prefix := format.HourKey(kind, p.id, h)
		b.DeleteRange(prefix, format.After(prefix), nil)
		w.dead = append(w.dead, keyRange{prefix, format.After(prefix)})
	}
	for level := range uint8(format.NumLevels) {
		for _, kind := range []byte{format.KindRollup, format.KindSums} {
			prefix := format.WindowKey(kind, p.id, level, format.WindowOf(level, h.Start()))
			b.DeleteRange(prefix, format.After(prefix), nil)
		}
	}
	info := format.Partition{Epoch: p.Epoch, Service: p.Service, Instance: p.Instance, Dropped: max(p.Dropped, h+1)}
	b.Set(format.PartitionKey(format.KindPartition, p.id), info.Append(nil), nil)
}

// due reports whether enough space can be reclaimed. w is locked.
func (w *rewrites) due() bool {
	return w.unclaimed || w.garbage.Load() > maxGarbage || len(w.dead) > maxDead
}

// reclaim rewrites the tables with deleted keys: fresh profiles that were packed, and dropped
// hours. It doesn't rewrite other tables. w is locked.
func (w *rewrites) reclaim(ctx context.Context) error {
	ranges := append(w.dead, keyRange{[]byte{format.KindHead}, []byte{format.KindHead + 1}}, keyRange{[]byte{format.KindSamples}, []byte{format.KindSamples + 1}})
	return w.compact(ctx, ranges)
}

// compact rewrites the tables with keys in some ranges. w is locked.
func (w *rewrites) compact(ctx context.Context, ranges []keyRange) error {
	if w.health.resting() {
		return errors.New("compaction is paused because it failed; try again later")
	}
	w.garbage.Store(0)
	dead, deleted := w.dead, w.deleted
	w.dead, w.deleted = nil, nil
	for _, r := range ranges {
		err := ctx.Err()
		if err == nil {
			err = w.db.Compact(ctx, r.start, r.end, false)
		}
		if err != nil {
			w.unclaimed = ctx.Err() == nil
			w.dead, w.deleted = append(dead, w.dead...), append(deleted, w.deleted...)
			return w.space.explain(err)
		}
	}
	w.unclaimed = false
	if len(deleted) == 0 {
		return nil
	}
	if err := w.listDeletions(); err != nil {
		w.deleted = deleted
		return err
	}
	b := w.db.NewBatch()
	defer b.Close()
	for _, id := range deleted { // nothing is left of them
		b.Delete(format.PartitionKey(format.KindPartition, id), nil)
	}
	return w.write(b)
}

// maxGarbage limits the deleted data that is still on the disk, in bytes.
const maxGarbage = 8 << 20

// maxDead limits the list of dropped keys.
const maxDead = 4096

// rewriteLater requests that tables be rewritten, which removes damage. w is locked.
func (w *rewrites) rewriteLater(tables []keyRange) {
	w.dead, w.unclaimed = append(w.dead, tables...), true
	w.health.compacted(nil) // what failed before can go on
}
