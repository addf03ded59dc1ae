package profile

import (
	"bytes"
	stdgzip "compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	gp "github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"
)

// benchFiles returns the gzipped profiles to measure with: those that the glob
// $HONE_BENCH_FILES names, or else the cpu profiles of one program in testdata,
// many times over. bytes is what they decompress to.
func benchFiles(b *testing.B) (files [][]byte, size int64) {
	b.Helper()
	names, err := filepath.Glob(os.Getenv("HONE_BENCH_FILES"))
	if err != nil {
		b.Fatal(err)
	}
	if len(names) == 0 {
		for range 50 {
			names = append(names, "../testdata/cpu.wordcount-v1.pb.gz", "../testdata/cpu.wordcount-v1-again.pb.gz")
		}
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		zr, err := stdgzip.NewReader(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, zr)
		if err != nil {
			b.Fatal(err)
		}
		files, size = append(files, data), size+n
	}
	return files, size
}

// BenchmarkDecompress is the floor: decompression alone, with the library that
// decoding uses for large profiles, into the same pieces.
func BenchmarkDecompress(b *testing.B) { benchDecompress(b, new(gzip.Reader)) }

// BenchmarkDecompressStandard is the floor with the standard library's gzip,
// which google/pprof uses.
func BenchmarkDecompressStandard(b *testing.B) { benchDecompress(b, new(stdgzip.Reader)) }

func benchDecompress(b *testing.B, zr interface {
	io.Reader
	Reset(io.Reader) error
}) {
	files, size := benchFiles(b)
	b.SetBytes(size)
	b.ReportAllocs()
	buf := make([]byte, blockSize)
	for b.Loop() {
		for _, data := range files {
			if err := zr.Reset(bytes.NewReader(data)); err != nil {
				b.Fatal(err)
			}
			for {
				if _, err := io.ReadFull(zr, buf); err != nil {
					break
				}
			}
		}
	}
}

// BenchmarkDecode decodes without merging.
func BenchmarkDecode(b *testing.B) {
	files, size := benchFiles(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		var d Decoder
		for _, data := range files {
			if _, err := d.Decode(data); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkDecodeMerge decodes and merges on one goroutine.
func BenchmarkDecodeMerge(b *testing.B) {
	files, size := benchFiles(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		var d Decoder
		var m Merger
		for _, data := range files {
			p, err := d.Decode(data)
			if err != nil {
				b.Fatal(err)
			}
			if err := m.Add(p); err != nil {
				b.Fatal(err)
			}
		}
		m.Profile()
	}
}

// BenchmarkMerge merges decoded profiles, most of whose stacks are known after
// the first: it is finding rows in tables that caches don't hold.
func BenchmarkMerge(b *testing.B) {
	p := walkProfile(100_000, 50_000, 5_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Merge(p, p, p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGoogleParseMerge does the same with google/pprof.
func BenchmarkGoogleParseMerge(b *testing.B) {
	files, size := benchFiles(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		ps := make([]*gp.Profile, len(files))
		for i, data := range files {
			p, err := gp.ParseData(data)
			if err != nil {
				b.Fatal(err)
			}
			ps[i] = p
		}
		if _, err := gp.Merge(ps); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncodeUncompressed is what encoding costs besides compression.
func BenchmarkEncodeUncompressed(b *testing.B) {
	files, size := benchFiles(b)
	var profiles []*Profile
	for _, data := range files {
		p, err := DecodeBytes(data, Limits{})
		if err != nil {
			b.Fatal(err)
		}
		profiles = append(profiles, p)
	}
	b.SetBytes(size)
	for b.Loop() {
		for _, p := range profiles {
			if err := p.EncodeUncompressed(io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	}
}
