package format

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
	"unsafe"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// randomSamples returns the samples of profiles: counters that grow, sizes that
// go with counts, noise, and what is seldom there.
func randomSamples(r *rand.Rand, profiles, sites int) []Samples {
	out := make([]Samples, profiles)
	count := make([]int64, sites)
	for i := range out {
		s := Samples{Values: make([][]int64, 5)}
		for site := range sites {
			if r.IntN(3) > 0 && site%3 > 0 {
				continue
			}
			count[site] += int64(r.IntN(4))
			s.Sites = append(s.Sites, uint32(site))
			noise := r.Int64() >> r.IntN(64)
			for t, v := range []int64{count[site], count[site] * int64(8+site), int64(r.IntN(3)) * 1e7, noise, 0} {
				s.Values[t] = append(s.Values[t], v)
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
			one, many := Reader{b: value[:cut]}, Reader{b: value[:cut]}
			want, got := make([]int64, n), make([]int64, n)
			for i := range want {
				want[i] = int64(one.Uvarint())
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
		value, _ := AppendSamples(nil, &want, nil)
		var got Samples
		if err := ReadSamples(&got, value, 5, -1, 200); err != nil || !slices.Equal(got.Sites, want.Sites) || !reflect.DeepEqual(got.Values, want.Values) {
			t.Errorf("got %v, %v", got, err)
		}
		for wanted := range 5 {
			if err := ReadSamples(&got, value, 5, wanted, 200); err != nil || !slices.Equal(got.Values[wanted], want.Values[wanted]) {
				t.Errorf("column %d: got %v, %v", wanted, got.Values[wanted], err)
			}
		}
	}
}

func TestBlockRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 64, 65, 200} {
		p := Packer{Profiles: randomSamples(r, n, 100)}
		m := p.Block(5, 100)
		value := m.Append(nil)
		got, err := ReadBlock(value, 5, -1, 100)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("%d profiles: %v", n, err)
		}
		for wanted := range 5 {
			one, err := ReadBlock(value, 5, wanted, 100)
			if err != nil || !slices.Equal(one.values[wanted], m.values[wanted]) {
				t.Fatalf("%d profiles, column %d: %v", n, wanted, err)
			}
		}
		// Profile by profile it is what went in.
		var back Packer
		got.Split(&back)
		if !reflect.DeepEqual(back.Profiles, p.Profiles) {
			t.Errorf("%d profiles don't come back", n)
		}
		// Sums of some profiles are the sums of those.
		rows, want, some := make([]uint64, 4), NewAdder(5, -1, 100), NewAdder(5, -1, 100)
		for i := 0; i < n; i += 3 {
			rows[i/64] |= 1 << (i % 64)
			want.Add(&p.Profiles[i])
		}
		if got.AddTo(some, rows); !reflect.DeepEqual(some.values, want.values) {
			t.Errorf("%d profiles: other sums", n)
		}
		all := NewAdder(5, -1, 100)
		got.AddTo(all, nil)
		rolled := NewAdder(5, -1, 100)
		sp, err := ReadSums(m.Sums().Append(nil), 5, -1, 100)
		if err != nil {
			t.Fatal(err)
		}
		if sp.AddTo(rolled); !reflect.DeepEqual(rolled, all) {
			t.Errorf("%d profiles: a roll-up has other sums", n)
		}
	}
}

func TestBlockAddsUpEqualSites(t *testing.T) {
	p := Packer{Profiles: []Samples{
		{Sites: []uint32{3, 1, 3, 3}, Values: [][]int64{{1, 2, 3, -4}}},
		{Sites: []uint32{1, 1, 3}, Values: [][]int64{{5, 6, 7}}},
	}}
	m := p.Block(1, 4)
	want := &Block{Profiles: 2, sites: []uint32{1, 3}, ends: []uint32{2, 4}, places: []uint32{0, 1, 0, 1}, values: [][]int64{{2, 11, 0, 7}}}
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
		rd := Reader{b: appendInts(nil, want[n:])}
		got := make([]int64, len(want)-n)
		readInts(&rd, got)
		if err := rd.end(); err != nil || !slices.Equal(got, want[n:]) {
			t.Fatalf("from %d: %v", n, err)
		}
	}
}

func TestHeadsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	var want Heads
	for i := range 300 {
		h := Head{Seq: r.Uint64(), Time: int64(r.Uint64()), Duration: r.Int64(), Series: uint32(i / 9), Schema: r.Uint32(), Samples: r.Uint32(), Block: uint32(i/9) + 1, Row: uint32(i % 9)}
		for k := range h.ID {
			h.ID[k] = byte(r.Uint32())
		}
		want.Add(h, []int64{int64(r.Uint64()), int64(i)}[:r.IntN(3)])
	}
	got, err := ReadHeads(want.Append(nil))
	if err != nil || !reflect.DeepEqual(got, &want) {
		t.Errorf("got %v", err)
	}
	for i := range want.List {
		h := &want.List[i]
		var one Heads
		if err := one.ReadHead(h.Seq, AppendHead(nil, h, want.TotalsOf(h))); err != nil {
			t.Fatal(err)
		}
		o := one.List[0]
		o.totals, o.Block, o.Row = h.totals, h.Block, h.Row
		if o != *h || !slices.Equal(one.totals, want.TotalsOf(h)) {
			t.Errorf("got %+v, want %+v", o, h)
		}
	}
}

// values returns a good value of every kind, for fuzzing.
func values(t testing.TB) map[string][]byte {
	r := rand.New(rand.NewPCG(1, 4))
	ss := randomSamples(r, 20, 50)
	p := Packer{Profiles: ss}
	m := p.Block(5, 50)
	var hs Heads
	hs.Add(Head{Seq: 3, Time: 5, Block: 1}, []int64{1, 2})
	hs.Add(Head{Seq: 4, Time: 7, Block: 1, Row: 1}, []int64{3})
	in := NewInterner(NewDictionary(nil))
	rec := record(t, 1, "i")
	_, schema := in.Intern(rec.Profile, samplesOf(rec.Profile), nil)
	in.Series(rec.Labels, schema)
	one, _ := AppendSamples(nil, &ss[0], nil)
	up := Rollup{}
	up.AddHead(&hs.List[0], []int64{1, 2})
	sum := Summary{Profiles: 3, LastSeq: 9}
	part := Partition{Service: "s", Instance: []string{"a", "b"}}
	return map[string][]byte{
		"samples": one, "block": m.Append(nil), "sums": m.Sums().Append(nil), "heads": hs.Append(nil),
		"head": AppendHead(nil, &hs.List[0], []int64{1, 2}), "dict": in.d.AppendPiece(nil, NewDictionary(nil).Lengths(), in.StringID),
		"rollup": up.Append(nil), "summary": sum.Append(nil), "partition": part.Append(nil),
	}
}

// decodeAll decodes a value as whatever it may be.
func decodeAll(t testing.TB, value []byte) (errs []error) {
	note := func(err error) {
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%T: %v", err, err)
			}
			errs = append(errs, err)
		}
	}
	for _, wanted := range []int{-1, 0, 4} {
		var s Samples
		note(ReadSamples(&s, value, 5, wanted, 50))
		m, err := ReadBlock(value, 5, wanted, 50)
		note(err)
		if err == nil {
			a := NewAdder(5, wanted, 50)
			m.AddTo(a, nil)
			m.AddTo(a, make([]uint64, (m.Profiles+63)/64))
		}
		sp, err := ReadSums(value, 5, wanted, 50)
		note(err)
		if err == nil {
			sp.AddTo(NewAdder(5, wanted, 50))
		}
	}
	_, err := ReadHeads(value)
	note(err)
	note(new(Heads).ReadHead(1, value))
	d := NewDictionary(nil)
	err = d.AddPiece(value)
	note(err)
	if err == nil {
		NewInterner(d) // which follows each site's stack to its end
	}
	_, err = ReadRollup(value)
	note(err)
	_, err = ReadSummary(value)
	note(err)
	_, err = ReadPartition(value)
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
	in := NewInterner(NewDictionary([]string{store.LabelInstance}))
	var pieces [][]byte
	for i := range 5 {
		before := in.d.Lengths()
		rec := record(t, i, fmt.Sprint(i))
		_, schema := in.Intern(rec.Profile, samplesOf(rec.Profile), nil)
		in.Series(rec.Labels, schema)
		pieces = append(pieces, in.d.AppendPiece(nil, before, in.StringID))
	}
	read := func(pieces ...[]byte) *Dictionary {
		t.Helper()
		d := NewDictionary([]string{store.LabelInstance})
		for _, p := range pieces {
			if err := d.AddPiece(p); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	d := read(pieces...)
	if !reflect.DeepEqual(d.locations, in.d.locations) || !reflect.DeepEqual(d.lines, in.d.lines) || !reflect.DeepEqual(d.parents, in.d.parents) ||
		!reflect.DeepEqual(d.siteNodes, in.d.siteNodes) || !reflect.DeepEqual(d.labels, in.d.labels) || !reflect.DeepEqual(d.Schemas, in.d.Schemas) ||
		!reflect.DeepEqual(d.Series, in.d.Series) || !reflect.DeepEqual(d.mappings, in.d.mappings) {
		t.Error("another dictionary comes back")
	}
	// In one piece it is the same.
	if one := read(in.d.AppendPiece(nil, NewDictionary(nil).Lengths(), in.StringID)); !reflect.DeepEqual(one, d) {
		t.Error("one piece is another dictionary than many")
	}
	if err := NewDictionary(nil).AddPiece(pieces[1]); err == nil {
		t.Error("a piece without the one before it is taken")
	}
	// An interner of it finds everything, and adds nothing.
	again := NewInterner(d)
	before := d.Lengths()
	for i := range 5 {
		rec := record(t, i, fmt.Sprint(i))
		_, schema := again.Intern(rec.Profile, []uint32{0, 1, 2, 3}, nil)
		again.Series(rec.Labels, schema)
	}
	if d.Lengths() != before {
		t.Errorf("%+v became %+v", before, d.Lengths())
	}
}

// A schema must not keep the profile that it came from in memory.
func TestSchemaOwnsItsMemory(t *testing.T) {
	text := func(s string) string { return string([]byte(s)) }
	profileAt := func(start uint64) *profile.Profile {
		return &profile.Profile{
			SampleTypes: []profile.ValueType{{Type: text("cpu"), Unit: text("ns")}}, DefaultSampleType: text("cpu"), PeriodType: profile.ValueType{Type: text("cpu"), Unit: text("ns")},
			Comments: []string{text("made by a test")}, DocURL: text("https://go.dev"), DropFrames: text("drop"), KeepFrames: text("keep"),
			Strings: []string{""}, Mappings: []profile.Mapping{{ID: 1, Start: start, Limit: start + 100, File: text("/bin/a"), BuildID: text("b1")}},
		}
	}
	in := NewInterner(NewDictionary(nil))
	in.Intern(profileAt(1000), nil, nil)
	p := profileAt(2000)
	_, schema := in.Intern(p, nil, nil)
	s := &in.d.Schemas[schema]
	if len(s.loaded) != 1 || s.loaded[0].as.Start != 2000 {
		t.Fatalf("got mappings %+v, want one that starts at 2000", s.loaded)
	}
	for _, got := range []string{s.Types[0].Type, s.Types[0].Unit, s.periodType.Type, s.periodType.Unit, s.DefaultType, s.docURL, s.drop, s.keep,
		s.comments[0], s.loaded[0].as.File, s.loaded[0].as.BuildID} {
		if !slices.ContainsFunc(in.d.strings, func(o string) bool { return o == got && unsafe.StringData(o) == unsafe.StringData(got) }) {
			t.Errorf("%q is not the dictionary's string", got)
		}
	}
	if &s.Types[0] == &p.SampleTypes[0] || &s.comments[0] == &p.Comments[0] {
		t.Error("the schema shares a slice with the profile")
	}
}

// What is taken away is nobody's fleet any more.
func TestTruncate(t *testing.T) {
	d := NewDictionary([]string{store.LabelInstance})
	empty := d.Lengths()
	a, b := store.Labels{{Name: store.LabelKind, Value: "cpu"}}, store.Labels{{Name: store.LabelKind, Value: "heap"}}
	d.addSeries(a, 0)
	d.addSeries(b, 0)
	d.Truncate(empty)
	d.addSeries(b, 0)
	d.addSeries(a, 0)
	if d.Series[0].Fleet != 0 || d.Series[1].Fleet != 1 {
		t.Errorf("got %+v", d.Series)
	}
}

// samplesOf returns the numbers of all samples of a profile.
func samplesOf(p *profile.Profile) (all []uint32) {
	for s := range p.Stacks {
		all = append(all, uint32(s))
	}
	return all
}

// record returns record n of an instance.
func record(t testing.TB, n int, instance string) store.Record {
	t.Helper()
	ls, err := store.NewLabels(store.Label{Name: store.LabelService, Value: "s"}, store.Label{Name: store.LabelKind, Value: "heap"},
		store.Label{Name: store.LabelInstance, Value: instance})
	if err != nil {
		t.Fatal(err)
	}
	return store.Record{Labels: ls, Profile: storetest.Generate(rand.New(rand.NewPCG(uint64(n), 1)), "heap", 40)}
}
