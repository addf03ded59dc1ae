package disk

import (
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// errReturning is the error of a deletion that would not last.
var errReturning = errors.New("profiles are being brought back from a store that could not be opened, perhaps some of this service: delete it when that is done")

// DeleteService deletes all profiles of a service, with its series, roll-ups and
// dictionaries, also those that are set aside, and returns how many profiles these were.
// It is done at once: a crash leaves all of them or none. The files shrink as they are
// rewritten. With dry nothing is deleted.
func (s *Store) DeleteService(ctx context.Context, service string, dry bool) (profiles int64, err error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	defer s.calls.Done()
	s.jobs.Lock()
	defer s.jobs.Unlock()
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
	for _, p := range s.partitions() {
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
	return profiles, s.here()
}

var _ store.Deleter = (*Store)(nil)
