package slices

import "sync"

type header struct{ key, value string }

var (
	buffers = sync.Pool{New: func() any { return make([]byte, 0, 1024) }}
	headers sync.Pool
)

func put(b []byte) {
	// want C: a slice is copied
	buffers.Put(b[:0]) // alloc
}

func release(h header) {
	// want C: a value of header is copied
	headers.Put(h) // hot: runtime.convT
}

func use(f func([]byte)) {
	b := buffers.Get().([]byte)
	// want C: a slice is copied
	defer buffers.Put(b) // hot: runtime.convTslice
	f(b)
}
