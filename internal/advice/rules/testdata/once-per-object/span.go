package span

import "sync"

type span struct {
	end   func()
	value func() int
}

func (s *span) finish() {}

func start(n int) *span {
	s := &span{}
	// want C: sync.OnceFunc allocates
	s.end = sync.OnceFunc(s.finish) // hot: sync.OnceFunc runtime.newobject
	// want C: sync.OnceValue allocates
	s.value = sync.OnceValue(func() int { return n }) // alloc
	return s
}
