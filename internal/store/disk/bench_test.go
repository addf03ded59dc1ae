package disk

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
)

// BenchmarkPut is the cost of a profile, without waiting for the disk where the
// file system needs none (a tmpfs as TMPDIR).
func BenchmarkPut(b *testing.B) {
	s := open(b, b.TempDir(), Options{})
	defer s.Close()
	in := storetest.NewStream("api", base)
	records := make([]store.Record, 200)
	for i := range records {
		records[i] = in.Next(b)
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
	in := storetest.NewStream("api", base)
	for range 1440 / 48 {
		records := make([]store.Record, 48)
		for i := range records {
			records[i] = in.Next(b)
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

// The queries are of half an hour of profiles that aren't packed, of all from roll-ups, and of half an
// hour from blocks, and of ranges as long that move on by the time between two profiles.
func BenchmarkMerge(b *testing.B) {
	s := filled(b)
	defer s.Close()
	kept := s.querier.sums
	run := func(name string, q store.Query) {
		q.SampleType = "cpu"
		merge := func(b *testing.B, q store.Query) {
			if _, err := s.Merge(b.Context(), q); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(name, func(b *testing.B) {
			s.querier.sums = newCache(0)
			for b.Loop() {
				merge(b, q)
			}
		})
		if q.To == 0 {
			return
		}
		b.Run(name+", moving", func(b *testing.B) {
			s.querier.sums = kept
			for i := int64(0); b.Loop(); i++ {
				q := q
				by := i % 60 * int64(10*time.Second)
				q.From, q.To = q.From+by, q.To+by
				merge(b, q)
			}
		})
	}
	run("fresh", store.Query{From: base, To: base + int64(30*time.Minute)})
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
