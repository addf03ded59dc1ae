package readers

import "sync"

type cache struct {
	mu sync.RWMutex
	m  map[string]string
}

func (c *cache) get(k string) string {
	// want C: its counter Each reader updates a shared counter in c.mu
	c.mu.RLock() // hot: sync.(*RWMutex).RLock sync/atomic.(*Int32).Add
	defer c.mu.RUnlock()
	return c.m[k]
}

type embedded struct {
	sync.RWMutex
	n int
}

func (e *embedded) get() int {
	// want C: for its counter Each reader updates a shared counter in e
	e.RLock() // hot: sync.(*RWMutex).RLock internal/runtime/atomic.(*Int32).Add
	n := e.n
	e.RUnlock() // hot: sync.(*RWMutex).RUnlock sync/atomic.(*Int32).Add
	return n
}
