package disk

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// Verified is the result of Verify.
type Verified struct {
	Profiles int64 // known profiles
	Lost     int64 // known profiles that can't be read
	// Unsure is set if there may have been more.
	Unsure bool
}

func (v Verified) String() string {
	switch {
	case v.Unsure && v.Profiles == 0:
		return "no profile can be read; how many there were is unknown"
	case v.Unsure && v.Lost == 0:
		return fmt.Sprintf("profiles that can be read: %d; how many can't is unknown", v.Profiles)
	case v.Unsure:
		return fmt.Sprintf("profiles known of: %d; at least %d of them can't be read", v.Profiles, v.Lost)
	}
	return fmt.Sprintf("profiles: %d; %d of them can't be read", v.Profiles, v.Lost)
}

// An audit reads as much as possible of a store, whatever is damaged.
type audit struct {
	ctx    context.Context
	fs     vfs.FS
	files  *rawFiles
	lock   *pebble.Lock
	epoch  int64 // length of an epoch
	report func(string)
	parts  []*partition
	found  Verified
	dict   *format.Dictionary
	// Of the partition that was read last.
	service string
	start   int64 // of its epoch
	partBad int
	seen    map[uint64]seenProfile        // profiles by number
	uncited int64                         // profiles that are known by a count alone
	gone    hourRange                     // hours of these
	seq     uint64                        // of the last one known of
	hours   map[format.Hour]*format.Heads // readable packed profiles
}

// A seenProfile is a profile that something in the store mentions.
type seenProfile struct {
	hour     format.Hour
	readable bool
}

// An hourRange is a range of hours, which may be empty.
type hourRange struct {
	first, last format.Hour
	any         bool
}

func (r *hourRange) add(h format.Hour) {
	if !r.any {
		r.first, r.last, r.any = h, h, true
	}
	r.first, r.last = min(r.first, h), max(r.last, h)
}

func (r *hourRange) String() string {
	switch {
	case !r.any:
		return ""
	case r.first == r.last:
		return fmt.Sprintf(", of %v", r.first)
	}
	return fmt.Sprintf(", of %v to %v", r.first, r.last)
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
	a := &audit{ctx: ctx, fs: o.FS, lock: lock, report: report}
	if a.files, err = readFiles(ctx, o.FS, dir, a.report); err == nil {
		err = a.readPartitions(o, dir)
	}
	if err != nil {
		a.close()
		return nil, fmt.Errorf("reading the store in %s: %w", dir, err)
	}
	return a, nil
}

// readPartitions finds the partitions, including those whose description is lost.
func (a *audit) readPartitions(o Options, dir string) error {
	epoch, found, err := get(a.files, []byte{format.KindFormat}, format.ReadFormat)
	if err == nil && !found {
		err = format.Damaged([]byte{format.KindFormat}, "it is missing")
	}
	if errors.Is(err, format.ErrVersion) {
		return err
	}
	if a.epoch = epoch; err != nil {
		a.bad("%v", err)
		a.epoch = int64(o.Epoch) // no other has been in use
	}
	deletions, err := readDeletions(a.fs, dir)
	if errors.Is(err, format.ErrVersion) {
		return err
	}
	if err != nil {
		a.report(fmt.Sprintf("%v; no data is lost", err))
	}
	known := map[uint32]bool{}
	for _, id := range deletions {
		known[id] = true
	}
	a.scan([]byte{format.KindPartition}, func(key, value []byte) error {
		if err := format.CheckKey(key); err != nil {
			return err
		}
		info, e := format.ReadPartition(value)
		if errors.Is(e, format.ErrVersion) {
			err = e
		}
		if e != nil {
			return e
		}
		p := &partition{id: binary.BigEndian.Uint32(key[1:]), Partition: info, stored: true}
		if known[p.id] {
			return nil // it is deleted, and what says so here is lost
		}
		known[p.id] = true
		if p.Problem != "" {
			a.bad("the profiles of service %s from %s on are set aside: %s", p.Service, dateOf(p.Epoch), p.Problem)
		}
		if info.Deleted() {
			return nil
		}
		a.parts = append(a.parts, p)
		return nil
	})
	if errors.Is(err, format.ErrVersion) {
		return err
	}
	for _, kind := range format.PerPartition[1:] {
		for key := a.first([]byte{kind}); key != nil; {
			if len(key) < 5 {
				a.bad("%s is damaged: the key is too short", format.KeyName(key))
				break
			}
			id := binary.BigEndian.Uint32(key[1:])
			if !known[id] {
				known[id] = true
				a.bad("%s is not described", format.KeyName(format.PartitionKey(format.KindPartition, id)))
				a.parts = append(a.parts, &partition{id: id, Partition: format.Partition{Instance: o.InstanceLabels, Dropped: 1<<31 - 1}})
			}
			key = a.first(format.After(format.PartitionKey(kind, id)))
			if len(key) > 0 && key[0] != kind {
				break
			}
		}
	}
	return a.ctx.Err()
}

// first returns the first key from start on with the same kind, nil if there is none.
func (a *audit) first(start []byte) (first []byte) {
	if start == nil {
		return nil
	}
	errFound := errors.New("found")
	a.files.scan(start, []byte{start[0] + 1}, func(key, _ []byte) error {
		first = slices.Clone(key)
		return errFound
	})
	return first
}

// result returns what was found so far.
func (a *audit) result() Verified {
	a.found.Unsure = a.files.lossy
	return a.found
}

func (a *audit) close() { a.lock.Close() }

// bad reports a problem.
func (a *audit) bad(format string, args ...any) {
	a.partBad++
	a.report(fmt.Sprintf(format, args...))
}

// scan calls f with the keys that begin with prefix. It reports errors as problems.
func (a *audit) scan(prefix []byte, f func(key, value []byte) error) {
	a.files.scan(prefix, format.After(prefix), func(key, value []byte) error {
		if err := f(key, value); err != nil {
			if errors.Is(err, format.ErrDamaged) {
				err = format.InKey(key, err)
			} else {
				err = fmt.Errorf("%s: %w", format.KeyName(key), err)
			}
			a.bad("%v", err)
		}
		return a.ctx.Err()
	})
}

// loadDict reads as much of a partition's dictionary as it can. It skips a piece that doesn't
// continue the pieces before it. That happens if the deletion of a merged piece was lost.
func (a *audit) loadDict(p *partition) {
	a.dict = format.NewDictionary(p.Instance)
	a.scan(format.PartitionKey(format.KindDictionary, p.id), func(key, value []byte) error {
		before := a.dict.Lengths()
		err := a.dict.AddPiece(value)
		if err != nil {
			a.dict.Truncate(before)
		}
		return err
	})
}

// partition reads the profiles of a partition and reports problems. Unless good is nil, it is
// called with each good profile, once. A profile may be stored twice, fresh and packed, if the
// deletion of the fresh one was lost.
func (a *audit) partition(p *partition, good func(h *format.Head, totals []int64, s *format.Samples) error) error {
	a.partBad, a.hours, a.seen, a.uncited, a.gone, a.seq = 0, map[format.Hour]*format.Heads{}, map[uint64]seenProfile{}, 0, hourRange{}, 0
	a.loadDict(p)
	if p.Service == "" && !p.stored {
		a.describe(p)
	}
	a.service, a.start = p.Service, p.Epoch
	var err error
	one := func(key []byte, h *format.Head, totals []int64, s *format.Samples) error {
		if problem := a.check(h, totals, s); problem != "" {
			a.bad("%s: %s", format.KeyName(key), problem)
			return nil
		}
		if a.seen[h.Seq].readable {
			return nil
		}
		a.seen[h.Seq] = seenProfile{format.HourOf(h.Time), true}
		if good != nil {
			return good(h, totals, s)
		}
		return nil
	}
	a.scan(format.PartitionKey(format.KindHead, p.id), func(key, value []byte) error {
		if err != nil {
			return nil
		}
		h, totals, s, e := a.fresh(key, value)
		if e != nil {
			return e
		}
		err = one(key, h, totals, s)
		return nil
	})
	a.scan(format.PartitionKey(format.KindSamples, p.id), func(key, value []byte) error {
		if err := format.CheckKey(key); err != nil {
			return err
		}
		at := slices.Clone(key)
		at[0] = format.KindHead
		_, found, e := get(a.files, at, func([]byte) (struct{}, error) { return struct{}{}, nil })
		if e == nil && !found {
			a.noteSeen(format.SeqOfKey(key), format.HourOfKey(key))
			e = fmt.Errorf("%s is missing", format.KeyName(at))
		}
		return e
	})
	if err == nil {
		err = a.packed(p, one)
	}
	a.count(p)
	return cmp.Or(err, a.ctx.Err())
}

// noteSeen notes that a profile with this number was in an hour.
func (a *audit) noteSeen(seq uint64, h format.Hour) {
	a.seq = max(a.seq, seq)
	if !a.seen[seq].readable {
		a.seen[seq] = seenProfile{hour: h}
	}
}

// readable returns the number of readable profiles in the last partition.
func (a *audit) readable() (n int64) {
	for _, p := range a.seen {
		if p.readable {
			n++
		}
	}
	return n
}

// count adds the profiles of the last partition to the result. Profiles are numbered in order
// of arrival, so gaps show lost ones, unless hours were dropped.
func (a *audit) count(p *partition) {
	readable := a.readable()
	known := int64(len(a.seen)) + a.uncited
	if p.Dropped == format.MinHour {
		if missing := int64(a.seq) - known; missing > 0 {
			a.bad("%d profiles of partition %d are missing", missing, p.id)
		}
		known = int64(a.seq)
	}
	a.found.Profiles += known
	a.found.Lost += known - readable
	if known > readable {
		for _, o := range a.seen {
			if !o.readable {
				a.gone.add(o.hour)
			}
		}
		a.report(fmt.Sprintf("service %s, from %s on: %d of %d profiles can't be read%v",
			cmp.Or(p.Service, "unknown"), dateOf(p.Epoch), known-readable, known, &a.gone))
	}
}

// describe reconstructs a partition's description from its data.
func (a *audit) describe(p *partition) {
	for i := range a.dict.Series {
		p.Service = a.dict.Series[i].Labels.Get(store.LabelService)
	}
	for _, kind := range format.PerHour {
		if key := a.first(format.PartitionKey(kind, p.id)); len(key) >= 9 && binary.BigEndian.Uint32(key[1:]) == p.id {
			p.Epoch = store.Window(format.HourOfKey(key).Start(), a.epoch)
			return
		}
	}
}

// fresh reads a profile that isn't packed.
func (a *audit) fresh(key, value []byte) (*format.Head, []int64, *format.Samples, error) {
	if err := format.CheckKey(key); err != nil {
		return nil, nil, nil, err
	}
	a.noteSeen(format.SeqOfKey(key), format.HourOfKey(key))
	var hs format.Heads
	if err := hs.ReadHead(format.SeqOfKey(key), value); err != nil {
		return nil, nil, nil, err
	}
	h, s := &hs.List[0], new(format.Samples)
	at := slices.Clone(key)
	at[0] = format.KindSamples
	_, found, err := get(a.files, at, func(value []byte) (struct{}, error) {
		return struct{}{}, format.ReadSamples(s, value, int(h.Types), -1, a.dict.Sites())
	})
	if err == nil && !found {
		err = fmt.Errorf("%s are missing", format.KeyName(at))
	}
	return h, hs.TotalsOf(h), s, err
}

// packed reads the packed profiles of a partition and calls one with each.
func (a *audit) packed(p *partition, one func([]byte, *format.Head, []int64, *format.Samples) error) (err error) {
	lost := map[format.Hour]bool{} // hours whose list of profiles can't be read
	a.scan(format.PartitionKey(format.KindHeads, p.id), func(key, value []byte) error {
		if err := format.CheckKey(key); err != nil {
			return err
		}
		if err != nil {
			return nil
		}
		h := format.HourOfKey(key)
		hs, e := format.ReadHeads(value)
		if e != nil {
			lost[h] = true
			return e
		}
		a.hours[h] = hs
		for i := range hs.List {
			a.noteSeen(hs.List[i].Seq, h)
		}
		a.summary(p, h, hs)
		err = a.blocks(p, h, hs, one)
		return nil
	})
	if err != nil {
		return err
	}
	// Lists that are missing are known by the summaries, or by the blocks.
	counted := map[format.Hour]bool{}
	a.scan(format.PartitionKey(format.KindSummary, p.id), func(key, value []byte) error {
		if err := format.CheckKey(key); err != nil {
			return err
		}
		h := format.HourOfKey(key)
		if a.hours[h] != nil {
			return nil
		}
		sum, err := format.ReadSummary(value)
		if err != nil {
			return err
		}
		a.seq = max(a.seq, sum.LastSeq)
		counted[h] = true
		a.uncited += int64(sum.Profiles)
		a.gone.add(h)
		if lost[h] {
			return nil
		}
		return fmt.Errorf("%s is missing", format.KeyName(format.HourKey(format.KindHeads, p.id, h)))
	})
	a.scan(format.PartitionKey(format.KindBlock, p.id), func(key, value []byte) error {
		if err := format.CheckKey(key); err != nil {
			return err
		}
		h := format.HourOfKey(key)
		if a.hours[h] != nil || counted[h] {
			return nil
		}
		n, err := format.BlockProfiles(value)
		a.uncited += int64(n)
		a.gone.add(h)
		if err != nil || lost[h] {
			return err
		}
		lost[h] = true
		return fmt.Errorf("%s is missing", format.KeyName(format.HourKey(format.KindHeads, p.id, h)))
	})
	return nil
}

func dateOf(t int64) string { return time.Unix(0, t).UTC().Format(time.DateOnly) }

// summary checks an hour's summary.
func (a *audit) summary(p *partition, h format.Hour, hs *format.Heads) {
	key := format.HourKey(format.KindSummary, p.id, h)
	sum, found, err := get(a.files, key, format.ReadSummary)
	switch {
	case err != nil:
		a.bad("%v", err)
	case !found || sum.Profiles != uint64(len(hs.List)):
		a.bad("%s lists %d profiles, and there are %d", format.KeyName(key), sum.Profiles, len(hs.List))
	}
	a.seq = max(a.seq, sum.LastSeq)
	for i := range hs.List {
		if o := &hs.List[i]; o.Time < sum.First || o.Time > sum.Last || o.Seq > sum.LastSeq || format.HourOf(o.Time) != h || uint64(o.Block) > sum.Blocks {
			a.bad("%s doesn't cover profile %d", format.KeyName(key), o.Seq)
			break
		}
	}
}

// blocks reads the blocks that the heads of an hour refer to.
func (a *audit) blocks(p *partition, h format.Hour, hs *format.Heads, one func([]byte, *format.Head, []int64, *format.Samples) error) error {
	for i := 0; i < len(hs.List); {
		n := i + 1
		for n < len(hs.List) && hs.List[n].Block == hs.List[i].Block {
			n++
		}
		of := hs.List[i:n]
		i = n
		key := format.BlockKey(p.id, h, of[0].Block-1)
		m, found, err := get(a.files, key, func(value []byte) (*format.Block, error) {
			return format.ReadBlock(value, int(of[0].Types), -1, a.dict.Sites())
		})
		if err == nil && !found {
			err = fmt.Errorf("%s is missing", format.KeyName(key))
		}
		if err == nil && m.Profiles != len(of) {
			err = fmt.Errorf("%s has %d profiles, and there are heads of %d", format.KeyName(key), m.Profiles, len(of))
		}
		if err != nil {
			a.bad("%v", err)
			continue
		}
		var k format.Packer
		m.Split(&k)
		for j := range of {
			if int(of[j].Row) >= len(of) || of[j].Types != of[0].Types {
				a.bad("%s: the head of profile %d doesn't fit it", format.KeyName(key), of[j].Seq)
				continue
			}
			if err := one(key, &of[j], hs.TotalsOf(&of[j]), &k.Profiles[of[j].Row]); err != nil {
				return err
			}
		}
		if err := a.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// check describes what is wrong with a profile; "" means nothing.
func (a *audit) check(h *format.Head, totals []int64, s *format.Samples) string {
	return checkProfile(a.dict, a.service, a.start, a.epoch, h, totals, s)
}

// keptText describes how many profiles could be read and how many are lost.
func keptText(n, lost int64, unsure bool) string {
	switch {
	case unsure && lost == 0:
		return fmt.Sprintf("profiles kept: %d; how many are lost is unknown", n)
	case unsure:
		return fmt.Sprintf("profiles kept: %d; lost: at least %d", n, lost)
	}
	return fmt.Sprintf("profiles kept: %d; lost: %d", n, lost)
}

// copyTo passes the good profiles of a partition to put, which owns the records until it
// returns.
func (a *audit) copyTo(p *partition, put func(context.Context, []store.Record) error) error {
	var batch []store.Record
	flush := func() error {
		err := put(a.ctx, batch)
		batch = batch[:0]
		return err
	}
	err := a.partition(p, func(h *format.Head, totals []int64, s *format.Samples) error {
		sums := format.NewAdder(len(totals), -1, a.dict.Sites())
		sums.Add(s)
		one, err := a.dict.Profile(sums, map[uint32]int64{h.Schema: h.Time}, nil)
		if err != nil {
			return err
		}
		batch = append(batch, store.Record{ID: h.ID, Labels: a.dict.Series[h.Series].Labels, Time: h.Time, Duration: h.Duration, Profile: one})
		if len(batch) == maxTogether {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	return err
}
