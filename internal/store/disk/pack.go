package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// Packing writes the fresh profiles of an hour of a partition into blocks, adds them to
// their roll-ups, and deletes the fresh ones, in one batch. Concurrent readers see the state
// before or after it. It takes memory for the encoded profiles, up to maxFreshBytes, for the
// decoded profiles of one block, and for the roll-ups of one fleet.

// A packer packs fresh profiles into blocks and roll-ups.
type packer struct {
	*kv
	catalogue *catalogue
	dicts     *dictionaries
	cache     *cache
	healer    *healer
	rewrites  *rewrites
	counts    *counts
}

// pack packs the hours for which ripe returns true.
func (x *packer) pack(ctx context.Context, ripe func(h *hourData) bool) error {
	x.rewrites.Lock()
	defer x.rewrites.Unlock()
	for _, p := range x.catalogue.all() {
		p.mu.Lock()
		var hours []format.Hour
		for _, h := range p.hours {
			if len(h.fresh.List) > 0 && ripe(h) {
				hours = append(hours, h.hour)
			}
		}
		p.mu.Unlock()
		for _, h := range hours {
			more, err := true, error(nil)
			for more && err == nil {
				more, err = x.packHour(ctx, p, h)
			}
			if err = damagedIn(p, err); errors.As(err, new(*damagedPartition)) {
				healed, e := x.healer.heal()
				if e != nil {
					return e
				}
				if !healed {
					x.healer.setAside(p, err)
				}
				break // what is left is packed the next time
			} else if err != nil {
				return fmt.Errorf("service %s, hour %v: %w", p.Service, h, err)
			}
		}
		if err := x.dicts.mergePieces(p); err != nil {
			return fmt.Errorf("service %s: %w", p.Service, err)
		}
	}
	return nil
}

// A packing packs part of one hour.
type packing struct {
	ctx    context.Context
	p      *partition
	dict   format.Dictionary
	snap   *pebble.Snapshot
	hour   format.Hour
	batch  *pebble.Batch
	packed format.Summary
	before uint64 // version of what was packed before
	heads  format.Heads
	values []byte // the encoded samples of the fresh profiles, ...
	ends   []int  // ... and where each ends
	packer format.Packer
	buf    []byte
}

// packHour packs fresh profiles of an hour. It returns whether some are left. x.rewrites is
// locked.
func (x *packer) packHour(ctx context.Context, p *partition, h format.Hour) (more bool, err error) {
	p.mu.Lock()
	d := p.hour(h, false)
	if p.gone || d == nil || len(d.fresh.List) == 0 {
		p.mu.Unlock()
		return false, nil
	}
	if err := x.dicts.load(p); err != nil {
		p.mu.Unlock()
		return false, err
	}
	fresh := d.fresh
	k := &packing{ctx: ctx, p: p, dict: *p.dict, snap: x.db.NewSnapshot(), hour: h, packed: d.packed, before: d.version(), values: make([]byte, 0, min(d.bytes, maxFreshBytes))}
	p.mu.Unlock()
	defer k.snap.Close()

	k.batch = x.db.NewBatch()
	defer k.batch.Close()
	if k.packed.Profiles > 0 {
		old, err := x.cache.packedHeads(k.snap, p.id, h, k.before)
		if err != nil {
			return false, err
		}
		k.heads = old.Clone()
	}
	whole := len(fresh.List)
	if err := k.read(&fresh); err != nil {
		return false, err
	}
	order := make([]int, len(fresh.List))
	for i := range order {
		order[i] = i
		if sr := fresh.List[i].Series; int(sr) >= len(k.dict.Series) {
			return false, format.Damaged(format.SeqKey(format.KindHead, p.id, h, fresh.List[i].Seq), "it refers to series %d of %d", sr, len(k.dict.Series))
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &fresh.List[a], &fresh.List[b]
		return cmp.Or(cmp.Compare(k.dict.Series[x.Series].Fleet, k.dict.Series[y.Series].Fleet),
			cmp.Compare(x.Series, y.Series), cmp.Compare(x.Time, y.Time), cmp.Compare(x.Seq, y.Seq))
	})
	for len(order) > 0 {
		fleet := k.dict.Series[fresh.List[order[0]].Series].Fleet
		n := 1
		for n < len(order) && k.dict.Series[fresh.List[order[n]].Series].Fleet == fleet {
			n++
		}
		if err := k.fleet(fleet, &fresh, order[:n]); err != nil {
			return false, err
		}
		order = order[n:]
	}
	last := fresh.List[len(fresh.List)-1].Seq
	k.finish(last)

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return false, nil
	}
	if err := x.write(k.batch); err != nil {
		return false, err
	}
	x.counts.packed.Add(int64(len(fresh.List)))
	x.rewrites.garbage.Add(int64(len(k.values)))
	d.packed = k.packed
	var rest format.Heads
	for i := range d.fresh.List {
		if f := &d.fresh.List[i]; f.Seq > last {
			rest.Add(*f, d.fresh.TotalsOf(f))
		}
	}
	d.fresh = rest
	if d.bytes = max(d.bytes-int64(len(k.values)), 0); len(rest.List) == 0 {
		d.bytes = 0
	}
	return len(rest.List) > 0 && len(k.ends) < whole, nil
}

// read reads the samples of the first fresh profiles, as many as memory allows, and removes the
// others from fresh.
func (k *packing) read(fresh *format.Heads) error {
	first, last := fresh.List[0].Seq, fresh.List[len(fresh.List)-1].Seq
	at := func(seq uint64) []byte { return format.SeqKey(format.KindSamples, k.p.id, k.hour, seq) }
	errEnough := errors.New("enough")
	err := scan(k.snap, at(first), at(last+1), func(key, value []byte) error {
		if len(k.ends) > 0 && len(k.values)+len(value) > maxFreshBytes {
			return errEnough
		}
		if want := at(fresh.List[len(k.ends)].Seq); !bytes.Equal(key, want) {
			return format.Damaged(want, "it is missing")
		}
		k.values = append(k.values, value...)
		k.ends = append(k.ends, len(k.values))
		return k.ctx.Err()
	})
	if err == nil && len(k.ends) < len(fresh.List) {
		err = format.Damaged(at(fresh.List[len(k.ends)].Seq), "it is missing")
	}
	if err == errEnough {
		err = nil
		fresh.List = fresh.List[:len(k.ends)]
	}
	return err
}

// fleet packs the profiles of a fleet, which order lists by series.
func (k *packing) fleet(fleet uint32, fresh *format.Heads, order []int) error {
	var hourHead format.Rollup
	hourSums := &format.Sums{}
	for len(order) > 0 {
		series := fresh.List[order[0]].Series
		n := 1
		for n < len(order) && fresh.List[order[n]].Series == series {
			n++
		}
		sums, err := k.series(fresh, order[:n])
		if err != nil {
			return err
		}
		var dayHead format.Rollup
		for _, i := range order[:n] {
			dayHead.AddHead(&fresh.List[i], fresh.TotalsOf(&fresh.List[i]))
		}
		if err := k.addTo(format.LevelSeriesDay, series, &dayHead, sums); err != nil {
			return err
		}
		hourHead.Add(&dayHead)
		hourSums = hourSums.Merge(sums)
		order = order[n:]
	}
	if err := k.addTo(format.LevelFleetHour, fleet, &hourHead, hourSums); err != nil {
		return err
	}
	return k.addTo(format.LevelFleetDay, fleet, &hourHead, hourSums)
}

// series packs the profiles of a series and returns their sums.
func (k *packing) series(fresh *format.Heads, order []int) (*format.Sums, error) {
	all := &format.Sums{}
	types := int(fresh.List[order[0]].Types)
	for len(order) > 0 {
		if err := k.ctx.Err(); err != nil {
			return nil, err
		}
		k.packer.Reset()
		n, entries := 0, 0
		for n < len(order) && n < maxBlockProfiles {
			h := &fresh.List[order[n]]
			if entries += int(h.Samples); n > 0 && entries > maxBlockSamples {
				break
			}
			start := 0
			if i := order[n]; i > 0 {
				start = k.ends[i-1]
			}
			err := format.ReadSamples(k.packer.Next(), k.values[start:k.ends[order[n]]], types, -1, k.dict.Sites())
			if err != nil {
				return nil, format.InKey(format.SeqKey(format.KindSamples, k.p.id, k.hour, h.Seq), err)
			}
			n++
		}
		m := k.packer.Block(types, k.dict.Sites())
		all = all.Merge(m.Sums())
		block := uint32(k.packed.Blocks)
		k.packed.Blocks++
		for row, i := range order[:n] {
			h := fresh.List[i]
			h.Block, h.Row = block+1, uint32(row)
			k.heads.Add(h, fresh.TotalsOf(&h))
		}
		old, err := k.absorb(fresh.List[order[0]].Series, block, n, entries)
		if err != nil {
			return nil, err
		}
		if old {
			m = k.packer.Block(types, k.dict.Sites())
		}
		k.buf = m.Append(k.buf[:0])
		if err := k.batch.Set(format.BlockKey(k.p.id, k.hour, block), k.buf, nil); err != nil {
			return nil, err
		}
		k.packed.Bytes += uint64(len(k.buf))
		order = order[n:]
	}
	return all, nil
}

// absorb moves the profiles of older blocks of a series into the new one, if those blocks are
// not larger. So even if profiles arrive late and one by one, there are few blocks, and none is
// rewritten often. It returns whether there were such blocks.
func (k *packing) absorb(series, block uint32, profiles, entries int) (absorbed bool, err error) {
	type use struct{ profiles, entries int }
	old := map[uint32]use{}
	for i := range k.heads.List {
		if h := &k.heads.List[i]; h.Series == series && h.Block != block+1 {
			u := old[h.Block]
			old[h.Block] = use{u.profiles + 1, u.entries + int(h.Samples)}
		}
	}
	blocks := slices.SortedFunc(maps.Keys(old), func(a, b uint32) int { return cmp.Compare(b, a) })
	for _, b := range blocks {
		u := old[b]
		if u.profiles > profiles || profiles+u.profiles > maxBlockProfiles || entries+u.entries > maxBlockSamples {
			break
		}
		key := format.BlockKey(k.p.id, k.hour, b-1)
		types := 0
		for i := range k.heads.List {
			if h := &k.heads.List[i]; h.Block == b {
				types = int(h.Types)
			}
		}
		size := 0
		m, found, err := get(k.snap, key, func(value []byte) (*format.Block, error) {
			size = len(value)
			return format.ReadBlock(value, types, -1, k.dict.Sites())
		})
		if err != nil {
			return false, err
		}
		if !found {
			break // it is of this batch
		}
		k.packed.Bytes -= uint64(size)
		first := uint32(len(k.packer.Profiles))
		m.Split(&k.packer)
		for i := range k.heads.List {
			if h := &k.heads.List[i]; h.Block == b {
				h.Block, h.Row = block+1, h.Row+first
			}
		}
		if err := k.batch.Delete(key, nil); err != nil {
			return false, err
		}
		profiles, entries, absorbed = profiles+u.profiles, entries+u.entries, true
	}
	return absorbed, nil
}

// addTo adds to a stored roll-up.
func (k *packing) addTo(level uint8, owner uint32, head *format.Rollup, more *format.Sums) error {
	window := format.WindowOf(level, k.hour.Start())
	key := format.RollupKey(format.KindRollup, k.p.id, level, window, owner)
	old, found, err := get(k.snap, key, format.ReadRollup)
	if err != nil {
		return err
	}
	sumsKey := format.RollupKey(format.KindSums, k.p.id, level, window, owner)
	if found {
		types := len(more.Values)
		before, _, err := get(k.snap, sumsKey, func(value []byte) (*format.Sums, error) {
			return format.ReadSums(value, types, -1, k.dict.Sites())
		})
		if err != nil {
			return err
		}
		old.Add(head)
		head, more = old, before.Merge(more)
	}
	k.buf = head.Append(k.buf[:0])
	if err := k.batch.Set(key, k.buf, nil); err != nil {
		return err
	}
	k.buf = more.Append(k.buf[:0])
	return k.batch.Set(sumsKey, k.buf, nil)
}

// finish completes the batch.
func (k *packing) finish(last uint64) {
	slices.SortStableFunc(k.heads.List, func(a, b format.Head) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Row, b.Row))
	})
	k.packed.Profiles = uint64(len(k.heads.List))
	for i := range k.heads.List {
		h := &k.heads.List[i]
		if i == 0 {
			k.packed.First, k.packed.Last = h.Time, h.Time
		}
		k.packed.First, k.packed.Last = min(k.packed.First, h.Time), max(k.packed.Last, h.Time)
		k.packed.LastSeq = max(k.packed.LastSeq, h.Seq)
	}
	id := k.p.id
	k.batch.Set(format.HourKey(format.KindHeads, id, k.hour), k.heads.Append(k.buf[:0]), nil)
	k.batch.Set(format.HourKey(format.KindSummary, id, k.hour), k.packed.Append(nil), nil)
	for _, kind := range []byte{format.KindHead, format.KindSamples} {
		k.batch.DeleteRange(format.SeqKey(kind, id, k.hour, 0), format.SeqKey(kind, id, k.hour, last+1), nil)
	}
}
