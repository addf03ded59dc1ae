package fresh

import (
	"bytes"
	"io"
	"sync"
)

type state struct {
	data  []byte
	names map[string]int
	buf   *bytes.Buffer
}

var (
	states = sync.Pool{New: func() any { return new(state) }}
	slices = sync.Pool{New: func() any { return new([]byte) }}
)

func read(r io.Reader, n int) error {
	st := states.Get().(*state)
	defer states.Put(st)
	// want C: st comes from states, and gets new memory here each time: make([]byte, n). Reuse the memory that it has: st.data[:0]
	st.data = make([]byte, n) // alloc
	_, err := io.ReadFull(r, st.data)
	return err
}

func count(words []string) int {
	st := getState()
	defer states.Put(st)
	// want C: clear(st.names)
	st.names = make(map[string]int, len(words)) // alloc
	// want C: reset st.buf
	st.buf = &bytes.Buffer{} // alloc
	for _, w := range words {
		st.names[w]++
	}
	return len(st.names)
}

func getState() *state { return states.Get().(*state) }

func scratch(w io.Writer, n int) {
	p := slices.Get().(*[]byte)
	// want C: p comes from slices
	*p = make([]byte, n) // alloc
	w.Write(*p)
	slices.Put(p)
}
