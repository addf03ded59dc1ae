package packages

import "sync"

var load = sync.OnceFunc(func() {}) // hot: sync.OnceFunc runtime.newobject

var number func() int

func init() {
	number = sync.OnceValue(func() int { return 3 }) // hot: sync.OnceValue runtime.newobject
}

type span struct{ once sync.Once }

func (s *span) finish() {
	load()
	s.once.Do(func() { number() }) // alloc
}
