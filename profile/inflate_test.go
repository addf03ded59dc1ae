package profile

import (
	"bytes"
	stdgzip "compress/gzip"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// TestGunzip compares with the standard library on data of many kinds, at all
// levels of compression.
func TestGunzip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var inputs [][]byte
	for _, n := range []int{0, 1, 2, 7, 100, 1000, 65535, 65536, 300_000} {
		random, few, zero, mixed := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
		for i := range n {
			random[i] = byte(r.Uint32())
			few[i] = "abcdefgh"[r.IntN(8)]
			// Frequencies that fall by half give codes of every length.
			mixed[i] = byte(min(255, int(r.ExpFloat64()*12)))
			if i > 300 && r.IntN(9) == 0 {
				copy(mixed[i-r.IntN(40):i], mixed[r.IntN(i-260):])
			}
		}
		inputs = append(inputs, random, few, zero, mixed)
	}
	for _, name := range corpus(t) {
		if data := readFile(t, name); data[0] == 0x1f {
			zr, err := stdgzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(zr)
			if err != nil {
				continue
			}
			inputs = append(inputs, plain)
			var z inflater
			if got, ok := z.gunzip(nil, data, 1<<30); !ok || !bytes.Equal(got, plain) {
				t.Errorf("%s: ok %v, %d bytes, want %d", filepath.Base(name), ok, len(got), len(plain))
			}
		}
	}
	var z inflater
	for i, in := range inputs {
		for level := stdgzip.HuffmanOnly; level <= stdgzip.BestCompression; level++ {
			if len(in) > 1<<20 && level > 1 {
				continue
			}
			var buf bytes.Buffer
			zw, err := stdgzip.NewWriterLevel(&buf, level)
			if err != nil {
				t.Fatal(err)
			}
			zw.Name = "a name"
			zw.Write(in)
			zw.Close()
			twice := append(bytes.Clone(buf.Bytes()), buf.Bytes()...)
			got, ok := z.gunzip([]byte("before"), twice, 1<<30)
			if !ok || !bytes.Equal(got, append(append([]byte("before"), in...), in...)) {
				t.Fatalf("input %d of %d bytes, level %d: ok %v, %d bytes", i, len(in), level, ok, len(got))
			}
			if len(in) > 10 {
				if _, ok := z.gunzip(nil, buf.Bytes(), len(in)/4); ok && len(in) > 4*inflateSlack+128<<10 {
					t.Fatalf("input %d, level %d: no limit", i, level)
				}
				if _, ok := z.gunzip(nil, buf.Bytes()[:buf.Len()-1-r.IntN(buf.Len()-1)], 1<<30); ok {
					t.Fatalf("input %d, level %d: accepted cut data", i, level)
				}
			}
		}
	}
}

// FuzzGunzip checks that whatever is accepted is what the library makes of it.
func FuzzGunzip(f *testing.F) {
	for _, s := range []string{"", "a", "hello hello hello hello hello", string(bytes.Repeat([]byte("abcabcabd"), 500))} {
		f.Add(gzipped(f, []byte(s)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var z inflater
		got, ok := z.gunzip(nil, data, 1<<20)
		if !ok {
			return
		}
		zr, err := stdgzip.NewReader(bytes.NewReader(data))
		if err != nil {
			if len(data) == 0 {
				return
			}
			t.Fatal(err)
		}
		want, err := io.ReadAll(zr)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes; the library has %d, %v", len(got), len(want), err)
		}
	})
}

// BenchmarkInflate decompresses the files of the other benchmarks.
func BenchmarkInflate(b *testing.B) {
	files, size := benchFiles(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		var z inflater
		var buf []byte
		for _, data := range files {
			var ok bool
			if buf, ok = z.gunzip(buf[:0], data, 1<<30); !ok {
				b.Fatal("refused")
			}
		}
	}
}
