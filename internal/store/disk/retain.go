package disk

import (
	"context"
	"slices"

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
	for _, p := range s.all() {
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
