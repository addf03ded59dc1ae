package disk

import (
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

// appendAll stores the records with the indexes in mine, and waits until they are durable. The
// first of them, written, are in the store; after an error, they may not be durable.
func (x *appender) appendAll(records []store.Record, mine []int) (written int, err error) {
	var wait []*pebble.Batch
	for len(mine) > 0 && err == nil {
		// Records that belong together come together as a rule.
		name := x.catalogue.nameOf(&records[mine[0]])
		n := 1
		for n < len(mine) && n < maxTogether && x.catalogue.nameOf(&records[mine[n]]) == name {
			n++
		}
		var b *pebble.Batch
		if b, err = x.append(name, records, mine[:n]); b != nil {
			wait = append(wait, b)
			written += n
		}
		mine = mine[n:]
	}
	for _, b := range wait {
		if e := x.await(b); err == nil {
			err = e
		}
	}
	x.dicts.trimGrown(x.catalogue)
	return written, err
}

// append appends the records with the indexes in mine, all of the same partition, to the log.
// The caller must wait for the batch.
func (x *appender) append(name partitionName, records []store.Record, mine []int) (*pebble.Batch, error) {
	p := x.catalogue.lock(name)
	defer p.mu.Unlock()
	if err := x.dicts.open(p); err != nil {
		return nil, err
	}
	known := p.in != nil
	if !known {
		p.in = format.NewInterner(p.dict)
	}
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.encoded = w.encoded[:0]
	b := x.db.NewBatchWithSize(16 << 10)
	if !p.stored {
		b.Set(format.PartitionKey(format.KindPartition, p.id), p.Partition.Append(nil), nil)
	}
	seq := p.seq
	for _, i := range mine {
		seq++
		w.encode(b, p, &records[i], seq)
	}
	grown := p.dict.Lengths() != p.written
	if grown {
		w.buf = p.dict.AppendPiece(w.buf[:0], p.written, p.in.StringID)
		b.Set(format.DictionaryKey(p.id, p.pieces), w.buf, nil)
	}
	if err := x.apply(b); err != nil {
		b.Close()
		x.dicts.unload(p) // it has what is not in the log
		return nil, err
	}

	// What is in the log is in memory from here on.
	if grown {
		p.small = append(p.small, piece{p.pieces, p.written})
		p.written = p.dict.Lengths()
		p.pieces++
	}
	if grown || !known {
		x.dicts.account(p)
	}
	now, busy := x.now(), false
	for _, e := range w.encoded {
		h := p.hour(format.HourOf(e.head.Time), true)
		h.fresh.Add(e.head, e.totals)
		h.bytes += int64(e.bytes)
		h.last = now
		busy = busy || h.tooMuch()
	}
	p.stored, p.seq = true, seq
	p.lastUsed = time.Now()
	x.counts.put.Add(int64(len(w.encoded)))
	if busy {
		select {
		case x.wake <- struct{}{}:
		default:
		}
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
	head   format.Head
	totals []int64 // of its values, by sample type
	bytes  int     // size of its samples
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// encode adds a record to a batch. It leaves out samples whose values are all 0.
func (w *writer) encode(b *pebble.Batch, p *partition, r *store.Record, seq uint64) {
	w.used = w.used[:0]
	for s := range r.Profile.Stacks {
		bits := int64(0)
		for _, col := range r.Profile.Values {
			bits |= col[s]
		}
		if bits != 0 {
			w.used = append(w.used, uint32(s))
		}
	}
	w.samples.Reset(len(r.Profile.SampleTypes))
	sites, schema := p.in.Intern(r.Profile, w.used, w.samples.Sites)
	w.samples.Sites = sites
	totals := make([]int64, len(r.Profile.SampleTypes))
	for t, col := range r.Profile.Values {
		to := w.samples.Values[t]
		for _, s := range w.used {
			v := col[s]
			to = append(to, v)
			totals[t] += v
		}
		w.samples.Values[t] = to
	}
	head := format.Head{Seq: seq, Time: r.Time, Duration: r.Duration, ID: r.ID, Samples: uint32(len(sites)), Schema: schema}
	head.Series = p.in.Series(r.Labels, schema)

	hour := format.HourOf(r.Time)
	w.buf = format.AppendHead(w.buf[:0], &head, totals)
	b.Set(format.SeqKey(format.KindHead, p.id, hour, seq), w.buf, nil)
	w.buf, w.scratch = format.AppendSamples(w.buf[:0], &w.samples, w.scratch)
	b.Set(format.SeqKey(format.KindSamples, p.id, hour, seq), w.buf, nil)
	w.encoded = append(w.encoded, encoded{head, totals, len(w.buf)})
}
