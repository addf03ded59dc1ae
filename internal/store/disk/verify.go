package disk

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
)

// Verify reads all of the store in a directory, which must not be open, and
// calls report for each thing that is wrong: bytes that don't match their
// checksum, references to nothing, sums that are not those of their parts. It
// changes nothing. fsys is nil for the operating system's. The error is of a
// store that can't be read at all.
func Verify(ctx context.Context, dir string, fsys vfs.FS, report func(problem string)) error {
	a, err := newAudit(ctx, dir, fsys, report)
	if err != nil {
		return err
	}
	defer a.close()
	for _, p := range a.parts {
		if err := a.partition(p, nil); err != nil {
			return err
		}
		if a.partBad == 0 {
			if err := a.rollups(p); err != nil {
				return err
			}
		}
	}
	return a.strangers()
}

// An audit reads a store whatever is wrong with it.
type audit struct {
	ctx    context.Context
	s      *Store // for its methods; it has neither background nor calls
	report func(string)
	parts  []*partition
	known  map[uint32]*partition
	dict   *dict
	// Of the partition that was read last.
	service string
	epoch   int64
	partBad int
	hours   map[hour]*heads // readable packed profiles
	heads   int64           // number of heads read
}

func newAudit(ctx context.Context, dir string, fsys vfs.FS, report func(string)) (*audit, error) {
	o := Options{FS: fsys}
	o.fill()
	if _, err := o.FS.Stat(dir); err != nil {
		return nil, err
	}
	lock, err := lockDir(o.FS, dir)
	if err != nil {
		return nil, fmt.Errorf("reading the store in %s: %w", dir, err)
	}
	po := pebbleOptions(o.FS, lock, slog.New(slog.DiscardHandler))
	po.ReadOnly, po.ErrorIfNotExists = true, true
	db, err := pebble.Open(dir, po)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("reading the store in %s: %w", dir, err)
	}
	a := &audit{ctx: ctx, report: report, known: map[uint32]*partition{},
		s: &Store{dir: dir, o: o, db: db, lock: lock, cache: newCache(0), room: newRoom(ctx, o.FS, dir, 0)}}
	value, closer, err := db.Get([]byte{keyFormat})
	if err == nil {
		r := reader{b: value}
		r.version(formatVersion)
		a.s.epoch = int64(r.uvarint())
		r.uvarint()
		err = inKey([]byte{keyFormat}, r.end())
		closer.Close()
	}
	if err == nil && a.s.epoch <= 0 {
		err = errors.New("its epochs have no length")
	}
	if err != nil {
		a.close()
		return nil, fmt.Errorf("reading the store in %s: %w", dir, err)
	}
	a.scan([]byte{keyPartition}, func(key, value []byte) error {
		if len(key) != 5 {
			return fmt.Errorf("the key has %d bytes, not 5", len(key))
		}
		p, err := readPartition(binary.BigEndian.Uint32(key[1:]), value)
		if err == nil {
			a.parts = append(a.parts, p)
			a.known[p.id] = p
		}
		return err
	})
	return a, ctx.Err()
}

func (a *audit) close() {
	a.s.db.Close()
	a.s.lock.Close()
}

// bad reports a problem.
func (a *audit) bad(format string, args ...any) {
	a.partBad++
	a.report(fmt.Sprintf(format, args...))
}

// scan calls f with the keys that begin with prefix, and reports errors. Where
// bytes of the key-value store can't be read it goes on behind the next hour.
func (a *audit) scan(prefix []byte, f func(key, value []byte) error) {
	start, end := slices.Clone(prefix), after(prefix)
	for range 1000 {
		last := slices.Clone(start)
		err := a.s.scan(a.s.db, start, end, func(key, value []byte) error {
			last = append(last[:0], key...)
			if err := f(key, value); err != nil {
				if errors.Is(err, errDamaged) {
					err = inKey(key, err)
				} else {
					err = fmt.Errorf("%s: %w", keyName(key), err)
				}
				a.bad("%v", err)
			}
			return a.ctx.Err()
		})
		if err == nil || a.ctx.Err() != nil {
			return
		}
		a.bad("what follows %s can't be read: %v", keyName(last), err)
		if len(last) <= len(prefix) || len(last) < 9 {
			return
		}
		start = after(last[:9])
		if slices.Compare(start, end) >= 0 {
			return
		}
	}
}

// loadDict reads as much of a partition's dictionary as it can.
func (a *audit) loadDict(p *partition) {
	a.dict = newDict()
	broken := false
	a.scan(partitionKey(keyDict, p.id), func(key, value []byte) error {
		if broken {
			return nil
		}
		before := a.dict.marks()
		err := a.dict.addPiece(value, p.instance)
		if err != nil {
			broken = true
			a.dict.truncate(before)
		}
		return err
	})
}

// truncate takes entries behind the marks away.
func (d *dict) truncate(to marks) {
	d.strings, d.mappings, d.functions = d.strings[:to.strings], d.mappings[:to.mappings], d.functions[:to.functions]
	d.locations = d.locations[:to.locations]
	n := min(len(d.parents), len(d.nodeLocs), to.nodes)
	d.parents, d.nodeLocs = d.parents[:n], d.nodeLocs[:n]
	d.sets = d.sets[:to.sets]
	n = min(len(d.siteNodes), len(d.siteSets), to.sites)
	d.siteNodes, d.siteSets = d.siteNodes[:n], d.siteSets[:n]
	d.schemas, d.series = d.schemas[:to.schemas], d.series[:to.series]
}

// partition reads the profiles of a partition, reports what is wrong, and calls
// good, unless it is nil, with those that are as they should be.
func (a *audit) partition(p *partition, good func(h *head, totals []int64, s *samples) error) error {
	a.partBad, a.hours, a.service, a.epoch = 0, map[hour]*heads{}, p.service, p.epoch
	a.loadDict(p)
	var err error
	one := func(key []byte, h *head, totals []int64, s *samples) error {
		if problem := a.check(h, totals, s); problem != "" {
			a.bad("%s: %s", keyName(key), problem)
			return nil
		}
		if good != nil {
			return good(h, totals, s)
		}
		return nil
	}
	a.scan(partitionKey(keyHead, p.id), func(key, value []byte) error {
		if len(key) != 17 || err != nil {
			return err
		}
		var hs heads
		if err := hs.readHead(binary.BigEndian.Uint64(key[9:]), value); err != nil {
			return err
		}
		h := &hs.list[0]
		a.heads++
		var s samples
		at := slices.Clone(key)
		at[0] = keySamples
		_, found, e := get(a.s.db, at, func(value []byte) (struct{}, error) {
			return struct{}{}, readSamples(&s, value, int(h.types), -1, len(a.dict.siteNodes))
		})
		if e == nil && !found {
			e = fmt.Errorf("%s are missing", keyName(at))
		}
		if e != nil {
			a.bad("%v", e)
			return nil
		}
		err = one(key, h, hs.totals, &s)
		return err
	})
	a.scan(partitionKey(keySamples, p.id), func(key, value []byte) error {
		at := slices.Clone(key)
		at[0] = keyHead
		_, found, e := get(a.s.db, at, func([]byte) (struct{}, error) { return struct{}{}, nil })
		if e == nil && !found {
			e = fmt.Errorf("%s is missing", keyName(at))
		}
		return e
	})
	a.scan(partitionKey(keyHeads, p.id), func(key, value []byte) error {
		if len(key) != 9 || err != nil {
			return err
		}
		hs, e := readHeads(value)
		if e != nil {
			return e
		}
		h := hour(flip(int32(binary.BigEndian.Uint32(key[5:]))))
		a.hours[h] = hs
		a.heads += int64(len(hs.list))
		a.summary(p, h, hs)
		err = a.blocks(p, h, hs, one)
		return err
	})
	return cmp.Or(err, a.ctx.Err())
}

// summary checks an hour's summary.
func (a *audit) summary(p *partition, h hour, hs *heads) {
	key := hourKey(keyHour, p.id, h)
	sum, found, err := get(a.s.db, key, readSummary)
	switch {
	case err != nil:
		a.bad("%v", err)
	case !found || sum.profiles != uint64(len(hs.list)):
		a.bad("%s tells of %d profiles, and there are %d", keyName(key), sum.profiles, len(hs.list))
	}
	for i := range hs.list {
		if o := &hs.list[i]; o.time < sum.first || o.time > sum.last || o.seq > sum.lastSeq || hourOf(o.time) != h || uint64(o.block) > sum.blocks {
			a.bad("%s doesn't cover profile %d", keyName(key), o.seq)
			break
		}
	}
}

// blocks reads the blocks that an hour's heads refer to.
func (a *audit) blocks(p *partition, h hour, hs *heads, one func([]byte, *head, []int64, *samples) error) error {
	for i := 0; i < len(hs.list); {
		n := i + 1
		for n < len(hs.list) && hs.list[n].block == hs.list[i].block {
			n++
		}
		of := hs.list[i:n]
		i = n
		key := blockKey(p.id, h, of[0].block-1)
		m, found, err := get(a.s.db, key, func(value []byte) (*matrix, error) {
			return readBlock(value, int(of[0].types), -1, len(a.dict.siteNodes))
		})
		if err == nil && !found {
			err = fmt.Errorf("%s is missing", keyName(key))
		}
		if err == nil && m.profiles != len(of) {
			err = fmt.Errorf("%s has %d profiles, and there are heads of %d", keyName(key), m.profiles, len(of))
		}
		if err != nil {
			a.bad("%v", err)
			continue
		}
		var k packer
		m.split(&k)
		for j := range of {
			if int(of[j].row) >= len(of) || of[j].types != of[0].types {
				a.bad("%s: the head of profile %d doesn't fit it", keyName(key), of[j].seq)
				continue
			}
			if err := one(key, &of[j], hs.totalsOf(&of[j]), &k.profiles[of[j].row]); err != nil {
				return err
			}
		}
		if err := a.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// check tells what is wrong with a profile.
func (a *audit) check(h *head, totals []int64, s *samples) string {
	d := a.dict
	if int(h.series) >= len(d.series) || int(h.schema) >= len(d.schemas) {
		return fmt.Sprintf("profile %d is of a series or schema that is not in the dictionary", h.seq)
	}
	if service := d.series[h.series].labels.Get(store.LabelService); service != a.service || store.Window(h.time, a.s.epoch) != a.epoch {
		return fmt.Sprintf("profile %d, of service %q, is in the wrong partition", h.seq, service)
	}
	if len(d.schemas[h.schema].types) != int(h.types) || d.schemas[h.schema].measures != d.series[h.series].measures {
		return fmt.Sprintf("profile %d has a schema that doesn't fit its series", h.seq)
	}
	for t, want := range totals {
		sum := int64(0)
		for _, v := range s.values[t] {
			sum += v
		}
		if sum != want {
			return fmt.Sprintf("the values of profile %d add up to %d of %s, not %d", h.seq, sum, d.schemas[h.schema].types[t].Type, want)
		}
	}
	return ""
}

// rollups compares the roll-ups of the partition that was read last with what
// they are of.
func (a *audit) rollups(p *partition) error {
	type wanted struct {
		head rollup
		sums *sparse
	}
	hours := make([]hour, 0, len(a.hours))
	for h := range a.hours {
		hours = append(hours, h)
	}
	slices.Sort(hours)
	for len(hours) > 0 {
		// A day at a time.
		day := windowOf(levelDay, hours[0].start())
		want := map[string]*wanted{}
		for len(hours) > 0 && windowOf(levelDay, hours[0].start()) == day {
			h := hours[0]
			hours = hours[1:]
			hs := a.hours[h]
			err := a.blocks(p, h, hs, func(_ []byte, o *head, totals []int64, s *samples) error {
				k := packer{profiles: []samples{*s}}
				one := k.matrix(len(totals), len(a.dict.siteNodes)).sparse()
				crowd := a.dict.series[o.series].crowd
				for level, owner := range [numLevels]uint32{levelCrowdHour: crowd, levelCrowdDay: crowd, levelDay: o.series} {
					key := string(rollupKey(keyRollup, p.id, uint8(level), windowOf(uint8(level), h.start()), owner))
					if want[key] == nil {
						want[key] = &wanted{sums: &sparse{}}
					}
					want[key].head.addHead(o, totals)
					want[key].sums = want[key].sums.merge(one)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		for key, w := range want {
			if level := key[5]; level != levelCrowdHour && day*24 < int32(p.dropped) {
				continue // it is not used
			}
			head, _, err := get(a.s.db, []byte(key), readRollup)
			if err != nil {
				a.bad("%v", err)
				continue
			}
			sumsKey := append([]byte{keySums}, key[1:]...)
			sums, found, err := get(a.s.db, sumsKey, func(value []byte) (*sparse, error) {
				return readSparse(value, len(w.head.totals), -1, len(a.dict.siteNodes))
			})
			switch {
			case err != nil:
				a.bad("%v", err)
			case head == nil || !found:
				a.bad("%s is missing", keyName([]byte(key)))
			case head.profiles != w.head.profiles || head.version != w.head.version || head.duration != w.head.duration ||
				head.first != w.head.first || head.last != w.head.last || !slices.Equal(head.totals, w.head.totals) || !slices.Equal(head.schemas, w.head.schemas):
				a.bad("%s is not of its profiles: it has %d, and there are %d", keyName([]byte(key)), head.profiles, w.head.profiles)
			case !sums.equal(w.sums):
				a.bad("%s has other sums than its profiles", keyName([]byte(key)))
			}
		}
	}
	return a.ctx.Err()
}

func (a *sparse) equal(b *sparse) bool {
	return slices.Equal(a.sites, b.sites) && slices.EqualFunc(a.values, b.values, slices.Equal[[]int64])
}

// strangers reports keys that belong to nothing.
func (a *audit) strangers() error {
	for _, kind := range perPartition {
		a.scan([]byte{kind}, func(key, value []byte) error {
			if len(key) < 5 || a.known[binary.BigEndian.Uint32(key[1:])] == nil {
				return errors.New("there is no such partition")
			}
			return nil
		})
	}
	return a.ctx.Err()
}

// A Repaired store tells what Repair did.
type Repaired struct {
	Kept, Lost int64  // profiles; Lost counts those that are known of
	Old        string // where the store is that was repaired
}

// Repair writes what can be read of the store in a directory, which must not be
// open, to a new one that takes its place. Roll-ups and indexes are made anew.
// The old one is kept under another name. problems are reported as by Verify.
func Repair(ctx context.Context, dir string, o Options, report func(problem string)) (Repaired, error) {
	var done Repaired
	a, err := newAudit(ctx, dir, o.FS, report)
	if err != nil {
		return done, err
	}
	closed := false
	defer func() {
		if !closed {
			a.close()
		}
	}()
	o.fill()
	o.Epoch, o.Retention, o.MaxBytes, o.PackAfter = time.Duration(a.s.epoch), 0, 0, -1
	fresh := dir + ".repaired"
	old := dir + ".damaged"
	for _, name := range []string{fresh, old} {
		if _, err := o.FS.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return done, fmt.Errorf("%s is in the way: it is of a repair before", name)
		}
	}
	to, err := Open(fresh, o)
	if err != nil {
		return done, err
	}
	for _, p := range a.parts {
		if err := a.copyTo(p, to, &done); err != nil {
			to.Close()
			o.FS.RemoveAll(fresh)
			return done, err
		}
	}
	err = to.Compact(ctx)
	if e := to.Close(); err == nil {
		err = e
	}
	if err != nil {
		o.FS.RemoveAll(fresh)
		return done, err
	}
	a.close()
	closed = true
	if err := o.FS.Rename(dir, old); err != nil {
		return done, err
	}
	done.Old = old
	return done, o.FS.Rename(fresh, dir)
}

// copyTo puts the good profiles of a partition into another store.
func (a *audit) copyTo(p *partition, to *Store, done *Repaired) error {
	var batch []store.Record
	flush := func() error {
		err := to.Put(a.ctx, batch)
		batch = batch[:0]
		return err
	}
	v := &view{s: a.s, p: p}
	heads, kept := a.heads, done.Kept
	err := a.partition(p, func(h *head, totals []int64, s *samples) error {
		v.dict = *a.dict
		part := &part{v: v, measures: v.dict.schemas[h.schema].measures, wanted: -1, schemas: map[uint32]int64{h.schema: h.time}}
		sums := newSums(len(totals), -1, len(v.dict.siteNodes))
		sums.add(s)
		batch = append(batch, store.Record{ID: h.id, Labels: v.dict.series[h.series].labels, Time: h.time, Duration: h.duration, Profile: part.build(sums)})
		done.Kept++
		if len(batch) == maxTogether {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	done.Lost += a.heads - heads - (done.Kept - kept)
	return err
}
