package disk

import (
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// An appender encodes records and appends them to the log.
//
// It holds the partition's lock while it encodes profiles and appends them. So the log has
// whatever a profile refers to before the profile itself, and after a crash, no profile refers
// to something that is lost.
type appender struct {
	*kv
	now       func() time.Time
	catalogue *catalogue
	dicts     *dictionaries
	counts    *counts
	wake      chan<- struct{} // tells the background job that an hour has much to pack
}

// maxTogether limits the number of records in one batch.
const maxTogether = 64

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

// putIn puts records, which are named, into one partition. The batch has been
// applied and is to be waited for.
func (s *Store) putIn(name partitionName, records []store.Record, mine []int) (*pebble.Batch, error) {
	p := s.findOrAdd(name)
	p.mu.Lock()
	for p.gone {
		p.mu.Unlock()
		p = s.findOrAdd(name)
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
	w.encoded = w.encoded[:0]
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

	// What is in the log is in memory from here on.
	if grown {
		p.small = append(p.small, piece{p.pieces, p.written})
		p.written = p.dict.Lengths()
		p.pieces++
		s.account(p)
	}
	p.stored, p.seq = true, seq
	p.lastUsed = time.Now()
	s.counts.put.Add(int64(len(w.encoded)))
	now := s.o.Now()
	for _, put := range w.encoded {
		put.hour.fresh.Add(put.head, put.totals)
		put.hour.bytes += int64(put.bytes)
		put.hour.last = now
	}
	for _, put := range w.encoded {
		s.nudge(put.hour)
	}
	return b, nil
}

// A writer is scratch memory of Put.
type writer struct {
	samples format.Samples
	used    []uint32 // the samples that have a value
	buf     []byte
	scratch []byte
	encoded []encoded
}

// encoded is what is kept of a record whose batch is being made.
type encoded struct {
	hour   *hourData
	head   format.Head
	totals []int64 // of its values, by sample type
	bytes  int     // size of its samples
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// encode adds a record to a batch.
func (s *Store) encode(w *writer, b *pebble.Batch, p *partition, r *store.Record, seq uint64) {
	h := p.hour(format.HourOf(r.Time), true)
	p.in.Begin(r.Profile)
	totals := w.translate(p.in, r.Profile)
	put := encoded{hour: h, totals: totals}
	put.head = format.Head{Seq: seq, Time: r.Time, Duration: r.Duration, ID: r.ID, Samples: uint32(len(w.samples.Sites)), Schema: p.in.Schema()}
	put.head.Series = p.in.Series(r.Labels, put.head.Schema)
	p.in.End()

	w.buf = format.AppendHead(w.buf[:0], &put.head, totals)
	b.Set(format.SeqKey(format.KindHead, p.id, h.hour, seq), w.buf, nil)
	w.buf, w.scratch = format.AppendSamples(w.buf[:0], &w.samples, w.scratch)
	b.Set(format.SeqKey(format.KindSamples, p.id, h.hour, seq), w.buf, nil)
	put.bytes = len(w.buf)
	w.encoded = append(w.encoded, put)
}
