package stored_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk"
	"github.com/hone-go/hone/profile"
)

const (
	benchSpans    = 10_000 // of a day
	benchProfiles = 24 * 60
	spanSamples   = 25 // different stacks of a span
	otherSamples  = 150
)

// benchSpanID returns the ID of a span.
func benchSpanID(n int) string { return fmt.Sprintf("%016x", uint64(n)*0x9e3779b97f4a7c15) }

// poolStacks returns the stacks of a program: 10 to 40 frames of 3,000 functions, leaf first.
func poolStacks(rng *rand.Rand) [][]int {
	all := make([][]int, 5000)
	for i := range all {
		at := rng.IntN(50) // handlers share their roots
		for depth := range 10 + rng.IntN(31) {
			if at = (at*7 + depth) % 50; depth > 5 {
				at = (at*31 + depth + rng.IntN(3)) % 3000
			}
			all[i] = append([]int{at}, all[i]...)
		}
	}
	return all
}

// stackOf adds a stack to a profile.
func stackOf(b *profile.Builder, functions []int) []uint32 {
	var stack []uint32
	for _, at := range functions {
		part := "part" + strconv.Itoa(at%40)
		name := "example.com/shop/internal/" + part + ".(*Server).function" + strconv.Itoa(at)
		f := b.Function(name, name, "/src/shop/internal/"+part+"/file.go", 10)
		stack = append(stack, b.Location(0, 0, profile.Line{Function: f, Line: int64(20 + at%17)}))
	}
	return stack
}

// spanStore has a day of CPU profiles, one a minute, with 10,000 spans: each minute has seven,
// which no other minute has.
func spanStore(b *testing.B, start time.Time) *disk.Store {
	st, err := disk.Open(b.TempDir(), disk.Options{PackAfter: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { st.Close() })
	labels, err := store.NewLabels(store.Label{Name: "service", Value: "shop"}, store.Label{Name: "kind", Value: "cpu"},
		store.Label{Name: "version", Value: "v1"}, store.Label{Name: "instance", Value: "i"})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	pool, span := poolStacks(rng), 0
	var records []store.Record
	for minute := range benchProfiles {
		in := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		for range otherSamples {
			in.Sample(stackOf(in, pool[rng.IntN(len(pool))]), nil, 1, 1e7)
		}
		for ; span*benchProfiles < (minute+1)*benchSpans; span++ {
			ls := []profile.Label{{Key: in.String("span_id"), Str: in.String(benchSpanID(span))}, {Key: in.String("span_name"), Str: in.String("GET /cart/" + strconv.Itoa(span%20))}}
			for range spanSamples {
				in.Sample(stackOf(in, pool[rng.IntN(len(pool))]), ls, 1, 1e7)
			}
		}
		p := in.Profile()
		p.PeriodType, p.Period = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, 1e7
		r := store.Record{Labels: labels, Time: start.Add(time.Duration(minute) * time.Minute).UnixNano(), Duration: int64(10 * time.Second), Profile: p}
		binary.BigEndian.PutUint64(r.ID[:], uint64(minute)+1)
		records = append(records, r)
		if len(records) == 60 {
			if err := st.Put(b.Context(), records); err != nil {
				b.Fatal(err)
			}
			records = nil
		}
	}
	if err := st.Pack(b.Context()); err != nil {
		b.Fatal(err)
	}
	return st
}

// BenchmarkSpan asks for the flame graph of one span after the other, of a day with 10,000.
// The first one took the sum of the day, which is kept.
func BenchmarkSpan(b *testing.B) {
	start := time.Now().Add(-25 * time.Hour).Truncate(time.Hour)
	s := benchSite(b, spanStore(b, start))
	from, to := start.UnixMilli(), start.Add(24*time.Hour).UnixMilli()
	ask := func(span int) {
		sel := fmt.Sprintf("%sq=cpu%%7Bservice%%3D%%22shop%%22%%7D&from=%d&to=%d&span=%s", api.SelectionPrefix, from, to, benchSpanID(span%benchSpans))
		if text := s.Get("/api/v1/report/flame?profile=" + strings.NewReplacer("%", "%25", "&", "%26").Replace(sel)); !strings.Contains(text, "(*Server).function") {
			b.Fatal(text)
		}
	}
	start = time.Now()
	ask(0)
	first := time.Since(start)
	for n := 1; b.Loop(); n++ {
		ask(n * 7919) // a prime, so that they are all over the day
	}
	b.ReportMetric(float64(first.Milliseconds()), "first-ms")
}
