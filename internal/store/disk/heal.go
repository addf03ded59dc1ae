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

// begin sets aside the unreadable partitions of an inventory. From the others, it removes the
// profiles that are lost with the keys in hit. It must return before the first query.
// x.rewrites is locked.
func (x *healer) begin(i *inventory, hit spans) error {
	for _, id := range slices.Sorted(maps.Keys(i.lost)) {
		p := i.byID[id]
		if p == nil {
			p = &partition{id: id}
		}
		x.setAside(p, i.lost[id])
	}
	if len(hit) == 0 {
		return nil
	}
	if err := x.healAll(hit, false); err != nil {
		return err
	}
	_, err := x.heal() // what that met
	return err
}

// heal removes lost profiles after damage was found, and reports whether there was any.
// x.rewrites is locked.
func (x *healer) heal() (healed bool, err error) {
	var lost spans
	for {
		more, tables, err := examine(x.space)
		if err != nil || len(tables) == 0 {
			return healed, err
		}
		healed = true
		x.heals.Add(1)
		x.rewrites.rewriteLater(tables)
		lost = append(lost, more...) // what was begun is done again if that met more damage
		if err := x.healAll(lost, true); err != nil {
			return healed, err
		}
	}
}

// healAll removes the profiles in lost from all partitions. If it finds more damage, the next
// call of heal takes care of it. x.rewrites is locked.
func (x *healer) healAll(lost spans, running bool) error {
	for _, p := range x.catalogue.all() {
		hours, err := x.healPartition(p, lost, running)
		if isDamage(err) && len(x.health.suspects()) == 0 {
			x.setAside(p, err)
		} else if err != nil && !isDamage(err) {
			return err
		}
		for _, h := range hours {
			x.ids.forgetHour(h) // what is lost may come again
		}
	}
	if lost.hit([]byte{format.KindFormat}) {
		return x.write1([]byte{format.KindFormat}, format.AppendFormat(nil, x.catalogue.epoch))
	}
	return nil
}

// healPartition removes the lost profiles from a partition and returns their hours.
func (x *healer) healPartition(p *partition, lost spans, running bool) (hours []format.Hour, err error) {
	if !slices.ContainsFunc(format.PerPartition, func(kind byte) bool { return lost.hit(format.PartitionKey(kind, p.id)) }) {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || !p.stored {
		return nil, nil
	}
	h := &healing{kv: x.kv, dicts: x.dicts, cache: x.cache, epoch: x.catalogue.epoch,
		p: p, lost: lost, batch: x.db.NewBatch(), days: map[int32]bool{}, hours: map[format.Hour]*healedHour{}, running: running}
	defer h.batch.Close()
	loss, err := h.run()
	if err != nil {
		return nil, err
	}
	if loss.Profiles > 0 {
		x.tell(loss)
	}
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

// retryHealed calls f until it meets no damage. After damage, it removes what is lost, or sets
// aside a partition that can't be healed, and calls f again.
func (x *healer) retryHealed(f func() error) error {
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

// A partition that can't be read completely, and can't be healed, is set aside: queries no
// longer read it, so that answers are exact for the others, and new profiles of its service
// and epoch go to a new partition. Its readable data stays on disk for Repair. The partition's
// stored value says that it is set aside. Otherwise a restart, which may not find the damage
// at once, would count records twice that were sent again since.

// setAside sets a partition aside. The caller must not hold its lock.
func (x *healer) setAside(p *partition, why error) {
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
		a.Profiles += h.profiles()
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
	x.dicts.unload(p)
	x.catalogue.setAside(p, a)
	x.o.Log.Error("set profiles aside because some of their data can't be read: run hone store repair to get back what can be read",
		"service", a.Service, "from", a.Epoch.Format(time.DateOnly), "profiles", a.Known(), "error", a.Problem)
}
