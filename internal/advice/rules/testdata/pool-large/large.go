package large

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

var (
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	scratch sync.Pool
)

type server struct{ pool sync.Pool }

func (s *server) write(w io.Writer, items []string) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	for _, item := range items {
		// want C: 95 buffers of 1 MiB on average, written here, are in use. They go back to buffers whatever their size
		b.WriteString(item) // live: bytes.growSlice bytes.(*Buffer).WriteString only 1048576
	}
	w.Write(b.Bytes())
}

func (s *server) encode(w io.Writer, items []string) {
	p := scratch.Get().(*[]byte)
	b := (*p)[:0]
	for _, item := range items {
		// want C: They go back to scratch
		b = append(b, item...) // live: only 131072
	}
	w.Write(b)
	*p = b
	scratch.Put(p)
}

func (s *server) print(w io.Writer, n int) {
	b := s.get()
	render(b, n)
	w.Write(b.Bytes())
	s.pool.Put(b)
}

func (s *server) get() *bytes.Buffer {
	b, ok := s.pool.Get().(*bytes.Buffer)
	if !ok {
		b = new(bytes.Buffer)
	}
	b.Reset()
	return b
}

func render(b *bytes.Buffer, n int) {
	// want C: They go back to pool
	fmt.Fprintf(b, "%*d", n, n) // live: bytes.growSlice bytes.(*Buffer).Write fmt.Fprintf only 131072
}
