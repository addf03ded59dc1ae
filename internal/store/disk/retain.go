package disk

import (
	"context"
	"slices"

	"github.com/hone-go/hone/internal/store"
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

// retain drops hours that are older than the store keeps profiles, and the
// oldest ones while the store takes more room than it may. s.jobs is locked.
func (x *Store) retain(ctx context.Context) error {
	oldest := x.oldest()
	if err := x.dropAside(oldest); err != nil {
		return err
	}
	for _, h := range x.hours() {
		if h.End() > oldest || ctx.Err() != nil {
			break
		}
		n, err := x.dropHour(h)
		if err != nil {
			return err
		}
		x.o.Log.Info("dropped profiles that are older than the retention", "hour", h.String(), "profiles", n)
	}
	if x.o.MaxBytes <= 0 || x.unclaimed {
		// Without the room of what was dropped, all would be dropped in the end.
		return ctx.Err()
	}
	// What was dropped takes room until it is compacted away.
	for _, h := range x.hours() {
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
		if err := x.reclaim(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// dropHour drops the profiles of an hour and returns their number. s.jobs is
// locked.
func (x *Store) dropHour(h format.Hour) (profiles int, err error) {
	for _, p := range x.all() {
		if p.Epoch != store.Window(h.Start(), x.epoch) {
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

func (x *Store) dropHourOf(p *partition, h format.Hour) (profiles int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.hour(h, false)
	if d == nil || p.gone {
		return 0, nil
	}
	profiles = int(d.packed.Profiles) + len(d.fresh.List)
	b := x.db.NewBatch()
	if len(p.hours) == 1 {
		x.deletePartition(b, p.id)
	} else {
		x.deleteHour(b, p, h)
	}
	if err := x.apply(b); err != nil {
		return 0, err
	}
	if err := x.await(b); err != nil {
		return 0, err
	}
	p.hours = slices.DeleteFunc(p.hours, func(o *hourData) bool { return o == d })
	p.Dropped = max(p.Dropped, h+1)
	x.garbage.Add(int64(d.packed.Bytes) + d.bytes)
	if len(p.hours) == 0 {
		p.gone = true
		x.unload(p)
		x.mu.Lock()
		delete(x.parts, partitionName{p.Epoch, p.Service})
		x.mu.Unlock()
	}
	return profiles, nil
}

// dropAside deletes what is set aside and has expired. s.jobs is locked.
func (x *Store) dropAside(oldest int64) error {
	x.mu.Lock()
	var expired []uint32
	for id, a := range x.aside {
		if !a.Epoch.IsZero() && a.Epoch.UnixNano()+x.epoch <= oldest {
			expired = append(expired, id)
		}
	}
	x.mu.Unlock()
	for _, id := range expired {
		b := x.db.NewBatch()
		x.deletePartition(b, id)
		if err := x.write(b); err != nil {
			return err
		}
		b.Close()
		x.mu.Lock()
		delete(x.aside, id)
		x.mu.Unlock()
	}
	return nil
}
