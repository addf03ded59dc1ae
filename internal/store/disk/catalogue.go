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

// partitions returns all partitions, by epoch and service.
func (s *Store) partitions() []*partition {
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

// partitionOf returns the partition of a service and a time, making it.
func (s *Store) partitionOf(name partitionName) *partition {
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

// A partition of which something can't be read is set aside: nothing of it is
// served any more, so that all answers are exact for the others, and new profiles
// of its service and epoch go to a new partition. What can be read of it stays for
// Repair. That it is set aside is in its value, so that a restart, which may not
// meet the damage soon, doesn't serve records of it that were sent again since.

// Aside is a partition that is set aside.
type Aside struct {
	Service  string    // "" if that can't be read
	Epoch    time.Time // start of its profiles; zero if that can't be read
	Since    time.Time // when it was found
	Profiles int64     // those known of; -1 if none is
	Problem  string    // what can't be read
	// Returning is set for what is brought back while the store is in use; see
	// [Recovery].
	Returning bool
}

// Known tells in words how many profiles it has.
func (a Aside) Known() string {
	if a.Profiles < 0 {
		return "unknown"
	}
	return strconv.FormatInt(a.Profiles, 10)
}
