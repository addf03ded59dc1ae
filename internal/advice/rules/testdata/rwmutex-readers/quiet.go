package quiet

import (
	"sync"
	"sync/atomic"
)

type cache struct {
	mu sync.RWMutex
	n  atomic.Int32
}

func (c *cache) add() {
	c.n.Add(1) // hot: sync/atomic.(*Int32).Add
}

func (c *cache) write() {
	c.mu.Lock() // hot: sync.(*RWMutex).Lock sync/atomic.(*Int32).Add
	c.mu.Unlock()
}

// Readers that wait for a writer.
func (c *cache) read() {
	c.mu.RLock() // hot: sync.(*RWMutex).RLock sync.runtime_SemacquireRWMutexR
	c.mu.RUnlock()
}
