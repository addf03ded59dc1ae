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
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/profile"
)

// Put keeps records; see [store.Store].
//
// A partition's profiles are translated one after another, under its lock, and
// handed to the log before the lock is released: so what a profile refers to is
// in the log before it, and outlasts a crash whenever it does. Waiting for the
// disk is done without locks, and one sync serves all who wait.
func (s *Store) Put(ctx context.Context, records []store.Record) error {
	if err := s.varied(records); err != nil {
		return err
	}
	return s.put(ctx, records)
}

// varied returns an error if a record belongs to a partition whose dictionary is as large
// as it may be. Whoever sends other stacks each time would have it take all memory.
func (s *Store) varied(records []store.Record) error {
	for i := range records {
		name := s.nameOf(&records[i])
		s.mu.Lock()
		p := s.parts[name]
		s.mu.Unlock()
		if p != nil && p.size.Load() > s.o.MaxDictionary {
			return fmt.Errorf("%w: those of %s since %s take more than %d MiB of memory, the limit (max_dictionary)", store.ErrVaried,
				p.Service, time.Unix(0, p.Epoch).UTC().Format(time.DateOnly), s.o.MaxDictionary>>20)
		}
	}
	return nil
}

// put is Put, whatever the size of dictionaries.
func (s *Store) put(ctx context.Context, records []store.Record) error {
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
		if format.HourOf(r.Time).End() <= oldest {
			s.counts.expired.Add(1)
			return fmt.Errorf("%w: it is of %s", store.ErrExpired, time.Unix(0, r.Time).UTC().Format(time.RFC3339))
		}
	}
	if err := s.space.check(); err != nil {
		if errors.Is(err, store.ErrFull) {
			s.counts.full.Add(int64(len(records)))
		}
		return err
	}
	known := make([]bool, len(records))
	for i := range known {
		known[i] = true
	}
	if err := s.whole(func() error { return s.putEach(ctx, records, known) }); err != nil {
		return err
	}
	if err := s.here(); err != nil {
		return err
	}
	for i := range records {
		records[i].Known = known[i]
	}
	return nil
}

// putEach puts each record once. Those that it writes are not known.
func (s *Store) putEach(ctx context.Context, records []store.Record, known []bool) error {
	at := make([]int, len(records)) // where a record is among all
	for i := range at {
		at[i] = i
	}
	for len(records) > 0 {
		mine, others, wait, err := s.ids.claim(records)
		if err != nil {
			return err
		}
		if n := len(records) - len(mine) - len(others); n > 0 {
			s.counts.duplicates.Add(int64(n))
			if err := s.barrier(); err != nil {
				s.ids.release(records, mine, 0)
				return err
			}
		}
		if len(mine) > 0 {
			for _, i := range mine {
				known[at[i]] = false
			}
			written, err := s.putAll(records, mine)
			s.ids.release(records, mine, written)
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
	s.trimGrown()
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
		return nil, damagedIn(p, err)
	}
	if !p.stored {
		// Its keys may be where nothing can be read, which is as good as not
		// keeping it.
		if err := s.readable(p.id); err != nil {
			s.unload(p)
			return nil, fmt.Errorf("%w: a table is damaged where new profiles go: %w: %w", store.ErrUnavailable, errRepair, err)
		}
	}
	if p.in == nil {
		p.in = format.NewInterner(p.dict)
		s.account(p)
	}
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.pending = w.pending[:0]
	b := s.db.NewBatchWithSize(16 << 10)
	if !p.stored {
		b.Set(format.PartitionKey(format.KindPartition, p.id), p.Partition.Append(nil), nil)
	}
	seq := p.seq
	for _, i := range mine {
		seq++
		s.encode(w, b, p, &records[i], seq)
	}
	grown := p.dict.Lengths() != p.written
	if grown {
		w.buf = p.dict.AppendPiece(w.buf[:0], p.written, p.in.StringID)
		b.Set(format.DictionaryKey(p.id, p.pieces), w.buf, nil)
	}
	if err := s.apply(b); err != nil {
		b.Close()
		s.forget(p)
		return nil, err
	}
	if grown {
		p.small = append(p.small, piece{p.pieces, p.written})
		p.written = p.dict.Lengths()
		p.pieces++
		s.account(p)
	}
	p.stored, p.seq = true, seq
	p.lastUsed = time.Now()
	s.counts.put.Add(int64(len(w.pending)))
	now := s.o.Now()
	for _, put := range w.pending {
		put.hour.fresh.Add(put.head, put.totals)
		put.hour.bytes += int64(put.bytes)
		put.hour.last = now
	}
	for _, put := range w.pending {
		s.nudge(put.hour)
	}
	return b, nil
}

// readable returns an error if keys of a new partition could not be read.
func (s *Store) readable(id uint32) error {
	if !s.health.knowsDamage() {
		return nil
	}
	for _, kind := range format.PerPartition {
		prefix := format.PartitionKey(kind, id)
		if err := s.scan(s.db, prefix, format.After(prefix), func(_, _ []byte) error { return nil }); err != nil {
			return err
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

// A writer is scratch memory of Put.
type writer struct {
	samples format.Samples
	used    []uint32 // the samples that have a value
	buf     []byte
	scratch []byte
	pending []pendingPut
}

type pendingPut struct {
	hour   *hourData
	head   format.Head
	totals []int64
	bytes  int
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// encode adds a record to a batch.
func (s *Store) encode(w *writer, b *pebble.Batch, p *partition, r *store.Record, seq uint64) {
	h := p.hour(format.HourOf(r.Time), true)
	p.in.Begin(r.Profile)
	totals := w.translate(p.in, r.Profile)
	put := pendingPut{hour: h, totals: totals}
	put.head = format.Head{Seq: seq, Time: r.Time, Duration: r.Duration, ID: r.ID, Samples: uint32(len(w.samples.Sites)), Schema: p.in.Schema()}
	put.head.Series = p.in.Series(r.Labels, put.head.Schema)
	p.in.End()

	w.buf = format.AppendHead(w.buf[:0], &put.head, totals)
	b.Set(format.SeqKey(format.KindHead, p.id, h.hour, seq), w.buf, nil)
	w.buf, w.scratch = format.AppendSamples(w.buf[:0], &w.samples, w.scratch)
	b.Set(format.SeqKey(format.KindSamples, p.id, h.hour, seq), w.buf, nil)
	put.bytes = len(w.buf)
	w.pending = append(w.pending, put)
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
