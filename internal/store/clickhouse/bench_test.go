package clickhouse_test

import (
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
	"github.com/hone-go/hone/profile"
)

// cpuProfile returns a profile of 500 out of a few thousand stacks.
func cpuProfile(r *rand.Rand) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	m := b.Mapping(profile.Mapping{Start: 0x400000, Limit: 0x900000, File: "/app"})
	for range 500 {
		n := uint64(r.ExpFloat64() * 700)
		stack := make([]uint32, 20+n%20)
		for i := range stack {
			at := (n*31 + uint64(i)) % 3000
			name := "example.com/app/internal/pkg.(*Type).Method" + string(rune('A'+at%26)) + string(rune('a'+at/26%26)) + string(rune('a'+at/676))
			f := b.Function(name, name, "/src/example.com/app/internal/pkg/file.go", int64(at))
			stack[i] = b.Location(0x400000+16*at, m, profile.Line{Function: f, Line: int64(at)})
		}
		hits := int64(1 + r.ExpFloat64())
		b.Sample(stack, nil, hits, hits*1e7)
	}
	return b.Profile()
}

// engines runs a benchmark on an empty store on each of the engines that are one
// server. CPU time of the engine is not in its figures.
func engines(b *testing.B, run func(b *testing.B, s *clickhouse.Store)) {
	for _, e := range []struct {
		name   string
		server func(testing.TB) *clickhousetest.Server
	}{{"single", clickhousetest.Single}, {"today", clickhousetest.Today}} {
		b.Run(e.name, func(b *testing.B) {
			server := e.server(b)
			cfg := clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(b)}
			if err := clickhouse.Create(b.Context(), cfg); err != nil {
				b.Fatal(err)
			}
			s := open(b, cfg)
			defer s.Close()
			run(b, s)
		})
	}
}

// stream makes records, each 15 seconds after the one before.
type stream struct {
	profiles []*profile.Profile
	n        atomic.Uint64
}

func newStream() *stream {
	s := new(stream)
	for i := range uint64(50) {
		s.profiles = append(s.profiles, cpuProfile(rand.New(rand.NewPCG(1, i))))
	}
	return s
}

func (s *stream) next(b testing.TB) store.Record {
	n := s.n.Add(1)
	rec := record(b, 0, base+int64(n)*15e9)
	binary.BigEndian.PutUint64(rec.ID[:], n)
	rec.Profile = s.profiles[n%uint64(len(s.profiles))]
	return rec
}

// BenchmarkPut puts profiles of 500 samples from 64 callers.
func BenchmarkPut(b *testing.B) {
	from := newStream()
	engines(b, func(b *testing.B, s *clickhouse.Store) {
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				put(b, s, from.next(b))
			}
		})
	})
}

// BenchmarkMerge merges 960 profiles of 500 samples.
func BenchmarkMerge(b *testing.B) {
	from := newStream()
	engines(b, func(b *testing.B, s *clickhouse.Store) {
		for range 15 {
			records := make([]store.Record, 64)
			for i := range records {
				records[i] = from.next(b)
			}
			put(b, s, records...)
		}
		time.Sleep(time.Second) // while the engine merges what was put
		for b.Loop() {
			groups, err := s.Merge(b.Context(), store.Query{})
			if err != nil || len(groups) != 1 || groups[0].Profiles != 960 {
				b.Fatalf("%d groups, %v", len(groups), err)
			}
		}
	})
}
