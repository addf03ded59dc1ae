package returns

import (
	"errors"
	"sync"
)

type cache struct {
	mu    sync.RWMutex
	items map[string]int
	total int
	names []string
}

func (c *cache) Get(name string) (int, bool) {
	c.mu.RLock()
	// want A: Call c.mu.RUnlock() before each return. (end)
	defer c.mu.RUnlock() // hot
	n, found := c.items[name]
	return n, found
}

func (c *cache) Total() int {
	c.mu.RLock()
	// want A: Call c.mu.RUnlock() before each return. (end)
	defer c.mu.RUnlock()
	return c.total
} // hot: sync.(*RWMutex).RUnlock

func (c *cache) Add(name string, n int) {
	c.mu.Lock()
	// want B: Check that nothing after line 33 panics: c.mu.Unlock() wouldn't be called then. (end)
	defer c.mu.Unlock() // hot
	if n == 0 {
		return
	}
	c.items[name] += n
	c.total += n
}

var errNone = errors.New("none")

func (c *cache) Name(i int) (string, error) {
	c.mu.RLock()
	// want B: Check that nothing after line 46 panics
	defer c.mu.RUnlock() // hot
	if len(c.names) == 0 {
		return "", errNone
	}
	return c.names[i], nil
}

var (
	known     = map[string]*cache{}
	knownLock sync.Mutex
)

func find(name string) *cache {
	if c := func() *cache {
		knownLock.Lock()
		// want A: Call knownLock.Unlock() before each return. (end)
		defer knownLock.Unlock()
		return known[name] // hot: runtime.mapaccess1_faststr sync.(*Mutex).Unlock
	}(); c != nil {
		return c
	}
	return &cache{}
}

type locked struct {
	sync.Mutex
	n int
}

func (l *locked) next() int {
	l.Lock()
	// want B: Call l.Unlock() before each return.
	defer l.Unlock() // hot
	l.n++
	return l.n
}
