package disk

import (
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// listDeletions makes the file of deletions name the partitions that are deleted. s.jobs is
// locked.
func (s *Store) listDeletions() error {
	ids := slices.Clone(s.deleted)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if slices.Equal(ids, s.listed) {
		return nil
	}
	if err := writeDeletions(s.o.FS, s.dir, ids); err != nil {
		return s.space.explain(err)
	}
	s.listed = ids
	return nil
}

// deletePartition deletes all of a partition. s.jobs is locked.
func (s *Store) deletePartition(b *pebble.Batch, id uint32) {
	for _, kind := range format.PerPartition {
		prefix := format.PartitionKey(kind, id)
		b.DeleteRange(prefix, format.After(prefix), nil)
		s.dead = append(s.dead, keyRange{prefix, format.After(prefix)})
	}
}

// deleteForGood deletes all of a partition, and marks it as deleted until nothing of it is on
// the disk. One that was dropped for its age needs no mark: if it came back it would be dropped
// again. s.jobs is locked.
func (s *Store) deleteForGood(b *pebble.Batch, id uint32) {
	s.deletePartition(b, id)
	b.Set(format.PartitionKey(format.KindPartition, id), format.Deleted.Append(nil), nil)
	s.deleted = append(s.deleted, id)
}

// deleteAgain deletes what may be back of partitions that were deleted, as a damaged table
// has lost what deleted it.
func (s *Store) deleteAgain() error {
	s.rewrites.Lock()
	defer s.rewrites.Unlock()
	ids := s.deleted
	s.deleted = nil
	b := s.db.NewBatch()
	defer b.Close()
	for _, id := range ids {
		s.deleteForGood(b, id)
	}
	if err := s.write(b); err != nil {
		return err
	}
	return s.listDeletions()
}

// deleteHour deletes an hour of a partition that has others. The roll-ups of its
// day are too large from then on, so they go, and are not used again: see
// partition.dropped.
func (s *Store) deleteHour(b *pebble.Batch, p *partition, h format.Hour) {
	for _, kind := range format.PerHour {
		prefix := format.HourKey(kind, p.id, h)
		b.DeleteRange(prefix, format.After(prefix), nil)
		s.dead = append(s.dead, keyRange{prefix, format.After(prefix)})
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

// reclaim rewrites the key-value store's files where keys were deleted, so that
// these take no room any more: the fresh profiles that were packed, and hours
// that were dropped. What stays is left alone, however much it is. s.jobs is
// locked.
func (s *Store) reclaim(ctx context.Context) error {
	ranges := append(s.dead, keyRange{[]byte{format.KindHead}, []byte{format.KindHead + 1}}, keyRange{[]byte{format.KindSamples}, []byte{format.KindSamples + 1}})
	return s.compact(ctx, ranges)
}

// compact rewrites files with keys in some ranges. s.jobs is locked.
func (s *Store) compact(ctx context.Context, ranges []keyRange) error {
	if s.health.resting() {
		return errors.New("files can't be rewritten for now, as that failed")
	}
	s.garbage.Store(0)
	dead, deleted := s.dead, s.deleted
	s.dead, s.deleted = nil, nil
	for _, r := range ranges {
		err := ctx.Err()
		if err == nil {
			err = s.db.Compact(ctx, r.start, r.end, false)
		}
		if err != nil {
			s.unclaimed = ctx.Err() == nil
			s.dead, s.deleted = append(dead, s.dead...), append(deleted, s.deleted...)
			return s.space.explain(err)
		}
	}
	s.unclaimed = false
	if len(deleted) == 0 {
		return nil
	}
	if err := s.listDeletions(); err != nil {
		s.deleted = deleted
		return err
	}
	b := s.db.NewBatch()
	defer b.Close()
	for _, id := range deleted { // nothing is left of them
		b.Delete(format.PartitionKey(format.KindPartition, id), nil)
	}
	return s.write(b)
}

// maxGarbage limits the deleted data that is still on the disk, in bytes.
const maxGarbage = 8 << 20

// maxDead limits the list of dropped keys.
const maxDead = 4096

// rewriteLater has tables rewritten, which takes the damage away. s.jobs is locked.
func (s *Store) rewriteLater(tables []keyRange) {
	s.heals.Add(1)
	s.dead, s.unclaimed = append(s.dead, tables...), true
	s.health.compacted(nil) // what failed before can go on
}
