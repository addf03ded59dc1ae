package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Put keeps records; see [store.Store].
//
// A partition's profiles are translated one after another, under its lock, and
// handed to the log before the lock is released: so what a profile refers to is
// in the log before it, and outlasts a crash whenever it does. Waiting for the
// disk is done without locks, and one sync serves all who wait.
func (s *Store) Put(ctx context.Context, records []store.Record) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	oldest := s.oldest()
	for i := range records {
		r := &records[i]
		if err := check(r); err != nil {
			return err
		}
		if hourOf(r.Time).end() <= oldest {
			s.counts.expired.Add(1)
			return fmt.Errorf("%w: it is of %s", store.ErrExpired, time.Unix(0, r.Time).UTC().Format(time.RFC3339))
		}
	}
	if err := s.room.check(); err != nil {
		s.counts.full.Add(int64(len(records)))
		return err
	}
	for len(records) > 0 {
		mine, others, wait, err := s.ids.claim(records)
		if err != nil {
			return err
		}
		if known := len(records) - len(mine) - len(others); known > 0 {
			s.counts.duplicates.Add(int64(known))
			if err := s.barrier(); err != nil {
				s.ids.release(records, mine, 0)
				return err
			}
		}
		if len(mine) > 0 {
			written, err := s.putAll(records, mine)
			s.ids.release(records, mine, written)
			if err != nil {
				return err
			}
		}
		// What another call is putting is waited for, and put if that failed.
		rest := make([]store.Record, len(others))
		for i, at := range others {
			rest[i] = records[at]
		}
		if records = rest; wait != nil {
			select {
			case <-wait:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// putAll puts those of records that are named, and waits until they are durable.
// The first of them, written, are in the store, but with an error it isn't
// certain for how long.
func (s *Store) putAll(records []store.Record, mine []int) (written int, err error) {
	var wait []*pebble.Batch
	for len(mine) > 0 && err == nil {
		// Records that belong together come together as a rule.
		name := s.nameOf(&records[mine[0]])
		n := 1
		for n < len(mine) && n < maxTogether && s.nameOf(&records[mine[n]]) == name {
			n++
		}
		var b *pebble.Batch
		if b, err = s.putIn(name, records, mine[:n]); b != nil {
			wait = append(wait, b)
			written += n
		}
		mine = mine[n:]
	}
	for _, b := range wait {
		if e := s.await(b); err == nil {
			err = e
		}
	}
	return written, err
}

// maxTogether bounds the records that are written in one batch.
const maxTogether = 64

func check(r *store.Record) error {
	if r.Labels.Get(store.LabelService) == "" || r.Labels.Get(store.LabelKind) == "" {
		return fmt.Errorf("a profile needs the labels %s and %s, and this one has %v", store.LabelService, store.LabelKind, r.Labels)
	}
	if r.Profile == nil || len(r.Profile.SampleTypes) == 0 {
		return errors.New("a profile needs a sample type, and this one has none")
	}
	return nil
}

func (s *Store) nameOf(r *store.Record) partitionName {
	return partitionName{store.Window(r.Time, s.epoch), r.Labels.Get(store.LabelService)}
}

// oldest is the time before which profiles have expired.
func (s *Store) oldest() int64 {
	if s.o.Retention <= 0 {
		return -1 << 63
	}
	return s.o.Now().Add(-s.o.Retention).UnixNano()
}

// putIn puts records, which are named, into one partition. The batch has been
// applied and is to be waited for.
func (s *Store) putIn(name partitionName, records []store.Record, mine []int) (*pebble.Batch, error) {
	p := s.partitionOf(name)
	p.mu.Lock()
	for p.gone {
		p.mu.Unlock()
		p = s.partitionOf(name)
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	if err := s.load(p); err != nil {
		return nil, err
	}
	if p.in == nil {
		p.in = newInterner(p.dict)
		s.account(p)
	}
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.pending = w.pending[:0]
	b := s.db.NewBatchWithSize(16 << 10)
	if !p.stored {
		b.Set(partitionKey(keyPartition, p.id), p.value(), nil)
	}
	seq := p.seq
	for _, i := range mine {
		seq++
		s.encode(w, b, p, &records[i], seq)
	}
	grown := p.dict.marks() != p.written
	if grown {
		w.buf = p.dict.appendPiece(w.buf[:0], p.written, p.in.stringID)
		b.Set(dictKey(p.id, p.pieces), w.buf, nil)
	}
	if err := s.apply(b); err != nil {
		b.Close()
		s.forget(p)
		return nil, err
	}
	if grown {
		p.small = append(p.small, piece{p.pieces, p.written})
		p.written = p.dict.marks()
		p.pieces++
		s.account(p)
	}
	p.stored, p.seq = true, seq
	p.lastUsed = time.Now()
	s.counts.put.Add(int64(len(w.pending)))
	now := s.o.Now()
	for _, put := range w.pending {
		put.hour.fresh.add(put.head, put.totals)
		put.hour.bytes += int64(put.bytes)
		put.hour.last = now
	}
	for _, put := range w.pending {
		s.nudge(put.hour)
	}
	return b, nil
}

// apply hands a batch to the log.
func (s *Store) apply(b *pebble.Batch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return s.room.explain(s.db.ApplyNoSyncWait(b, pebble.Sync))
}

// forget drops what is in memory of a Put that failed. p is locked.
func (s *Store) forget(p *partition) {
	s.unload(p)
	s.trimHours(p)
}

// trimHours drops hours without profiles. p is locked.
func (s *Store) trimHours(p *partition) {
	p.hours = slices.DeleteFunc(p.hours, func(h *hourData) bool { return len(h.fresh.list) == 0 && h.packed.profiles == 0 })
}

// A writer is scratch memory of Put.
type writer struct {
	samples samples
	used    []uint32 // the samples that have a value
	buf     []byte
	scratch []byte
	pending []pendingPut
}

type pendingPut struct {
	hour   *hourData
	head   head
	totals []int64
	bytes  int
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// encode adds a record to a batch.
func (s *Store) encode(w *writer, b *pebble.Batch, p *partition, r *store.Record, seq uint64) {
	h := p.hour(hourOf(r.Time), true)
	p.in.begin(r.Profile)
	totals := w.translate(p.in, r.Profile)
	put := pendingPut{hour: h, totals: totals}
	put.head = head{seq: seq, time: r.Time, duration: r.Duration, id: r.ID, samples: uint32(len(w.samples.sites)), schema: p.in.schema()}
	put.head.series = p.in.seriesOf(r.Labels, put.head.schema, p.instance)
	p.in.p = nil

	w.buf = appendHead(w.buf[:0], &put.head, totals)
	b.Set(seqKey(keyHead, p.id, h.hour, seq), w.buf, nil)
	w.buf, w.scratch = appendSamples(w.buf[:0], &w.samples, w.scratch)
	b.Set(seqKey(keySamples, p.id, h.hour, seq), w.buf, nil)
	put.bytes = len(w.buf)
	w.pending = append(w.pending, put)
}

// translate turns the samples of a profile that are not all zeros into w.samples,
// and returns their totals.
func (w *writer) translate(in *interner, p *profile.Profile) []int64 {
	w.used = w.used[:0]
	for s := range p.Stacks {
		any := int64(0)
		for _, col := range p.Values {
			any |= col[s]
		}
		if any != 0 {
			w.used = append(w.used, uint32(s))
		}
	}
	w.samples.sites = in.intern(w.samples.sites[:0], w.used)
	types := len(p.SampleTypes)
	for len(w.samples.values) < types {
		w.samples.values = append(w.samples.values, nil)
	}
	w.samples.values = w.samples.values[:types]
	totals := make([]int64, types)
	for t, col := range p.Values {
		to := w.samples.values[t][:0]
		for _, s := range w.used {
			v := col[s]
			to = append(to, v)
			totals[t] += v
		}
		w.samples.values[t] = to
	}
	return totals
}

// packedHeads returns the heads of an hour's packed profiles.
func (s *Store) packedHeads(db pebble.Reader, p *partition, h hour, packed summary) (*heads, error) {
	key := hourKey(keyHeads, p.id, h)
	ck := cacheKey{string(key), packed.lastSeq}
	return loadStored(s.cache, ck, db, key, "it is missing", readHeads)
}
