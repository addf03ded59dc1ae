package disk

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// A catalogue has the partitions of a store: those in use, and those that are set aside.
type catalogue struct {
	epoch    int64    // ns: how long the time of a partition is
	instance []string // labels that tell instances apart, sorted

	mu    sync.Mutex // guards what follows
	parts map[partitionName]*partition
	aside map[uint32]Aside // by number of the partition
	next  uint32           // number of the next partition
}

// all returns the partitions in use, sorted by epoch and service.
func (c *catalogue) all() []*partition {
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

// find returns a partition in use, nil if there is none.
func (c *catalogue) find(name partitionName) *partition {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.parts[name]
}

// lock returns a partition with its lock held. It adds the partition if there is none.
func (c *catalogue) lock(name partitionName) *partition {
	for {
		p := c.findOrAdd(name)
		p.mu.Lock()
		if !p.gone {
			return p
		}
		p.mu.Unlock()
	}
}

func (c *catalogue) findOrAdd(name partitionName) *partition {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.parts[name]
	if p == nil {
		p = &partition{id: c.next, Partition: format.Partition{Epoch: name.epoch, Service: name.service, Instance: slices.Clone(c.instance), Dropped: format.MinHour}}
		c.next++
		c.parts[name] = p
	}
	return p
}

// nameOf returns the name of the partition that a record belongs to.
func (c *catalogue) nameOf(r *store.Record) partitionName {
	return partitionName{store.Window(r.Time, c.epoch), r.Labels.Get(store.LabelService)}
}

// hours returns all hours with profiles, the oldest first.
func (c *catalogue) hours() []format.Hour {
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

// drop removes partitions, which are locked, from those in use.
func (c *catalogue) drop(ps ...*partition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range ps {
		c.forget(p)
	}
}

// forget removes a partition from those in use. c.mu is locked.
func (c *catalogue) forget(p *partition) {
	if name := (partitionName{p.Epoch, p.Service}); c.parts[name] == p {
		delete(c.parts, name)
	}
}

// setAside moves a partition, which is locked, from those in use to those set aside.
func (c *catalogue) setAside(p *partition, a Aside) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(p)
	c.aside[p.id] = a
}

// asides returns the partitions that are set aside, by number.
func (c *catalogue) asides() map[uint32]Aside {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.aside)
}

// dropAsides removes partitions from those set aside.
func (c *catalogue) dropAsides(ids ...uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		delete(c.aside, id)
	}
}
