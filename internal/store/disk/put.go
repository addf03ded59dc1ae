package disk

import (
	"context"
	"slices"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/profile"
)

// An intake puts profiles, in these stages:
//
//	admit    records are valid, and there is space for them
//	claim    each record is put once, whoever else puts it; see identities
//	append   records of a partition are encoded and handed to the log
//	await    the log is durable; see kv
//
// Waiting for the disk is done without locks, and one sync serves all who wait.
type intake struct {
	*kv
	calls     *calls
	admission *admission
	healer    *healer
	ids       *identities
	appender  *appender
	counts    *counts
}

// putEach puts each record once. Those that it writes are not known.
func (x *Store) putEach(ctx context.Context, records []store.Record, known []bool) error {
	at := make([]int, len(records)) // where a record is among all
	for i := range at {
		at[i] = i
	}
	for len(records) > 0 {
		mine, others, wait, err := x.ids.claim(records)
		if err != nil {
			return err
		}
		if n := len(records) - len(mine) - len(others); n > 0 {
			x.counts.duplicates.Add(int64(n))
			if err := x.barrier(); err != nil {
				x.ids.release(records, mine, 0)
				return err
			}
		}
		if len(mine) > 0 {
			for _, i := range mine {
				known[at[i]] = false
			}
			written, err := x.putAll(records, mine)
			x.ids.release(records, mine, written)
			if err != nil {
				return err
			}
		}
		// What another call is putting is waited for, and put if that failed.
		rest := make([]store.Record, len(others))
		left := make([]int, len(others))
		for i, other := range others {
			rest[i], left[i] = records[other], at[other]
		}
		if records, at = rest, left; wait != nil {
			select {
			case <-wait:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// forget drops what is in memory of a Put that failed. p is locked.
func (s *Store) forget(p *partition) {
	s.unload(p)
	s.trimHours(p)
}

// trimHours drops hours without profiles. p is locked.
func (s *Store) trimHours(p *partition) {
	p.hours = slices.DeleteFunc(p.hours, func(h *hourData) bool { return len(h.fresh.List) == 0 && h.packed.Profiles == 0 })
}

// translate turns the samples of a profile that are not all zeros into w.samples,
// and returns their totals.
func (w *writer) translate(in *format.Interner, p *profile.Profile) []int64 {
	w.used = w.used[:0]
	for s := range p.Stacks {
		bits := int64(0)
		for _, col := range p.Values {
			bits |= col[s]
		}
		if bits != 0 {
			w.used = append(w.used, uint32(s))
		}
	}
	w.samples.Reset(len(p.SampleTypes))
	w.samples.Sites = in.Sites(w.samples.Sites, w.used)
	totals := make([]int64, len(p.SampleTypes))
	for t, col := range p.Values {
		to := w.samples.Values[t]
		for _, s := range w.used {
			v := col[s]
			to = append(to, v)
			totals[t] += v
		}
		w.samples.Values[t] = to
	}
	return totals
}
