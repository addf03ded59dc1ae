package disk

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A damagedPartition is the error of a partition of which something can't be read.
type damagedPartition struct {
	p   *partition
	err error
}

func (d *damagedPartition) Error() string { return d.err.Error() }
func (d *damagedPartition) Unwrap() error { return d.err }

// damagedIn says which partition err, of reading it, is of, if it is damage.
func damagedIn(p *partition, err error) error {
	var known *damagedPartition
	if !isDamage(err) || errors.As(err, &known) {
		return err
	}
	return &damagedPartition{p, err}
}

// whole runs f, and again when what it finds to be damaged is healed, and without each
// partition that can't be.
func (s *Store) whole(f func() error) error {
	for {
		heals := s.heals.Load()
		err := f()
		var at *damagedPartition
		if !errors.As(err, &at) {
			return err
		}
		if err := s.here(); err != nil {
			return err // the disk is gone, and nothing is damaged
		}
		s.jobs.Lock()
		healed := s.heals.Load() != heals // meanwhile, for another call
		if !healed {
			var e error
			if healed, e = s.heal(); e != nil {
				s.jobs.Unlock()
				return e
			}
		}
		s.jobs.Unlock()
		if !healed {
			s.setAside(at.p, at.err)
		}
	}
}

// setAside sets a partition aside. Its lock is not held.
func (s *Store) setAside(p *partition, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return
	}
	if p.Since.IsZero() {
		p.Since = s.o.Now()
	}
	a := Aside{Service: p.Service, Since: p.Since, Problem: why.Error()}
	if p.stored {
		a.Epoch = time.Unix(0, p.Epoch).UTC()
	}
	for _, h := range p.hours {
		a.Profiles += int64(h.packed.Profiles) + int64(len(h.fresh.List))
	}
	if a.Profiles == 0 {
		a.Profiles = -1 // it has some, or nobody would have read it
	}
	if p.stored && p.Problem == "" {
		p.Problem = a.Problem
		// What is put into the partition that takes its place comes later in the
		// log.
		if err := s.write1(format.PartitionKey(format.KindPartition, p.id), p.Partition.Append(nil)); err != nil {
			s.o.Log.Error("that a partition is set aside can't be written", "error", err)
		}
	}
	p.gone, p.hours = true, nil
	s.unload(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if name := (partitionName{p.Epoch, p.Service}); s.parts[name] == p {
		delete(s.parts, name)
	}
	s.aside[p.id] = a
	s.o.Log.Error("set profiles aside, as something of them can't be read: hone store repair brings back what can be",
		"service", a.Service, "from", a.Epoch.Format(time.DateOnly), "profiles", a.Known(), "error", a.Problem)
}

// asides returns what is set aside, in the order of time and service.
func (s *Store) asides() []Aside {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Collect(maps.Values(s.aside))
	for _, r := range s.recoveries {
		if !r.Done {
			out = append(out, r.left...)
		}
	}
	slices.SortFunc(out, func(a, b Aside) int {
		return cmp.Or(a.Epoch.Compare(b.Epoch), strings.Compare(a.Service, b.Service), strings.Compare(a.Problem, b.Problem))
	})
	return out
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
