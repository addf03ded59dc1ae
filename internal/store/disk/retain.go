package disk

import (
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// retain drops hours that are older than the store keeps profiles, and the
// oldest ones while the store takes more room than it may. s.jobs is locked.
func (s *Store) retain(ctx context.Context) error {
	oldest := s.oldest()
	if err := s.dropAside(oldest); err != nil {
		return err
	}
	for _, h := range s.hours() {
		if h.End() > oldest || ctx.Err() != nil {
			break
		}
		n, err := s.dropHour(h)
		if err != nil {
			return err
		}
		s.o.Log.Info("dropped profiles that are older than the retention", "hour", h.String(), "profiles", n)
	}
	if s.o.MaxBytes <= 0 || s.unclaimed {
		// Without the room of what was dropped, all would be dropped in the end.
		return ctx.Err()
	}
	// What was dropped takes room until it is compacted away.
	for _, h := range s.hours() {
		if s.size() <= s.o.MaxBytes || ctx.Err() != nil {
			break
		}
		if h.End() > s.o.Now().UnixNano() {
			break // never what comes in now
		}
		n, err := s.dropHour(h)
		if err != nil {
			return err
		}
		s.o.Log.Warn("dropped the oldest profiles: the store is larger than it may be", "hour", h.String(), "profiles", n,
			"bytes", s.size(), "max", s.o.MaxBytes)
		if err := s.reclaim(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// dropHour drops the profiles of an hour and returns their number. s.jobs is
// locked.
func (s *Store) dropHour(h format.Hour) (profiles int, err error) {
	for _, p := range s.partitions() {
		if p.Epoch != store.Window(h.Start(), s.epoch) {
			continue
		}
		n, err := s.dropHourOf(p, h)
		if err != nil {
			return profiles, err
		}
		profiles += n
	}
	s.ids.forgetHour(h)
	s.counts.dropped.Add(int64(profiles))
	return profiles, nil
}

func (s *Store) dropHourOf(p *partition, h format.Hour) (profiles int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.hour(h, false)
	if d == nil || p.gone {
		return 0, nil
	}
	profiles = int(d.packed.Profiles) + len(d.fresh.List)
	b := s.db.NewBatch()
	if len(p.hours) == 1 {
		s.deletePartition(b, p.id)
	} else {
		s.deleteHour(b, p, h)
	}
	if err := s.apply(b); err != nil {
		return 0, err
	}
	if err := s.await(b); err != nil {
		return 0, err
	}
	p.hours = slices.DeleteFunc(p.hours, func(o *hourData) bool { return o == d })
	p.Dropped = max(p.Dropped, h+1)
	s.garbage.Add(int64(d.packed.Bytes) + d.bytes)
	if len(p.hours) == 0 {
		p.gone = true
		s.unload(p)
		s.mu.Lock()
		delete(s.parts, partitionName{p.Epoch, p.Service})
		s.mu.Unlock()
	}
	return profiles, nil
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
	s.jobs.Lock()
	defer s.jobs.Unlock()
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

// keyRange is the keys from start to end.
type keyRange struct{ start, end []byte }

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

// dropAside deletes what is set aside and has expired. s.jobs is locked.
func (s *Store) dropAside(oldest int64) error {
	s.mu.Lock()
	var expired []uint32
	for id, a := range s.aside {
		if !a.Epoch.IsZero() && a.Epoch.UnixNano()+s.epoch <= oldest {
			expired = append(expired, id)
		}
	}
	s.mu.Unlock()
	for _, id := range expired {
		b := s.db.NewBatch()
		s.deletePartition(b, id)
		if err := s.write(b); err != nil {
			return err
		}
		b.Close()
		s.mu.Lock()
		delete(s.aside, id)
		s.mu.Unlock()
	}
	return nil
}
