package clickhouse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// An identity identifies a record.
type identity struct {
	time int64
	id   store.ID
}

// A profileRow is a row of the table of profiles.
type profileRow struct {
	identity
	service, kind string
	series        uint64
	header        uint64
	duration      int64
	came          int64
	known         bool   // it is in the store already
	totals        []byte // numbers of 8 bytes, as in all of the following
	sites         []byte
	values        [len(valueColumns)][]byte // of the first sample types
	more          []byte
}

func (r *profileRow) size() int64 {
	n := 128 + len(r.totals) + len(r.sites) + len(r.more)
	for _, v := range r.values {
		n += len(v)
	}
	return int64(n)
}

// appendTo appends the row to a block.
func (r *profileRow) appendTo(b block) {
	b.col("day").int32(dayOf(r.time))
	b.col("service").string(r.service)
	b.col("kind").string(r.kind)
	b.col("hour").int32(hourOf(r.time))
	b.col("series").uint64(r.series)
	b.col("time").int64(r.time)
	b.col("id").fixed(r.id[:])
	b.col("header").uint64(r.header)
	b.col("duration").int64(r.duration)
	b.col("totals").words(r.totals)
	b.col("sites").words(r.sites)
	for i, name := range valueColumns {
		b.col(name).words(r.values[i])
	}
	b.col("more").words(r.more)
	b.col("came").int64(-r.came)
}

// A pending is the rows of one call of Put that wait to be inserted.
type pending struct {
	rows  []profileRow
	words []word
	size  int64
	done  chan error // has room for one
}

// checkRecord returns an error if a record can't be stored.
func checkRecord(r *store.Record) error {
	if r.Labels.Get(store.LabelService) == "" || r.Labels.Get(store.LabelKind) == "" {
		return fmt.Errorf("a profile needs the labels %s and %s; this one has %v", store.LabelService, store.LabelKind, r.Labels)
	}
	if r.Profile == nil || len(r.Profile.SampleTypes) == 0 {
		return errors.New("the profile has no sample type")
	}
	return nil
}

// An encoder converts records to rows.
type encoder struct {
	now       func() time.Time
	numberers sync.Pool
}

func newEncoder(k *key, known func(uint64) bool, now func() time.Time) *encoder {
	return &encoder{now: now, numberers: sync.Pool{New: func() any { return &numberer{key: k, known: known} }}}
}

// encode returns the rows of records and the dictionary entries they need.
func (e *encoder) encode(records []store.Record) *pending {
	n := e.numberers.Get().(*numberer)
	defer func() {
		n.p, n.words, n.noted = nil, nil, nil
		e.numberers.Put(n)
	}()
	n.noted = map[uint64]bool{}
	p := &pending{rows: make([]profileRow, len(records)), done: make(chan error, 1)}
	for i := range records {
		p.rows[i] = rowOf(n, &records[i], e.now().UnixNano())
		p.size += p.rows[i].size()
	}
	p.words = n.words
	for i := range p.words {
		p.size += int64(len(p.words[i].content)) + 64
	}
	return p
}

// rowOf returns the row of a record that arrived at a time. It keeps no reference to the
// record.
func rowOf(n *numberer, rec *store.Record, came int64) profileRow {
	p := rec.Profile
	r := profileRow{
		identity: identity{rec.Time, rec.ID}, duration: rec.Duration, came: came,
		service: string([]byte(rec.Labels.Get(store.LabelService))), kind: string([]byte(rec.Labels.Get(store.LabelKind))),
	}
	n.begin(p, weekOf(rec.Time), r.service)
	r.series, r.header = n.series(rec.Labels), n.header()
	// Samples of zeros count nowhere.
	type sample struct {
		site uint64
		at   int
	}
	samples := make([]sample, 0, len(p.Stacks))
	for s := range p.Stacks {
		bits := int64(0)
		for _, col := range p.Values {
			bits |= col[s]
		}
		if bits != 0 {
			samples = append(samples, sample{n.site(s), s})
		}
	}
	// In their order by number, neighbours in a column have long runs in common.
	slices.SortFunc(samples, func(a, b sample) int {
		if a.site < b.site {
			return -1
		}
		if a.site > b.site {
			return 1
		}
		return a.at - b.at
	})
	buf := make([]byte, 0, 8*(len(samples)*(1+len(p.Values))+len(p.Values)))
	add := func(of func(i int) uint64, count int) []byte {
		start := len(buf)
		for i := range count {
			buf = binary.LittleEndian.AppendUint64(buf, of(i))
		}
		return buf[start:len(buf):len(buf)]
	}
	r.sites = add(func(i int) uint64 { return samples[i].site }, len(samples))
	totals := make([]int64, len(p.Values))
	start := len(buf)
	for t, col := range p.Values {
		for _, s := range samples {
			totals[t] += col[s.at]
			buf = binary.LittleEndian.AppendUint64(buf, uint64(col[s.at]))
		}
		if t < len(r.values) {
			r.values[t] = buf[start:len(buf):len(buf)]
			start = len(buf)
		}
	}
	if len(p.Values) > len(r.values) {
		r.more = buf[start:len(buf):len(buf)]
	}
	r.totals = add(func(i int) uint64 { return uint64(totals[i]) }, len(totals))
	return r
}
