package disk

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A healer keeps the answers of a store exact when data is damaged: it removes lost profiles,
// and sets aside partitions that can't be healed.
type healer struct {
	*kv
	o         *Options
	catalogue *catalogue
	dicts     *dictionaries
	cache     *cache
	ids       *identities
	rewrites  *rewrites
	counts    *counts
	heals     atomic.Uint64 // how often damage was healed

	mu     sync.Mutex
	losses []Loss // since the store was opened
}

// heal heals what is known to be damaged, and reports whether there was anything. s.jobs is
// locked.
func (x *Store) heal() (healed bool, err error) {
	var lost spans
	for {
		more, tables, err := x.health.examine(x.o.FS, x.dir)
		if err != nil || len(tables) == 0 {
			return healed, err
		}
		healed = true
		x.rewriteLater(tables)
		lost = append(lost, more...) // what was begun is done again if that met more damage
		if err := x.healAll(lost, true); err != nil {
			return healed, err
		}
	}
}

// healAll takes the profiles out of all partitions that are lost. Where it meets more damage,
// that is for the next call of heal. s.jobs is locked.
func (x *Store) healAll(lost spans, running bool) error {
	for _, p := range x.all() {
		hours, err := x.healPartition(p, lost, running)
		if isDamage(err) && !x.health.suspects() {
			x.setAside(p, err)
		} else if err != nil && !isDamage(err) {
			return err
		}
		for _, h := range hours {
			x.ids.forgetHour(h) // what is lost may come again
		}
	}
	if lost.hit([]byte{format.KindFormat}) {
		return x.write1([]byte{format.KindFormat}, format.AppendFormat(nil, x.epoch))
	}
	return nil
}

// healPartition takes the profiles out of a partition that are lost, and returns their hours.
func (x *Store) healPartition(p *partition, lost spans, running bool) (hours []format.Hour, err error) {
	if !slices.ContainsFunc(format.PerPartition, func(kind byte) bool { return lost.hit(format.PartitionKey(kind, p.id)) }) {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || !p.stored {
		return nil, nil
	}
	h := &healing{s: x, p: p, lost: lost, batch: x.db.NewBatch(), days: map[int32]bool{}, hours: map[format.Hour]*healedHour{}, running: running}
	defer h.batch.Close()
	if err := h.plan(); err != nil {
		return nil, err
	}
	for _, d := range p.hours {
		if h.hours[d.hour] == nil {
			continue
		}
		if err := h.hour(d); err != nil {
			return nil, err
		}
	}
	for day := range h.days {
		if err := h.rollUp(day); err != nil {
			return nil, err
		}
	}
	if err := x.write(h.batch); err != nil {
		return nil, err
	}
	h.apply()
	return slices.Collect(maps.Keys(h.hours)), nil
}

// tell logs and counts a loss.
func (x *healer) tell(loss Loss) {
	loss.Since = x.o.Now()
	x.counts.lost.Add(loss.Profiles)
	x.mu.Lock()
	x.losses = append(x.losses, loss)
	x.mu.Unlock()
	x.o.Log.Error("profiles are lost because a table of the store is damaged; all others are available",
		"service", loss.Service, "profiles", loss.Profiles, "from", loss.From.Format(time.RFC3339), "to", loss.To.Format(time.RFC3339))
}

// found returns the losses since the store was opened.
func (x *healer) found() []Loss {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.losses)
}

// retryHealed runs f, and again when what it finds to be damaged is healed, and without each
// partition that can't be.
func (x *Store) retryHealed(f func() error) error {
	for {
		heals := x.heals.Load()
		err := f()
		var at *damagedPartition
		if !errors.As(err, &at) {
			return err
		}
		if err := x.checkUsable(); err != nil {
			return err // the disk is gone, and nothing is damaged
		}
		x.rewrites.Lock()
		healed := x.heals.Load() != heals // meanwhile, for another call
		if !healed {
			var e error
			if healed, e = x.heal(); e != nil {
				x.rewrites.Unlock()
				return e
			}
		}
		x.rewrites.Unlock()
		if !healed {
			x.setAside(at.p, at.err)
		}
	}
}

// setAside sets a partition aside. Its lock is not held.
func (x *Store) setAside(p *partition, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return
	}
	if p.Since.IsZero() {
		p.Since = x.o.Now()
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
		if err := x.write1(format.PartitionKey(format.KindPartition, p.id), p.Partition.Append(nil)); err != nil {
			x.o.Log.Error("could not record that profiles are set aside", "error", err)
		}
	}
	p.gone, p.hours = true, nil
	x.unload(p)
	x.mu.Lock()
	defer x.mu.Unlock()
	if name := (partitionName{p.Epoch, p.Service}); x.parts[name] == p {
		delete(x.parts, name)
	}
	x.aside[p.id] = a
	x.o.Log.Error("set profiles aside, as something of them can't be read: hone store repair brings back what can be",
		"service", a.Service, "from", a.Epoch.Format(time.DateOnly), "profiles", a.Known(), "error", a.Problem)
}
