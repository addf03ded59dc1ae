package disk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// all returns all all, by epoch and service.
func (s *Store) all() []*partition {
	s.mu.Lock()
	ps := make([]*partition, 0, len(s.parts))
	for _, p := range s.parts {
		ps = append(ps, p)
	}
	s.mu.Unlock()
	slices.SortFunc(ps, func(a, b *partition) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), strings.Compare(a.Service, b.Service))
	})
	return ps
}

// findOrAdd returns the partition of a service and a time, making it.
func (s *Store) findOrAdd(name partitionName) *partition {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.parts[name]
	if p == nil {
		instance := slices.Clone(s.o.InstanceLabels)
		slices.Sort(instance)
		p = &partition{id: s.next, Partition: format.Partition{Epoch: name.epoch, Service: name.service, Instance: instance, Dropped: format.MinHour}}
		s.next++
		s.parts[name] = p
	}
	return p
}

func (s *Store) nameOf(r *store.Record) partitionName {
	return partitionName{store.Window(r.Time, s.epoch), r.Labels.Get(store.LabelService)}
}

// hours returns all hours with profiles, the oldest first.
func (s *Store) hours() []format.Hour {
	var out []format.Hour
	for _, p := range s.all() {
		p.mu.Lock()
		for _, h := range p.hours {
			out = append(out, h.hour)
		}
		p.mu.Unlock()
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Aside is a partition that is set aside because some of its data can't be read.
type Aside struct {
	Service  string    // "" if that can't be read
	Epoch    time.Time // start of its profiles; zero if that can't be read
	Since    time.Time // when it was found
	Profiles int64     // known profiles; -1 if unknown
	Problem  string    // what can't be read
	// Returning is set while the profiles are being recovered; see [Recovery].
	Returning bool
}

// Known returns the number of profiles as text.
func (a Aside) Known() string {
	if a.Profiles < 0 {
		return "unknown"
	}
	return strconv.FormatInt(a.Profiles, 10)
}
