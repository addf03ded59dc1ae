package disk

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// A writer is scratch memory of Put.
type writer struct {
	samples format.Samples
	used    []uint32 // the samples that have a value
	buf     []byte
	scratch []byte
	fresh   []freshRecord
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// encodeRecords encodes the records with the indexes in mine into a batch, with what they add
// to the dictionary of their partition, which is locked. The addition is valid until the next
// call.
func (w *writer) encodeRecords(b *pebble.Batch, p *partition, records []store.Record, mine []int) addition {
	w.fresh = w.fresh[:0]
	seq := p.seq
	for _, i := range mine {
		seq++
		w.encodeRecord(b, p, &records[i], seq)
	}
	grown := p.dict.Lengths() != p.written
	if grown {
		w.buf = p.dict.AppendPiece(w.buf[:0], p.written, p.in.StringID)
		b.Set(format.DictionaryKey(p.id, p.pieces), w.buf, nil)
	}
	return addition{w.fresh, seq, grown}
}

// encodeRecord adds a record to a batch. It leaves out samples whose values are all 0.
func (w *writer) encodeRecord(b *pebble.Batch, p *partition, r *store.Record, seq uint64) {
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
	w.fresh = append(w.fresh, freshRecord{head, totals, len(w.buf)})
}
