package disk

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// deleteService deletes all profiles of a service and returns their number. With dry, it only
// counts. After a crash, either all of them are deleted or none.
func (x *retention) deleteService(service string, dry bool) (profiles int64, err error) {
	x.rewrites.Lock()
	defer x.rewrites.Unlock()
	b := x.db.NewBatch()
	defer b.Close()
	// Nobody else has two of them locked.
	var parts []*partition
	defer func() {
		for _, p := range parts {
			p.mu.Unlock()
		}
	}()
	for _, p := range x.catalogue.all() {
		if p.Service != service {
			continue
		}
		p.mu.Lock()
		parts = append(parts, p)
		for _, h := range p.hours {
			profiles += h.profiles()
		}
	}
	var aside []uint32
	for id, a := range x.catalogue.asides() {
		if a.Service == service {
			aside = append(aside, id)
			profiles += max(a.Profiles, 0)
		}
	}
	if dry || len(parts)+len(aside) == 0 {
		return profiles, nil
	}
	for _, id := range aside {
		x.rewrites.deleteForGood(b, id)
	}
	for _, p := range parts {
		x.rewrites.deleteForGood(b, p.id)
	}
	if err := x.space.explain(x.db.Apply(b, pebble.Sync)); err != nil {
		return 0, err
	}
	x.catalogue.dropAsides(aside...)
	x.catalogue.drop(parts...)
	var hours []format.Hour
	for _, p := range parts {
		for _, h := range p.hours {
			hours = append(hours, h.hour)
			x.rewrites.garbage.Add(int64(h.packed.Bytes) + h.bytes)
		}
		p.gone, p.hours = true, nil
		x.dicts.unload(p)
		p.mu.Unlock()
	}
	parts = nil
	for _, h := range hours {
		x.ids.forgetHour(h) // what was deleted may come again
	}
	x.counts.dropped.Add(profiles)
	if err := x.rewrites.listDeletions(); err != nil {
		x.o.Log.Error("the list of deleted services could not be written; hone will try again", "service", service, "error", err)
	}
	return profiles, x.checkUsable()
}
