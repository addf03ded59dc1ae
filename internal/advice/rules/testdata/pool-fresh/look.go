package look

import (
	"io"
	"sync"
)

type state struct {
	data []byte
	n    int
}

var states = sync.Pool{New: func() any { return new(state) }}

// enough makes a larger one if it has to.
func enough(r io.Reader, n int) error {
	st := states.Get().(*state)
	defer states.Put(st)
	if cap(st.data) < n {
		st.data = make([]byte, n) // alloc
	}
	_, err := io.ReadFull(r, st.data[:n])
	return err
}

// returned is the caller's then.
func returned(r io.Reader, n int) ([]byte, error) {
	st := states.Get().(*state)
	defer states.Put(st)
	st.data = make([]byte, n) // alloc
	_, err := io.ReadFull(r, st.data)
	return st.data[:n], err
}

// own isn't from a pool.
func own(r io.Reader, n int) error {
	st := new(state)
	st.data = make([]byte, n) // alloc
	_, err := io.ReadFull(r, st.data)
	return err
}

// first fills what New returned.
func first(n int) {
	st, ok := states.Get().(*state)
	if !ok {
		st = new(state)
		st.data = make([]byte, n) // alloc
	}
	states.Put(st)
}

// local is another variable.
func local(w io.Writer, n int) {
	st := states.Get().(*state)
	defer states.Put(st)
	data := make([]byte, n) // alloc
	st.n = n
	w.Write(data)
}
