package encoded

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"runtime/pprof"
	"testing"
)

// What comes out is checked with google/pprof in module agent/test.

func TestEachFieldRefusesMalformed(t *testing.T) {
	for _, data := range []string{"\x80", "\x08", "\x0a\x05ab", "\x0d\x00\x00\x00\x00", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if err := EachField([]byte(data), func(int, uint64, []byte) error { return nil }); err == nil {
			t.Errorf("%q: no error", data)
		}
	}
}

func FuzzColumns(f *testing.F) {
	f.Add(heap(f), heap(f))
	f.Fuzz(func(t *testing.T, data, later []byte) {
		last := Totals{}
		_, _, _ = Columns(data, 0, 2, &last) // fails or not, without a panic
		_, _, _ = Columns(data, 2, 2, nil)
		_, _, _ = Columns(later, 0, 2, &last)
		_, _ = Difference(data, later)
	})
}

func heap(t testing.TB) []byte {
	var b bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&b, 0); err != nil {
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

// BenchmarkColumns is of a heap profile with 1,024 stacks, of which 16 allocate
// between one profile and the next.
func BenchmarkColumns(b *testing.B) {
	first, second := growingHeap(b)
	b.Run("allocs", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			last := Totals{}
			for _, raw := range [][]byte{first, second} {
				if _, _, err := Columns(raw, 0, 2, &last); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("heap", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, _, err := Columns(second, 2, 2, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("difference", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := Difference(first, second); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func growingHeap(b *testing.B) (first, second []byte) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	take := func() []byte {
		runtime.GC()
		runtime.GC()
		return heap(b)
	}
	for path := range 1024 {
		left(path, 10)
	}
	first = take()
	for path := range 16 {
		left(path, 10)
	}
	return first, take()
}

var grown [][]byte

//go:noinline
func left(path, depth int) {
	if depth == 0 {
		grown = append(grown, make([]byte, 64))
	} else if path&1 == 0 {
		left(path>>1, depth-1)
	} else {
		right(path>>1, depth-1)
	}
}

//go:noinline
func right(path, depth int) {
	if depth == 0 {
		grown = append(grown, make([]byte, 64))
	} else if path&1 == 0 {
		left(path>>1, depth-1)
	} else {
		right(path>>1, depth-1)
	}
}
