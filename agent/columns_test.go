package agent

import (
	"bytes"
	"context"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
)

// TestColumnsAgainstOracle has google/pprof compute what columns should: the
// difference of two profiles, of two of their sample types.
func TestColumnsAgainstOracle(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 8 << 10
	allocateMuch()
	runtime.GC()
	runtime.GC()
	first, err := lookup("heap")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_ = burned(1000)
		kept = append(kept, make([]byte, 100_000))
	}
	allocateMuch()
	runtime.GC()
	runtime.GC()
	second, err := lookup("heap")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		first  int
		deltas bool
		types  []string
	}{
		{"allocs", allocColumns, true, []string{"alloc_objects", "alloc_space"}},
		{"heap", inuseColumns, false, []string{"inuse_objects", "inuse_space"}},
	} {
		var last *counters
		want := mustOracle(t, second)
		if test.deltas {
			last = &counters{}
			if _, _, err := columns(first, test.first, 2, last); err != nil {
				t.Fatal(err)
			}
			p := mustOracle(t, first)
			p.Scale(-1)
			if want, err = oracleMerge(p, want); err != nil {
				t.Fatal(err)
			}
		}
		data, samples, err := columns(second, test.first, 2, last)
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
		if want, err = oracleMerge(want.Compact()); err != nil {
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
		if got, err = oracleMerge(got); err != nil {
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
			if _, samples, err := columns(second, test.first, 2, last); samples != 0 || err != nil {
				t.Errorf("%d samples since the same profile, %v", samples, err)
			}
		}
	}
}

func FuzzColumns(f *testing.F) {
	raw, err := lookup("heap")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, data []byte) {
		last := counters{}
		_, _, _ = columns(data, 0, 2, &last) // fails or not, without a panic
		_, _, _ = columns(data, 2, 2, nil)
	})
}

func TestStartLeavesTheCallersLabels(t *testing.T) {
	r := newReceiver(t)
	done := make(chan bool)
	defer close(done)
	started := make(chan *Agent)
	go pprof.Do(context.Background(), pprof.Labels("caller", "mine"), func(context.Context) {
		a, err := start(testConfig(t, r.server.URL, KindGoroutine), testHooks)
		if err != nil {
			t.Error(err)
		}
		started <- a
		<-done
	})
	a := <-started
	eventually(t, "a profile", func() bool { return len(r.all("")) > 0 })
	stopAgent(t, a)
	labels := make(map[string]int)
	for _, s := range mustOracle(t, r.all("")[0].body).Sample {
		for name, values := range s.Label {
			labels[name+"="+values[0]] += int(s.Value[0])
		}
	}
	if labels["caller=mine"] != 1 || labels["hone=agent"] < 2 {
		t.Errorf("goroutines by label: %v", labels)
	}
}
