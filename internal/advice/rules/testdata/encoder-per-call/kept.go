package kept

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"hash"
	"io"
	"os"
	"sync"
)

var pool = sync.Pool{New: func() any {
	return gzip.NewWriter(nil) // hot: compress/gzip.NewWriter
}}

var out = bufio.NewWriter(os.Stdout) // hot: bufio.NewWriter bufio.NewWriterSize

type sink struct{ w *bufio.Writer }

// flush is of one that is kept.
func (s *sink) flush() error {
	return s.w.Flush() // hot: bufio.(*Writer).Flush os.(*File).Write
}

func write(w io.Writer, text []byte) error {
	zw := pool.Get().(*gzip.Writer) // hot: sync.(*Pool).Get compress/gzip.NewWriter
	zw.Reset(w)
	_, err := zw.Write(text) // hot: compress/gzip.(*Writer).Write compress/flate.NewWriter
	return err
}

// compress takes its time for what it is there for.
func compress(w io.Writer, texts [][]byte) error {
	zw := gzip.NewWriter(w)
	for _, t := range texts {
		zw.Write(t) // hot: compress/gzip.(*Writer).Write compress/flate.(*compressor).deflate
	}
	return zw.Close()
}

var writers, sums sync.Pool

// acquire asks a pool first.
func acquire(w io.Writer) *bufio.Writer {
	v := writers.Get()
	if v == nil {
		return bufio.NewWriterSize(w, 512) // hot: bufio.NewWriterSize
	}
	bw := v.(*bufio.Writer)
	bw.Reset(w)
	return bw
}

func acquired() hash.Hash {
	h, ok := sums.Get().(hash.Hash)
	if !ok {
		h = sha256.New() // hot: crypto/sha256.New
	}
	h.Reset()
	return h
}

func main() {}

func init() {
	gzip.NewWriter(os.Stdout) // hot: compress/gzip.NewWriter
}
