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
func (c *Store) all() []*partition {
	c.mu.Lock()
	ps := make([]*partition, 0, len(c.parts))
	for _, p := range c.parts {
		ps = append(ps, p)
	}
	c.mu.Unlock()
	slices.SortFunc(ps, func(a, b *partition) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), strings.Compare(a.Service, b.Service))
	})
	return ps
}

// findOrAdd returns the partition of a service and a time, making it.
func (c *Store) findOrAdd(name partitionName) *partition {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.parts[name]
	if p == nil {
		instance := slices.Clone(c.o.InstanceLabels)
		slices.Sort(instance)
		p = &partition{id: c.next, Partition: format.Partition{Epoch: name.epoch, Service: name.service, Instance: instance, Dropped: format.MinHour}}
		c.next++
		c.parts[name] = p
	}
	return p
}

func (c *Store) nameOf(r *store.Record) partitionName {
	return partitionName{store.Window(r.Time, c.epoch), r.Labels.Get(store.LabelService)}
}

// hours returns all hours with profiles, the oldest first.
func (c *Store) hours() []format.Hour {
	var out []format.Hour
	for _, p := range c.all() {
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
