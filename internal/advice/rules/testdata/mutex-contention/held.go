package held

import (
	"io"
	"sync"
)

type counter struct {
	mu sync.Mutex
	n  int64
}

func (c *counter) add() {
	c.mu.Lock()
	c.n++
	// want C: atomic.Int64
	c.mu.Unlock() // mutex: sync.(*Mutex).Unlock
}

func (c *counter) get() int64 {
	c.mu.Lock()
	// want C: It is held from line 21
	defer c.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	return c.n
}

type table struct {
	sync.RWMutex
	rows map[string][]byte
	out  io.Writer
}

func (t *table) put(k string, v []byte) {
	t.Lock()
	// want C: split the map by key into several
	defer t.Unlock() // mutex: sync.(*RWMutex).Unlock
	t.rows[k] = v
}

func (t *table) write(k string) error {
	t.RLock()
	// want C: It is held from line 41 while the code writes to an io.Writer (t.out.Write, line 44). Copy what is written, unlock, and write then.
	defer t.RUnlock() // mutex: sync.(*RWMutex).RUnlock
	_, err := t.out.Write(t.rows[k])
	return err
}

// A deferred call is where the function returns.
func (c *counter) take() (n int64) {
	c.mu.Lock()
	// want C: held from line
	defer c.mu.Unlock()
	n, c.n = c.n, 0
	return n // mutex: sync.(*Mutex).Unlock
}
