package pointers

import "sync"

type pool struct{}

func (pool) Put(v any) {}

type boxed struct{ p *[]byte }

var buffers sync.Pool

func put(b *[]byte, m map[string]int, v any, x boxed) {
	buffers.Put(b) // alloc
	buffers.Put(m) // alloc
	buffers.Put(v) // alloc
	buffers.Put(x) // alloc
	pool{}.Put(*b) // alloc
}

func keep[T any](v T) {
	buffers.Put(v) // alloc
}
