package agent

import (
	"bytes"
	"context"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"

	oracle "github.com/google/pprof/profile"
)

// TestDifferenceAgainstOracle subtracts real profiles, with google/pprof's
// merge doing the same.
func TestDifferenceAgainstOracle(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	for _, name := range []string{"heap", "allocs", "goroutine", "threadcreate"} {
		take := func() []byte {
			var b bytes.Buffer
			if err := pprof.Lookup(name).WriteTo(&b, 0); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		done := make(chan bool)
		labelled := func(value string) {
			pprof.Do(context.Background(), pprof.Labels("key", value), func(context.Context) { go func() { <-done }() })
		}
		labelled("before")
		ended := make(chan bool)
		go func() { <-ended }() // its stack is in the first one only
		time.Sleep(10 * time.Millisecond)
		first := take()
		kept = append(kept, make([]byte, 100_000))
		labelled("after")
		close(ended)
		time.Sleep(10 * time.Millisecond)
		runtime.GC()
		second := take()
		close(done)

		var out bytes.Buffer
		a, b := mustParse(t, first), mustParse(t, second)
		if err := difference(a, b).write(&out); err != nil {
			t.Fatal(err)
		}
		got, err := oracle.ParseData(out.Bytes())
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
		if got.Compact().String() != want.Compact().String() {
			t.Errorf("%s:\n%.4000s\nwant\n%.4000s", name, got, want)
		}
		if name != "threadcreate" && len(got.Sample) == 0 {
			t.Errorf("%s: no difference", name)
		}
	}
}

var kept [][]byte

func mustParse(t *testing.T, data []byte) *rawProfile {
	p, err := parseRaw(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustOracle(t *testing.T, data []byte) *oracle.Profile {
	p, err := oracle.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEachFieldRefusesMalformed(t *testing.T) {
	for _, data := range []string{"\x80", "\x08", "\x0a\x05ab", "\x0d\x00\x00\x00\x00", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if err := eachField([]byte(data), func(int, uint64, []byte) error { return nil }); err == nil {
			t.Errorf("%q: no error", data)
		}
	}
}
