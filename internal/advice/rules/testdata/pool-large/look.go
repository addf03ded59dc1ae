package look

import (
	"bytes"
	"io"
	"sync"
)

var (
	limited = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	small   = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	dropped = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

func write(w io.Writer, items []string) {
	b := limited.Get().(*bytes.Buffer)
	defer put(b)
	b.Reset()
	for _, item := range items {
		b.WriteString(item) // live: bytes.growSlice bytes.(*Buffer).WriteString only 1048576
	}
	w.Write(b.Bytes())
}

func put(b *bytes.Buffer) {
	if b.Cap() <= 64<<10 {
		limited.Put(b)
	}
}

// few bytes are fine.
func few(w io.Writer, item string) {
	b := small.Get().(*bytes.Buffer)
	defer small.Put(b)
	b.Reset()
	b.WriteString(item) // live: bytes.growSlice bytes.(*Buffer).WriteString only 4096
	w.Write(b.Bytes())
}

// drop doesn't put it back.
func drop(w io.Writer, item string) {
	b := dropped.Get().(*bytes.Buffer)
	b.WriteString(item) // live: bytes.growSlice bytes.(*Buffer).WriteString only 1048576
	w.Write(b.Bytes())
}

// own has no pool.
func own(w io.Writer, item string) {
	b := new(bytes.Buffer)
	b.WriteString(item) // live: bytes.growSlice bytes.(*Buffer).WriteString only 1048576
	w.Write(b.Bytes())
}

// busy allocates, and holds nothing.
func busy(w io.Writer, item string) {
	b := small.Get().(*bytes.Buffer)
	defer small.Put(b)
	b.WriteString(item) // alloc: bytes.growSlice bytes.(*Buffer).WriteString only 1048576
	w.Write(b.Bytes())
}
