package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// packing takes the fresh profiles of an hour of a partition, writes them into
// blocks, adds them to the roll-ups of their windows, and deletes them, in one
// batch. Who reads meanwhile sees either. Memory is that of the encoded profiles,
// up to maxFreshBytes, of the decoded ones of a block, and of the roll-ups of a
// crowd.

const (
	// maxBlockSamples bounds the samples of a block, but for those of a single
	// profile. It is what packing and reading a block takes in memory.
	maxBlockSamples = 1 << 17
	// maxBlockProfiles bounds its profiles.
	maxBlockProfiles = 1 << 12
	// maxFreshBytes and maxFreshProfiles bound what is left unpacked in an hour
	// that profiles keep coming for; see tooMuch.
	maxFreshBytes    = 8 << 20
	maxFreshProfiles = 16 << 10
	// minFreshBytes is what is left unpacked at least while they do.
	minFreshBytes = 2 << 20
)

// background packs and drops profiles.
func (s *Store) background() {
	defer s.backdrops.Done()
	pause := time.Second
	if s.o.PackAfter > 0 {
		pause = min(pause, s.o.PackAfter)
	}
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-s.closing.Done():
			return
		case <-tick.C:
		case <-s.wake:
		}
		if s.o.PackAfter < 0 {
			continue
		}
		s.busy.Store(true)
		if err := s.maintain(s.closing); err != nil && s.closing.Err() == nil {
			s.o.Log.Error("the store's background work failed, and is tried again", "error", err)
		}
		s.busy.Store(false)
	}
}

// maintain does all background work that is due.
func (s *Store) maintain(ctx context.Context) error {
	select {
	case <-s.room.noRoom():
		return nil // it would only wait, too
	default:
	}
	if err := s.pack(ctx, s.ripe); err != nil {
		return err
	}
	s.jobs.Lock()
	defer s.jobs.Unlock()
	if err := s.retain(ctx); err != nil {
		return err
	}
	s.trim()
	if s.garbage.Load() > maxGarbage || len(s.dead) > maxDead {
		return s.reclaim(ctx)
	}
	return nil
}

// maxGarbage bounds what was deleted and is still on the disk.
const maxGarbage = 8 << 20

// maxDead bounds the list of what was dropped.
const maxDead = 4096

// tooMuch reports whether an hour has more unpacked than it should have. Queries
// read fresh profiles one by one, so there should be few; packing writes the
// heads of all packed ones again, so that half as many as those are not too many
// (they take about a twelfth of what they took).
func (h *hourData) tooMuch() bool {
	return h.bytes > min(max(6*int64(h.packed.bytes), minFreshBytes), maxFreshBytes) || len(h.fresh.list) > maxFreshProfiles
}

// nudge wakes the background job up if there is much to do for it.
func (s *Store) nudge(h *hourData) {
	if h.tooMuch() {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// ripe reports whether an hour is to be packed now: when nothing has come for it
// for a while, which is longer while the hour isn't over, or there is too much.
func (s *Store) ripe(h *hourData) bool {
	if h.tooMuch() {
		return true
	}
	now := s.o.Now()
	quiet := s.o.PackAfter
	if now.UnixNano() < h.hour.end() {
		quiet *= 6
	}
	return now.Sub(h.last) >= quiet || now.Before(h.last)
}

// Pack packs all profiles now, without waiting for their hours to be over.
func (s *Store) Pack(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	return s.pack(ctx, func(*hourData) bool { return true })
}

// pack packs the hours that ripe tells.
func (s *Store) pack(ctx context.Context, ripe func(h *hourData) bool) error {
	s.jobs.Lock()
	defer s.jobs.Unlock()
	for _, p := range s.partitions() {
		p.mu.Lock()
		var hours []hour
		for _, h := range p.hours {
			if len(h.fresh.list) > 0 && ripe(h) {
				hours = append(hours, h.hour)
			}
		}
		p.mu.Unlock()
		for _, h := range hours {
			more, err := true, error(nil)
			for more && err == nil {
				more, err = s.packHour(ctx, p, h)
			}
			if err != nil {
				return fmt.Errorf("service %s, hour %v: %w", p.service, h, err)
			}
		}
		if err := s.mergePieces(p); err != nil {
			return fmt.Errorf("service %s: %w", p.service, err)
		}
	}
	return nil
}

// A packing is one under way.
type packing struct {
	s      *Store
	ctx    context.Context
	v      *view
	hour   hour
	batch  *pebble.Batch
	packed summary
	heads  heads
	values []byte // the encoded samples of the fresh profiles, ...
	ends   []int  // ... and where each ends
	packer packer
	buf    []byte
}

// packHour packs the fresh profiles of an hour, and returns whether there are
// more. s.jobs is locked.
func (s *Store) packHour(ctx context.Context, p *partition, h hour) (more bool, err error) {
	p.mu.Lock()
	d := p.hour(h, false)
	if p.gone || d == nil || len(d.fresh.list) == 0 {
		p.mu.Unlock()
		return false, nil
	}
	if err := s.load(p); err != nil {
		p.mu.Unlock()
		return false, err
	}
	fresh := d.fresh
	k := &packing{s: s, ctx: ctx, hour: h, packed: d.packed, values: make([]byte, 0, min(d.bytes, maxFreshBytes)), v: &view{s: s, p: p, dict: *p.dict, snap: s.db.NewSnapshot()}}
	p.mu.Unlock()
	defer k.v.snap.Close()

	k.batch = s.db.NewBatch()
	defer k.batch.Close()
	if k.packed.profiles > 0 {
		old, err := s.packedHeads(k.v.snap, p, h, k.packed)
		if err != nil {
			return false, err
		}
		k.heads = heads{slices.Clone(old.list), slices.Clone(old.totals)}
	}
	whole := len(fresh.list)
	if err := k.read(&fresh); err != nil {
		return false, err
	}
	order := make([]int, len(fresh.list))
	for i := range order {
		order[i] = i
		if sr := fresh.list[i].series; int(sr) >= len(k.v.dict.series) {
			return false, inKey(seqKey(keyHead, p.id, h, fresh.list[i].seq), &damage{msg: fmt.Sprintf("it is of series %d of %d", sr, len(k.v.dict.series))})
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &fresh.list[a], &fresh.list[b]
		return cmp.Or(cmp.Compare(k.v.dict.series[x.series].crowd, k.v.dict.series[y.series].crowd),
			cmp.Compare(x.series, y.series), cmp.Compare(x.time, y.time), cmp.Compare(x.seq, y.seq))
	})
	for len(order) > 0 {
		crowd := k.v.dict.series[fresh.list[order[0]].series].crowd
		n := 1
		for n < len(order) && k.v.dict.series[fresh.list[order[n]].series].crowd == crowd {
			n++
		}
		if err := k.crowd(crowd, &fresh, order[:n]); err != nil {
			return false, err
		}
		order = order[n:]
	}
	last := fresh.list[len(fresh.list)-1].seq
	k.finish(last)

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return false, nil
	}
	if err := s.write(k.batch); err != nil {
		return false, err
	}
	s.counts.packed.Add(int64(len(fresh.list)))
	s.garbage.Add(int64(len(k.values)))
	d.packed = k.packed
	var rest heads
	for i := range d.fresh.list {
		if f := &d.fresh.list[i]; f.seq > last {
			rest.add(*f, d.fresh.totalsOf(f))
		}
	}
	d.fresh = rest
	if d.bytes = max(d.bytes-int64(len(k.values)), 0); len(rest.list) == 0 {
		d.bytes = 0
	}
	return len(rest.list) > 0 && len(k.ends) < whole, nil
}

// read reads the samples of the first fresh profiles, as many as there is memory
// for, and takes the others out of fresh.
func (k *packing) read(fresh *heads) error {
	first, last := fresh.list[0].seq, fresh.list[len(fresh.list)-1].seq
	at := func(seq uint64) []byte { return seqKey(keySamples, k.v.p.id, k.hour, seq) }
	errEnough := errors.New("enough")
	err := k.s.scan(k.v.snap, at(first), at(last+1), func(key, value []byte) error {
		if len(k.ends) > 0 && len(k.values)+len(value) > maxFreshBytes {
			return errEnough
		}
		if want := at(fresh.list[len(k.ends)].seq); !bytes.Equal(key, want) {
			return inKey(want, &damage{msg: "it is missing"})
		}
		k.values = append(k.values, value...)
		k.ends = append(k.ends, len(k.values))
		return k.ctx.Err()
	})
	if err == nil && len(k.ends) < len(fresh.list) {
		err = inKey(at(fresh.list[len(k.ends)].seq), &damage{msg: "it is missing"})
	}
	if err == errEnough {
		err = nil
		fresh.list = fresh.list[:len(k.ends)]
	}
	return err
}

// write writes a batch of background work. It needs no sync: after a crash the
// work is as if it had not been done.
func (s *Store) write(b *pebble.Batch) error {
	return s.room.explain(s.db.Apply(b, pebble.NoSync))
}

// crowd packs the profiles of a crowd, which are in the order of series.
func (k *packing) crowd(crowd uint32, fresh *heads, order []int) error {
	var hourHead rollup
	hourSums := &sparse{}
	for len(order) > 0 {
		series := fresh.list[order[0]].series
		n := 1
		for n < len(order) && fresh.list[order[n]].series == series {
			n++
		}
		sums, err := k.series(fresh, order[:n])
		if err != nil {
			return err
		}
		var dayHead rollup
		for _, i := range order[:n] {
			dayHead.addHead(&fresh.list[i], fresh.totalsOf(&fresh.list[i]))
		}
		if err := k.addTo(levelDay, series, &dayHead, sums); err != nil {
			return err
		}
		hourHead.add(&dayHead)
		hourSums = hourSums.merge(sums)
		order = order[n:]
	}
	if err := k.addTo(levelCrowdHour, crowd, &hourHead, hourSums); err != nil {
		return err
	}
	return k.addTo(levelCrowdDay, crowd, &hourHead, hourSums)
}

// series packs the profiles of a series and returns their sums.
func (k *packing) series(fresh *heads, order []int) (*sparse, error) {
	all := &sparse{}
	types := int(fresh.list[order[0]].types)
	for len(order) > 0 {
		if err := k.ctx.Err(); err != nil {
			return nil, err
		}
		k.packer.reset()
		n, entries := 0, 0
		for n < len(order) && n < maxBlockProfiles {
			h := &fresh.list[order[n]]
			if entries += int(h.samples); n > 0 && entries > maxBlockSamples {
				break
			}
			start := 0
			if i := order[n]; i > 0 {
				start = k.ends[i-1]
			}
			err := readSamples(k.packer.next(), k.values[start:k.ends[order[n]]], types, -1, len(k.v.dict.siteNodes))
			if err != nil {
				return nil, inKey(seqKey(keySamples, k.v.p.id, k.hour, h.seq), err)
			}
			n++
		}
		m := k.packer.matrix(types, len(k.v.dict.siteNodes))
		all = all.merge(m.sparse())
		block := uint32(k.packed.blocks)
		k.packed.blocks++
		for row, i := range order[:n] {
			h := fresh.list[i]
			h.block, h.row = block+1, uint32(row)
			k.heads.add(h, fresh.totalsOf(&h))
		}
		old, err := k.absorb(fresh.list[order[0]].series, block, n, entries)
		if err != nil {
			return nil, err
		}
		if old {
			m = k.packer.matrix(types, len(k.v.dict.siteNodes))
		}
		k.buf = m.append(k.buf[:0])
		if err := k.batch.Set(blockKey(k.v.p.id, k.hour, block), k.buf, nil); err != nil {
			return nil, err
		}
		k.s.counts.blocks.Add(1)
		k.packed.bytes += uint64(len(k.buf))
		order = order[n:]
	}
	return all, nil
}

// absorb moves the profiles of older blocks of a series, which are not larger
// than a new one, into it: so blocks stay few where profiles come late, one by
// one, and none is rewritten often.
func (k *packing) absorb(series, block uint32, profiles, entries int) (any bool, err error) {
	type use struct{ profiles, entries int }
	old := map[uint32]use{}
	for i := range k.heads.list {
		if h := &k.heads.list[i]; h.series == series && h.block != block+1 {
			u := old[h.block]
			old[h.block] = use{u.profiles + 1, u.entries + int(h.samples)}
		}
	}
	blocks := slices.SortedFunc(maps.Keys(old), func(a, b uint32) int { return cmp.Compare(b, a) })
	for _, b := range blocks {
		u := old[b]
		if u.profiles > profiles || profiles+u.profiles > maxBlockProfiles || entries+u.entries > maxBlockSamples {
			break
		}
		key := blockKey(k.v.p.id, k.hour, b-1)
		types := 0
		for i := range k.heads.list {
			if h := &k.heads.list[i]; h.block == b {
				types = int(h.types)
			}
		}
		size := 0
		m, found, err := get(k.v.snap, key, func(value []byte) (*matrix, error) {
			size = len(value)
			return readBlock(value, types, -1, len(k.v.dict.siteNodes))
		})
		if err != nil {
			return false, err
		}
		if !found {
			break // it is of this batch
		}
		k.packed.bytes -= uint64(size)
		first := uint32(len(k.packer.profiles))
		m.split(&k.packer)
		for i := range k.heads.list {
			if h := &k.heads.list[i]; h.block == b {
				h.block, h.row = block+1, h.row+first
			}
		}
		if err := k.batch.Delete(key, nil); err != nil {
			return false, err
		}
		profiles, entries, any = profiles+u.profiles, entries+u.entries, true
	}
	return any, nil
}

// addTo adds to a roll-up.
func (k *packing) addTo(level uint8, owner uint32, head *rollup, sums *sparse) error {
	window := windowOf(level, k.hour.start())
	key := rollupKey(keyRollup, k.v.p.id, level, window, owner)
	old, found, err := get(k.v.snap, key, readRollup)
	if err != nil {
		return err
	}
	sumsKey := rollupKey(keySums, k.v.p.id, level, window, owner)
	if found {
		types := len(sums.values)
		before, _, err := get(k.v.snap, sumsKey, func(value []byte) (*sparse, error) {
			return readSparse(value, types, -1, len(k.v.dict.siteNodes))
		})
		if err != nil {
			return err
		}
		old.add(head)
		head, sums = old, before.merge(sums)
	}
	k.buf = head.append(k.buf[:0])
	if err := k.batch.Set(key, k.buf, nil); err != nil {
		return err
	}
	k.buf = sums.append(k.buf[:0])
	return k.batch.Set(sumsKey, k.buf, nil)
}

// finish completes the batch.
func (k *packing) finish(last uint64) {
	slices.SortStableFunc(k.heads.list, func(a, b head) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.row, b.row))
	})
	k.packed.profiles = uint64(len(k.heads.list))
	for i := range k.heads.list {
		h := &k.heads.list[i]
		if i == 0 {
			k.packed.first, k.packed.last = h.time, h.time
		}
		k.packed.first, k.packed.last = min(k.packed.first, h.time), max(k.packed.last, h.time)
		k.packed.lastSeq = max(k.packed.lastSeq, h.seq)
	}
	id := k.v.p.id
	k.batch.Set(hourKey(keyHeads, id, k.hour), k.heads.append(k.buf[:0]), nil)
	k.batch.Set(hourKey(keyHour, id, k.hour), k.packed.append(nil), nil)
	for _, kind := range []byte{keyHead, keySamples} {
		k.batch.DeleteRange(seqKey(kind, id, k.hour, 0), seqKey(kind, id, k.hour, last+1), nil)
	}
}
