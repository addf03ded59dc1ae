package disk

import (
	"context"
	"slices"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A retention drops profiles: because of their age, to limit the size of the store, or because
// a user deletes them.
type retention struct {
	*kv
	o         *Options
	catalogue *catalogue
	dicts     *dictionaries
	ids       *identities
	rewrites  *rewrites
	counts    *counts
}

// retain drops hours that have expired, and the oldest hours while the store is larger than its
// limit. x.rewrites is locked.
func (x *retention) retain(ctx context.Context) error {
	oldest := x.o.oldest()
	if err := x.dropAside(oldest); err != nil {
		return err
	}
	for _, h := range x.catalogue.hours() {
		if h.End() > oldest || ctx.Err() != nil {
			break
		}
		n, err := x.dropHour(h)
		if err != nil {
			return err
		}
		x.o.Log.Info("dropped profiles that are older than the retention", "hour", h.String(), "profiles", n)
	}
	if x.o.MaxBytes <= 0 || x.rewrites.unclaimed {
		// Without the room of what was dropped, all would be dropped in the end.
		return ctx.Err()
	}
	// What was dropped takes room until it is compacted away.
	for _, h := range x.catalogue.hours() {
		if x.size() <= x.o.MaxBytes || ctx.Err() != nil {
			break
		}
		if h.End() > x.o.Now().UnixNano() {
			break // never what comes in now
		}
		n, err := x.dropHour(h)
		if err != nil {
			return err
		}
		x.o.Log.Warn("dropped the oldest profiles: the store exceeds its size limit", "hour", h.String(), "profiles", n,
			"bytes", x.size(), "max", x.o.MaxBytes)
		if err := x.rewrites.reclaim(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// dropHour drops the profiles of an hour and returns their number. x.rewrites is locked.
func (x *retention) dropHour(h format.Hour) (profiles int, err error) {
	for _, p := range x.catalogue.all() {
		if !p.covers(h, x.catalogue.epoch) {
			continue
		}
		n, err := x.dropHourOf(p, h)
		if err != nil {
			return profiles, err
		}
		profiles += n
	}
	x.ids.forgetHour(h)
	x.counts.dropped.Add(int64(profiles))
	return profiles, nil
}

func (x *retention) dropHourOf(p *partition, h format.Hour) (profiles int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.hour(h, false)
	if d == nil || p.gone {
		return 0, nil
	}
	profiles = int(d.profiles())
	b := x.db.NewBatch()
	if len(p.hours) == 1 {
		x.rewrites.deletePartition(b, p.id)
	} else {
		x.rewrites.deleteHour(b, p, h)
	}
	if err := x.apply(b); err != nil {
		return 0, err
	}
	if err := x.await(b); err != nil {
		return 0, err
	}
	p.hours = slices.DeleteFunc(p.hours, func(o *hourData) bool { return o == d })
	p.Dropped = max(p.Dropped, h+1)
	x.rewrites.garbage.Add(int64(d.packed.Bytes) + d.bytes)
	if len(p.hours) == 0 {
		p.gone = true
		x.dicts.unload(p)
		x.catalogue.drop(p)
	}
	return profiles, nil
}

// dropAside deletes expired partitions that are set aside. x.rewrites is locked.
func (x *retention) dropAside(oldest int64) error {
	for id, a := range x.catalogue.asides() {
		if a.Epoch.IsZero() || a.Epoch.UnixNano()+x.catalogue.epoch > oldest {
			continue
		}
		b := x.db.NewBatch()
		x.rewrites.deletePartition(b, id)
		if err := x.write(b); err != nil {
			return err
		}
		b.Close()
		x.catalogue.dropAsides(id)
	}
	return nil
}
