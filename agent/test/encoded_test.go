package test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	oracle "github.com/google/pprof/profile"

	"github.com/hone-go/hone/agent/internal/encoded"
)

// TestColumnsAgainstOracle has google/pprof compute what columns should: the
// difference of two profiles, of two of their sample types.
func TestColumnsAgainstOracle(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 8 << 10
	allocateMuch()
	runtime.GC()
	runtime.GC()
	first := lookup(t, "heap")
	for range 3 {
		_ = burned(1000)
		kept = append(kept, make([]byte, 100_000))
	}
	allocateMuch()
	runtime.GC()
	runtime.GC()
	second := lookup(t, "heap")
	for _, test := range []struct {
		name   string
		first  int
		deltas bool
		types  []string
	}{
		{"allocs", 0, true, []string{"alloc_objects", "alloc_space"}},
		{"heap", 2, false, []string{"inuse_objects", "inuse_space"}},
	} {
		var last *encoded.Totals
		var err error
		want := mustOracle(t, second)
		if test.deltas {
			last = &encoded.Totals{}
			if _, _, err := encoded.Columns(first, test.first, 2, last); err != nil {
				t.Fatal(err)
			}
			p := mustOracle(t, first)
			p.Scale(-1)
			if want, err = oracle.Merge([]*oracle.Profile{p, want}); err != nil {
				t.Fatal(err)
			}
		}
		data, samples, err := encoded.Columns(second, test.first, 2, last)
		if err != nil {
			t.Fatal(err)
		}
		want.SampleType = want.SampleType[test.first : test.first+2]
		nonzero := want.Sample[:0]
		for _, s := range want.Sample {
			s.Value = s.Value[test.first : test.first+2]
			if s.Value[0] != 0 || s.Value[1] != 0 {
				nonzero = append(nonzero, s)
			}
		}
		want.Sample = nonzero
		sortSamples(want)
		if want, err = oracle.Merge([]*oracle.Profile{want.Compact()}); err != nil {
			t.Fatal(err)
		}
		want.DefaultSampleType = ""
		got := mustOracle(t, data)
		if err := got.CheckValid(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if samples != len(got.Sample) || samples == 0 || samples == len(mustOracle(t, second).Sample) {
			t.Errorf("%s: %d samples of %d", test.name, samples, len(got.Sample))
		}
		sortSamples(got)
		if got, err = oracle.Merge([]*oracle.Profile{got}); err != nil {
			t.Fatal(err)
		}
		got.TimeNanos, got.DurationNanos = want.TimeNanos, want.DurationNanos
		if got.String() != want.String() {
			t.Errorf("%s:\n%.3000s\nwant\n%.3000s", test.name, got, want)
		}
		if bytes.Contains(data, []byte("TestColumnsAgainstOracle")) != strings.Contains(want.String(), "TestColumnsAgainstOracle") {
			t.Errorf("%s: names of functions that are not used", test.name)
		}
		if test.deltas {
			if _, samples, err := encoded.Columns(second, test.first, 2, last); samples != 0 || err != nil {
				t.Errorf("%d samples since the same profile, %v", samples, err)
			}
		}
	}
}

// TestDifferenceAgainstOracle subtracts real profiles, with google/pprof's
// merge doing the same.
func TestDifferenceAgainstOracle(t *testing.T) {
	rate := runtime.MemProfileRate
	defer func() { runtime.MemProfileRate = rate }()
	for _, name := range []string{"heap", "allocs", "goroutine", "threadcreate"} {
		runtime.MemProfileRate = 1
		done := make(chan bool)
		labelled := func(value string) {
			pprof.Do(context.Background(), pprof.Labels("key", value), func(context.Context) { go func() { <-done }() })
		}
		labelled("before")
		ended := make(chan bool)
		go func() { <-ended }() // its stack is in the first one only
		time.Sleep(10 * time.Millisecond)
		first := lookup(t, name)
		kept = append(kept, make([]byte, 100_000))
		labelled("after")
		close(ended)
		time.Sleep(10 * time.Millisecond)
		runtime.GC()
		second := lookup(t, name)
		close(done)
		runtime.MemProfileRate = rate // the oracle's own allocations would be recorded one by one

		out, err := encoded.Difference(first, second)
		if err != nil {
			t.Fatal(err)
		}
		got, err := oracle.ParseData(out)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := got.CheckValid(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		p0, p1 := mustOracle(t, first), mustOracle(t, second)
		p0.Scale(-1)
		want, err := oracle.Merge([]*oracle.Profile{p0, p1})
		if err != nil {
			t.Fatal(err)
		}
		want.TimeNanos, want.DurationNanos = got.TimeNanos, got.DurationNanos
		sortSamples(got)
		sortSamples(want)
		if got.Compact().String() != want.Compact().String() {
			t.Errorf("%s:\n%.4000s\nwant\n%.4000s", name, got, want)
		}
		if name != "threadcreate" && len(got.Sample) == 0 {
			t.Errorf("%s: no difference", name)
		}
	}
}

// sortSamples makes an order of what has none.
func sortSamples(p *oracle.Profile) {
	key := func(s *oracle.Sample) string {
		var addresses []uint64
		for _, l := range s.Location {
			addresses = append(addresses, l.Address)
		}
		return fmt.Sprint(addresses, s.Label, s.NumLabel)
	}
	slices.SortFunc(p.Sample, func(a, b *oracle.Sample) int { return strings.Compare(key(a), key(b)) })
}

var kept [][]byte

func mustOracle(t *testing.T, data []byte) *oracle.Profile {
	p, err := oracle.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lookup returns a profile as it is now, not compressed.
func lookup(t *testing.T, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

var sink []byte

//go:noinline
func allocateMuch() {
	for range 200 {
		sink = make([]byte, 1<<20)
	}
}

//go:noinline
func burned(n int) (b []byte) {
	for i := range 200 {
		b = fmt.Append(b, n, i)
	}
	return b
}
