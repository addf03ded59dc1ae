package disk

import (
	"context"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
)

// retain drops hours that are older than the store keeps profiles, and the
// oldest ones while the store takes more room than it may. s.jobs is locked.
func (s *Store) retain(ctx context.Context) error {
	oldest := s.oldest()
	for _, h := range s.hours() {
		if h.end() > oldest || ctx.Err() != nil {
			break
		}
		n, err := s.dropHour(h)
		if err != nil {
			return err
		}
		s.o.Log.Info("dropped profiles that are older than the retention", "hour", h.String(), "profiles", n)
	}
	if s.o.MaxBytes <= 0 {
		return ctx.Err()
	}
	// What was dropped takes room until it is compacted away.
	for _, h := range s.hours() {
		if s.size() <= s.o.MaxBytes || ctx.Err() != nil {
			break
		}
		if h.end() > s.o.Now().UnixNano() {
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

// size is what the store's data takes on the disk, without logs.
func (s *Store) size() int64 {
	total := s.db.Metrics().Total()
	return total.AggregateSize()
}

// hours returns all hours with profiles, the oldest first.
func (s *Store) hours() []hour {
	var out []hour
	for _, p := range s.partitions() {
		p.mu.Lock()
		for _, h := range p.hours {
			out = append(out, h.hour)
		}
		p.mu.Unlock()
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// dropHour drops the profiles of an hour and returns their number. s.jobs is
// locked.
func (s *Store) dropHour(h hour) (profiles int, err error) {
	for _, p := range s.partitions() {
		if p.epoch != store.Window(h.start(), s.epoch) {
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

func (s *Store) dropHourOf(p *partition, h hour) (profiles int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.hour(h, false)
	if d == nil || p.gone {
		return 0, nil
	}
	profiles = int(d.packed.profiles) + len(d.fresh.list)
	b := s.db.NewBatch()
	if len(p.hours) == 1 {
		for _, kind := range perPartition {
			prefix := partitionKey(kind, p.id)
			b.DeleteRange(prefix, after(prefix), nil)
			s.dead = append(s.dead, keyRange{prefix, after(prefix)})
		}
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
	p.dropped = max(p.dropped, h+1)
	s.garbage.Add(int64(d.packed.bytes) + d.bytes)
	if len(p.hours) == 0 {
		p.gone = true
		s.unload(p)
		s.mu.Lock()
		delete(s.parts, partitionName{p.epoch, p.service})
		s.mu.Unlock()
	}
	return profiles, nil
}

// deleteHour deletes an hour of a partition that has others. The roll-ups of its
// day are too large from then on, so they go, and are not used again: see
// partition.dropped.
func (s *Store) deleteHour(b *pebble.Batch, p *partition, h hour) {
	for _, kind := range perHour {
		prefix := hourKey(kind, p.id, h)
		b.DeleteRange(prefix, after(prefix), nil)
		s.dead = append(s.dead, keyRange{prefix, after(prefix)})
	}
	for level := range uint8(numLevels) {
		for _, kind := range []byte{keyRollup, keySums} {
			prefix := windowKey(kind, p.id, level, windowOf(level, h.start()))
			b.DeleteRange(prefix, after(prefix), nil)
		}
	}
	q := partition{epoch: p.epoch, service: p.service, instance: p.instance, dropped: max(p.dropped, h+1)}
	b.Set(partitionKey(keyPartition, p.id), q.value(), nil)
}

// keyRange is the keys from start to end.
type keyRange struct{ start, end []byte }

// reclaim rewrites the key-value store's files where keys were deleted, so that
// these take no room any more: the fresh profiles that were packed, and hours
// that were dropped. What stays is left alone, however much it is. s.jobs is
// locked.
func (s *Store) reclaim(ctx context.Context) error {
	ranges := append(s.dead, keyRange{[]byte{keyHead}, []byte{keyHead + 1}}, keyRange{[]byte{keySamples}, []byte{keySamples + 1}})
	return s.compact(ctx, ranges)
}

// compact rewrites files with keys in some ranges. s.jobs is locked.
func (s *Store) compact(ctx context.Context, ranges []keyRange) error {
	s.garbage.Store(0)
	s.dead = nil
	for _, r := range ranges {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.db.Compact(ctx, r.start, r.end, false); err != nil {
			return s.room.explain(err)
		}
	}
	return nil
}
