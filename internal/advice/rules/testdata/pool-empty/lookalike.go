package lookalike

import "sync"

type event struct{ buf []byte }

// Made once in a while: what is allocated is something else.
var events = sync.Pool{
	New: func() any {
		return &event{buf: make([]byte, 0, 500)}
	},
}

func text(n int) string {
	e := events.Get().(*event)
	defer events.Put(e)
	e.buf = append(e.buf[:0], "text"...)
	return string(append(e.buf, byte(n))) // alloc
}

// A function that makes something, of no pool.
var make1 = func() any {
	return new(event) // alloc
}
