package profile

import (
	"bytes"
	"runtime"
	"runtime/pprof"
	"testing"

	gp "github.com/google/pprof/profile"
)

// BenchmarkDecodeText decodes what runtime/pprof writes of 6,000 stacks with
// debug=1, by far most of which are lines with symbols.
func BenchmarkDecodeText(b *testing.B) {
	text := allocationsText(6000)
	b.Run("hone", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := DecodeBytes(text, Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("google", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := gp.ParseData(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// allocationsText is an allocs profile of this program, after it has allocated
// on that many more stacks.
func allocationsText(stacks int) []byte {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	for i := range stacks {
		allocate(uint64(i), 14)
	}
	runtime.GC()
	var text bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&text, 1); err != nil {
		panic(err)
	}
	return text.Bytes()
}

var allocated []byte

// allocate allocates on a stack of its own for each path of depth bits.
//
//go:noinline
func allocate(path uint64, depth int) {
	switch {
	case depth == 0:
		allocated = make([]byte, 64+path)
	case path&1 == 0:
		allocateEven(path, depth)
	default:
		allocateOdd(path, depth)
	}
}

//go:noinline
func allocateEven(path uint64, depth int) { allocate(path>>1, depth-1) }

//go:noinline
func allocateOdd(path uint64, depth int) { allocate(path>>1, depth-1) }
