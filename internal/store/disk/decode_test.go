package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/store"
)

// randomSamples returns the samples of profiles: counters that grow, sizes that
// go with counts, noise, and what is seldom there.
func randomSamples(r *rand.Rand, profiles, sites int) []samples {
	out := make([]samples, profiles)
	count := make([]int64, sites)
	for i := range out {
		s := samples{values: make([][]int64, 5)}
		for site := range sites {
			if r.IntN(3) > 0 && site%3 > 0 {
				continue
			}
			count[site] += int64(r.IntN(4))
			s.sites = append(s.sites, uint32(site))
			noise := r.Int64() >> r.IntN(64)
			for t, v := range []int64{count[site], count[site] * int64(8+site), int64(r.IntN(3)) * 1e7, noise, 0} {
				s.values[t] = append(s.values[t], v)
			}
		}
		out[i] = s
	}
	return out
}

// Many numbers are read as one by one, also where the last one is cut off.
func TestUvarints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var value []byte
		n := r.IntN(8)
		for range n {
			value = binary.AppendUvarint(value, r.Uint64()>>r.IntN(64))
		}
		for cut := range len(value) + 1 {
			one, many := reader{b: value[:cut]}, reader{b: value[:cut]}
			want, got := make([]int64, n), make([]int64, n)
			for i := range want {
				want[i] = int64(one.uvarint())
			}
			many.uvarints(got)
			if !slices.Equal(got, want) || many.at != one.at || (many.err == nil) != (one.err == nil) || many.err != nil && many.err.Error() != one.err.Error() {
				t.Fatalf("%x: %v up to %d, %v; want %v up to %d, %v", value[:cut], got, many.at, many.err, want, one.at, one.err)
			}
		}
	}
}

func TestSamplesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, want := range randomSamples(r, 5, 200) {
		value, _ := appendSamples(nil, &want, nil)
		var got samples
		if err := readSamples(&got, value, 5, -1, 200); err != nil || !slices.Equal(got.sites, want.sites) || !reflect.DeepEqual(got.values, want.values) {
			t.Errorf("got %v, %v", got, err)
		}
		for wanted := range 5 {
			if err := readSamples(&got, value, 5, wanted, 200); err != nil || !slices.Equal(got.values[wanted], want.values[wanted]) {
				t.Errorf("column %d: got %v, %v", wanted, got.values[wanted], err)
			}
		}
	}
}

func TestBlockRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 64, 65, 200} {
		p := packer{profiles: randomSamples(r, n, 100)}
		m := p.matrix(5, 100)
		value := m.append(nil)
		got, err := readBlock(value, 5, -1, 100)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("%d profiles: %v", n, err)
		}
		for wanted := range 5 {
			one, err := readBlock(value, 5, wanted, 100)
			if err != nil || !slices.Equal(one.values[wanted], m.values[wanted]) {
				t.Fatalf("%d profiles, column %d: %v", n, wanted, err)
			}
		}
		// Profile by profile it is what went in.
		var back packer
		got.split(&back)
		if !reflect.DeepEqual(back.profiles, p.profiles) {
			t.Errorf("%d profiles don't come back", n)
		}
		// Sums of some profiles are the sums of those.
		rows, want, some := make([]uint64, 4), newSums(5, -1, 100), newSums(5, -1, 100)
		for i := 0; i < n; i += 3 {
			rows[i/64] |= 1 << (i % 64)
			want.add(&p.profiles[i])
		}
		if got.addTo(some, rows); !reflect.DeepEqual(some.values, want.values) {
			t.Errorf("%d profiles: other sums", n)
		}
		all := newSums(5, -1, 100)
		got.addTo(all, nil)
		rolled := newSums(5, -1, 100)
		sp, err := readSparse(m.sparse().append(nil), 5, -1, 100)
		if err != nil {
			t.Fatal(err)
		}
		if sp.addTo(rolled); !reflect.DeepEqual(rolled, all) {
			t.Errorf("%d profiles: a roll-up has other sums", n)
		}
	}
}

func TestBlockAddsUpEqualSites(t *testing.T) {
	p := packer{profiles: []samples{
		{sites: []uint32{3, 1, 3, 3}, values: [][]int64{{1, 2, 3, -4}}},
		{sites: []uint32{1, 1, 3}, values: [][]int64{{5, 6, 7}}},
	}}
	m := p.matrix(1, 4)
	want := &matrix{profiles: 2, sites: []uint32{1, 3}, ends: []uint32{2, 4}, columns: []uint32{0, 1, 0, 1}, values: [][]int64{{2, 11, 0, 7}}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got %+v", m)
	}
}

func TestIntsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	want := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MinInt64, 1 << 62, -1 << 62, 63, 64, -64, -65}
	for range 1000 {
		want = append(want, int64(r.Uint64())>>r.IntN(64))
	}
	for n := range len(want) {
		rd := reader{b: appendInts(nil, want[n:])}
		got := make([]int64, len(want)-n)
		readInts(&rd, got)
		if err := rd.end(); err != nil || !slices.Equal(got, want[n:]) {
			t.Fatalf("from %d: %v", n, err)
		}
	}
}

func TestHeadsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	var want heads
	for i := range 300 {
		h := head{seq: r.Uint64(), time: int64(r.Uint64()), duration: r.Int64(), series: uint32(i / 9), schema: r.Uint32(), samples: r.Uint32(), block: uint32(i/9) + 1, row: uint32(i % 9)}
		for k := range h.id {
			h.id[k] = byte(r.Uint32())
		}
		want.add(h, []int64{int64(r.Uint64()), int64(i)}[:r.IntN(3)])
	}
	got, err := readHeads(want.append(nil))
	if err != nil || !reflect.DeepEqual(got, &want) {
		t.Errorf("got %v", err)
	}
	for i := range want.list {
		h := &want.list[i]
		var one heads
		if err := one.readHead(h.seq, appendHead(nil, h, want.totalsOf(h))); err != nil {
			t.Fatal(err)
		}
		o := one.list[0]
		o.totals, o.block, o.row = h.totals, h.block, h.row
		if o != *h || !slices.Equal(one.totals, want.totalsOf(h)) {
			t.Errorf("got %+v, want %+v", o, h)
		}
	}
}

// values returns a good value of every kind, for fuzzing.
func values(t testing.TB) map[string][]byte {
	r := rand.New(rand.NewPCG(1, 4))
	ss := randomSamples(r, 20, 50)
	p := packer{profiles: ss}
	m := p.matrix(5, 50)
	var hs heads
	hs.add(head{seq: 3, time: 5, block: 1}, []int64{1, 2})
	hs.add(head{seq: 4, time: 7, block: 1, row: 1}, []int64{3})
	in := newInterner(newDict())
	rec := record(t, 1, "s", "i", 0)
	in.begin(rec.Profile)
	in.intern(nil, func() (all []uint32) {
		for s := range rec.Profile.Stacks {
			all = append(all, uint32(s))
		}
		return all
	}())
	in.seriesOf(rec.Labels, in.schema(), nil)
	one, _ := appendSamples(nil, &ss[0], nil)
	up := rollup{}
	up.addHead(&hs.list[0], []int64{1, 2})
	sum := summary{profiles: 3, lastSeq: 9}
	part := partition{service: "s", instance: []string{"a", "b"}}
	return map[string][]byte{
		"samples": one, "block": m.append(nil), "sums": m.sparse().append(nil), "heads": hs.append(nil),
		"head": appendHead(nil, &hs.list[0], []int64{1, 2}), "dict": in.d.appendPiece(nil, newDict().marks(), in.stringID),
		"rollup": up.append(nil), "summary": sum.append(nil), "partition": part.value(),
	}
}

// decodeAll decodes a value as whatever it may be.
func decodeAll(t testing.TB, value []byte) (errs []error) {
	note := func(err error) {
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Errorf("%T: %v", err, err)
			}
			errs = append(errs, err)
		}
	}
	for _, wanted := range []int{-1, 0, 4} {
		var s samples
		note(readSamples(&s, value, 5, wanted, 50))
		m, err := readBlock(value, 5, wanted, 50)
		note(err)
		if err == nil {
			a := newSums(5, wanted, 50)
			m.addTo(a, nil)
			m.addTo(a, make([]uint64, (m.profiles+63)/64))
		}
		sp, err := readSparse(value, 5, wanted, 50)
		note(err)
		if err == nil {
			sp.addTo(newSums(5, wanted, 50))
		}
	}
	_, err := readHeads(value)
	note(err)
	note(new(heads).readHead(1, value))
	d := newDict()
	err = d.addPiece(value, nil)
	note(err)
	if err == nil {
		newInterner(d)
		for _, n := range d.siteNodes {
			d.stack(nil, n)
		}
	}
	_, err = readRollup(value)
	note(err)
	_, err = readSummary(value)
	note(err)
	_, err = readPartition(1, value)
	note(err)
	return errs
}

// Values of which any byte is wrong are errors or other values, but no panics
// and no waste of memory.
func FuzzValues(f *testing.F) {
	for _, v := range values(f) {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value []byte) { decodeAll(t, value) })
}

func TestDamagedValues(t *testing.T) {
	for name, v := range values(t) {
		if n := len(decodeAll(t, v)); n > 14 {
			t.Errorf("%s is nothing: %d errors", name, n)
		}
		for i := range v {
			for _, x := range []byte{1, 0x80, 0xff} {
				bad := bytes.Clone(v)
				bad[i] ^= x
				decodeAll(t, bad)
			}
			decodeAll(t, v[:i])
		}
		// A future version is told as such.
		future := bytes.Clone(v)
		future[0] = 99
		found := false
		for _, err := range decodeAll(t, future) {
			found = found || bytes.Contains([]byte(err.Error()), []byte("version 99"))
		}
		if !found {
			t.Errorf("%s: no error tells of the version", name)
		}
	}
}

func TestDictionaryInPieces(t *testing.T) {
	in := newInterner(newDict())
	var pieces [][]byte
	for i := range 5 {
		before := in.d.marks()
		rec := record(t, i, "s", fmt.Sprint(i), 0)
		in.begin(rec.Profile)
		var all []uint32
		for s := range rec.Profile.Stacks {
			all = append(all, uint32(s))
		}
		in.intern(nil, all)
		in.seriesOf(rec.Labels, in.schema(), []string{store.LabelInstance})
		pieces = append(pieces, in.d.appendPiece(nil, before, in.stringID))
	}
	read := func(pieces ...[]byte) *dict {
		t.Helper()
		d := newDict()
		for _, p := range pieces {
			if err := d.addPiece(p, []string{store.LabelInstance}); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	d := read(pieces...)
	if !reflect.DeepEqual(d.locations, in.d.locations) || !reflect.DeepEqual(d.lines, in.d.lines) || !reflect.DeepEqual(d.parents, in.d.parents) ||
		!reflect.DeepEqual(d.siteNodes, in.d.siteNodes) || !reflect.DeepEqual(d.labels, in.d.labels) || !reflect.DeepEqual(d.schemas, in.d.schemas) ||
		!reflect.DeepEqual(d.series, in.d.series) || !reflect.DeepEqual(d.mappings, in.d.mappings) {
		t.Error("another dictionary comes back")
	}
	// In one piece it is the same.
	if one := read(in.d.appendPiece(nil, newDict().marks(), in.stringID)); !reflect.DeepEqual(one, d) {
		t.Error("one piece is another dictionary than many")
	}
	if err := newDict().addPiece(pieces[1], nil); err == nil {
		t.Error("a piece without the one before it is taken")
	}
	// An interner of it finds everything, and adds nothing.
	again := newInterner(d)
	before := d.marks()
	for i := range 5 {
		rec := record(t, i, "s", fmt.Sprint(i), 0)
		again.begin(rec.Profile)
		again.intern(nil, []uint32{0, 1, 2, 3})
		again.seriesOf(rec.Labels, again.schema(), nil)
	}
	if d.marks() != before {
		t.Errorf("%+v became %+v", before, d.marks())
	}
}
