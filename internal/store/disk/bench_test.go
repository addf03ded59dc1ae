package disk

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// stream makes CPU profiles of a service as they come in: a population of
// stacks of which each profile has some, in any order, with few hits each.
type stream struct {
	rand   *rand.Rand
	stacks [][]uint32 // locations
	n      int
}

func newStream() *stream {
	s := &stream{rand: rand.New(rand.NewPCG(1, 2))}
	for len(s.stacks) < 5000 {
		stack := make([]uint32, 5+s.rand.IntN(40))
		for i := range stack {
			stack[i] = uint32(s.rand.ExpFloat64() * 300)
		}
		if n := len(s.stacks); n > 0 { // the callers of another stack
			o := s.stacks[s.rand.IntN(n)]
			stack = append(stack[:len(stack)/3], o[len(o)/2:]...)
		}
		s.stacks = append(s.stacks, stack)
	}
	return s
}

// next returns the next record, of one of 4 instances, each 10 seconds apart.
func (s *stream) next(b *testing.B) store.Record {
	pb := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	m := pb.Mapping(profile.Mapping{Start: 0x400000, Limit: 0x900000, File: "/app"})
	locations := map[uint32]uint32{}
	for range 500 {
		stack := s.stacks[int(s.rand.ExpFloat64()*700)%len(s.stacks)]
		own := make([]uint32, len(stack))
		for i, l := range stack {
			if _, ok := locations[l]; !ok {
				name := "example.com/app/internal/pkg.(*Type).Method" + string(rune('A'+l%26)) + string(rune('a'+l/26%26)) + string(rune('a'+l/676))
				f := pb.Function(name, name, "/src/example.com/app/internal/pkg/file.go", int64(l))
				locations[l] = pb.Location(0x400000+16*uint64(l), m, profile.Line{Function: f, Line: int64(l)})
			}
			own[i] = locations[l]
		}
		hits := int64(1 + s.rand.ExpFloat64())
		pb.Sample(own, nil, hits, hits*1e7)
	}
	ls, err := store.NewLabels(store.Label{Name: store.LabelService, Value: "api"}, store.Label{Name: store.LabelKind, Value: "cpu"},
		store.Label{Name: store.LabelInstance, Value: string(rune('a' + s.n%4))})
	if err != nil {
		b.Fatal(err)
	}
	r := store.Record{Labels: ls, Time: base + int64(s.n/4)*int64(10*time.Second), Duration: int64(10 * time.Second), Profile: pb.Profile()}
	binary.BigEndian.PutUint64(r.ID[:], uint64(s.n)+1)
	s.n++
	return r
}

// BenchmarkPut is the cost of a profile, without waiting for the disk where the
// file system needs none (a tmpfs as TMPDIR).
func BenchmarkPut(b *testing.B) {
	s := open(b, b.TempDir(), Options{})
	defer s.Close()
	in := newStream()
	records := make([]store.Record, 200)
	for i := range records {
		records[i] = in.next(b)
	}
	for i := 0; b.Loop(); i++ {
		r := records[i%len(records)]
		binary.BigEndian.PutUint64(r.ID[8:], uint64(i)+1)
		if err := s.Put(b.Context(), []store.Record{r}); err != nil {
			b.Fatal(err)
		}
	}
}

// filled returns a store with 2 hours of profiles.
func filled(b *testing.B) *Store {
	s := open(b, b.TempDir(), Options{})
	in := newStream()
	for range 1440 / 48 {
		records := make([]store.Record, 48)
		for i := range records {
			records[i] = in.next(b)
		}
		if err := s.Put(b.Context(), records); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func BenchmarkPack(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := filled(b)
		b.StartTimer()
		if err := s.Pack(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1440, "ns/profile")
}

// The queries are of all profiles that aren't packed, of all from roll-ups, and
// of a part of an hour from blocks.
func BenchmarkMerge(b *testing.B) {
	s := filled(b)
	defer s.Close()
	run := func(name string, q store.Query) {
		q.SampleType = "cpu"
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Merge(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("fresh", store.Query{})
	if err := s.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	run("rolled up", store.Query{})
	run("blocks", store.Query{From: base + int64(10*time.Minute), To: base + int64(40*time.Minute)})
}

func BenchmarkSeries(b *testing.B) {
	s := filled(b)
	defer s.Close()
	if err := s.Compact(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Series(b.Context(), store.Query{Step: int64(time.Minute), By: []string{store.LabelInstance}}); err != nil {
			b.Fatal(err)
		}
	}
}
