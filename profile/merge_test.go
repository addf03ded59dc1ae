package profile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gp "github.com/google/pprof/profile"
)

// randomProfile returns a profile whose parts come from small sets, so that
// those of two such profiles are often equal and often nearly so.
func randomProfile(r *rand.Rand) *Profile {
	p := &Profile{
		SampleTypes:   []ValueType{{"samples", "count"}, {"cpu", "nanoseconds"}},
		PeriodType:    ValueType{"cpu", "nanoseconds"},
		Period:        int64(r.IntN(3)),
		TimeNanos:     int64(r.IntN(3)),
		DurationNanos: int64(r.IntN(3)),
		Strings:       []string{"", "key", "bytes", "kb", "x", "y"},
		Values:        make([][]int64, 2),
	}
	str := func(s string) StringID {
		p.Strings = append(p.Strings, s) // also twice
		return uint32(len(p.Strings) - 1)
	}
	for i := range r.IntN(3) {
		start := uint64(r.IntN(3)) << 20
		p.Mappings = append(p.Mappings, Mapping{
			ID: uint64(i + 1), Start: start, Limit: start + 1<<16 + uint64(r.IntN(3)), Offset: uint64(r.IntN(2)),
			File: []string{"", "a.out", "libc.so"}[r.IntN(3)], BuildID: []string{"", "abc"}[r.IntN(2)],
		})
	}
	for range 1 + r.IntN(5) {
		name := fmt.Sprint("f", r.IntN(3))
		f := Function{Name: str(name), SystemName: str(name), File: str(fmt.Sprint("file", r.IntN(2))), StartLine: int64(r.IntN(2))}
		if r.IntN(4) == 0 {
			f.SystemName = str("_" + name)
		}
		p.Functions = append(p.Functions, f)
	}
	for i := range 1 + r.IntN(12) {
		l := Location{ID: uint64(i + 1), Address: uint64(r.IntN(4)) * 16, Mapping: uint32(r.IntN(len(p.Mappings) + 1)), FirstLine: uint32(len(p.Lines)), NumLines: uint32(r.IntN(3)), Folded: r.IntN(8) == 0}
		if l.Mapping != 0 && l.Address != 0 {
			l.Address += p.Mappings[l.Mapping-1].Start
		}
		for range l.NumLines {
			p.Lines = append(p.Lines, Line{Function: uint32(r.IntN(len(p.Functions))), Line: int64(r.IntN(2))})
		}
		p.Locations = append(p.Locations, l)
	}
	p.LabelSets = []LabelSet{{}}
	for range r.IntN(4) {
		set := LabelSet{Start: uint32(len(p.Labels))}
		if r.IntN(2) == 0 {
			p.Labels = append(p.Labels, Label{Key: 1, Str: uint32(4 + r.IntN(2))})
		}
		if unit := uint32(3 * r.IntN(2)); r.IntN(2) == 0 {
			p.Labels = append(p.Labels, Label{Key: 2, Numeric: true, Num: 1 + int64(r.IntN(2)), Unit: unit, HasUnit: unit != 0})
		}
		set.Len = uint32(len(p.Labels)) - set.Start
		p.LabelSets = append(p.LabelSets, set)
	}
	p.SampleLabels = []uint32{}
	for range r.IntN(20) {
		p.Stacks = append(p.Stacks, Stack{uint32(len(p.Frames)), 0})
		for range r.IntN(4) {
			p.Frames = append(p.Frames, uint32(r.IntN(len(p.Locations))))
		}
		p.Stacks[len(p.Stacks)-1].Len = uint32(len(p.Frames)) - p.Stacks[len(p.Stacks)-1].Start
		p.SampleLabels = append(p.SampleLabels, uint32(r.IntN(len(p.LabelSets))))
		for t := range p.Values {
			p.Values[t] = append(p.Values[t], int64(r.IntN(3)-1))
		}
	}
	return p
}

// TestMergeAgainstOracle merges thousands of small random profiles, also after
// encoding and decoding them with one Decoder, and compares with google/pprof.
func TestMergeAgainstOracle(t *testing.T) {
	seed := uint64(1)
	var d Decoder
	rounds := uint64(1500)
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		seed++
		r := rand.New(rand.NewPCG(seed, 7))
		var theirs []*gp.Profile
		var direct, decoded Merger
		for range 1 + r.IntN(5) {
			p := randomProfile(r)
			theirs = append(theirs, ToGoogle(p))
			if err := direct.Add(p); err != nil {
				t.Fatal(err)
			}
			var buf bytes.Buffer
			if err := p.Encode(&buf); err != nil {
				t.Fatal(err)
			}
			q, err := d.Decode(buf.Bytes())
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := decoded.Add(q); err != nil {
				t.Fatal(err)
			}
		}
		merged, err := gp.Merge(theirs)
		if err != nil {
			t.Fatal(err)
		}
		want := merged.String()
		for how, m := range map[string]*Merger{"as built": &direct, "decoded": &decoded} {
			if got := rawText(t, m.Profile()); got != want {
				t.Errorf("seed %d, %s", seed, how)
				diffLines(t, got, want)
				return
			}
		}
	}
}

// TestMergeTwins has more locations at one address than are told apart by it.
func TestMergeTwins(t *testing.T) {
	build := func(order func(i int) int) *Profile {
		b := NewBuilder(ValueType{"samples", "count"})
		for i := range 5 * maxTwins {
			name := fmt.Sprint("f", order(i))
			loc := b.Location(0x1000, 0, Line{Function: b.Function(name, name, "", 0), Line: 1})
			b.Sample([]uint32{loc}, nil, 1)
		}
		return b.Profile()
	}
	n := 5 * maxTwins
	m, err := Merge(build(func(i int) int { return i }), build(func(i int) int { return n - 1 - i }), build(func(i int) int { return i * 7 % n }))
	if err != nil {
		t.Fatal(err)
	}
	if m.NumSamples() != n || len(m.Locations) != n || len(m.Functions) != n {
		t.Fatalf("%d samples, %d locations, %d functions; want %d of each", m.NumSamples(), len(m.Locations), len(m.Functions), n)
	}
	for s, v := range m.Values[0] {
		if v != 3 {
			t.Errorf("sample %d is %d, want 3", s, v)
		}
	}
}

// TestMergeManyComments: compared with each other, these would take minutes.
func TestMergeManyComments(t *testing.T) {
	const n = 1 << 19
	p := NewBuilder(ValueType{"samples", "count"}).Profile()
	for i := range n {
		p.Comments = append(p.Comments, fmt.Sprintf("comment %d", i))
	}
	m, err := Merge(p, p)
	if err != nil || !slices.Equal(m.Comments, p.Comments) {
		t.Errorf("%d comments of %d, %v", len(m.Comments), n, err)
	}
}
