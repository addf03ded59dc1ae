package silent

import (
	"os"
	"sync"
)

type cache struct {
	mu  *sync.Mutex
	set map[string]int
	in  struct{ mu sync.Mutex }
}

// A pointer to another lock may be there at the end.
func (c *cache) pointer() int {
	c.mu.Lock()
	defer c.mu.Unlock() // hot
	return len(c.set)
}

// The variable changes.
func (c *cache) changes() int {
	c.in.mu.Lock()
	defer c.in.mu.Unlock() // hot
	c = &cache{}
	return len(c.set)
}

// Two calls are deferred.
func (c *cache) two(other *cache) int {
	c.in.mu.Lock()
	defer c.in.mu.Unlock() // hot
	other.in.mu.Lock()
	defer other.in.mu.Unlock() // hot
	return len(c.set)
}

// The call is only deferred sometimes.
func (c *cache) sometimes(lock bool) int {
	if lock {
		c.in.mu.Lock()
		defer c.in.mu.Unlock() // hot
	}
	return len(c.set)
}

// What the call does isn't known.
func read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // hot
	return nil
}

// It may end a panic.
func safe(f func()) {
	defer rescue() // hot
	f()
}

func rescue() { recover() }

// There are many returns.
func (c *cache) many(n int) int {
	c.in.mu.Lock()
	defer c.in.mu.Unlock() // hot
	switch n {
	case 1:
		return 2
	case 2:
		return 3
	case 3:
		return 5
	}
	return 7
}

type clock struct {
	mu        sync.Mutex
	last, seq uint64
	epoch     func() uint64
}

// Beside all that, the deferred call costs next to nothing.
func (c *clock) next(precise bool) (uint64, uint64, bool) {
	now := c.epoch()
	if now == 0 {
		return 0, 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock() // hot
	if precise {
		now *= 1000
	} else {
		now /= 10
	}
	if now <= c.last {
		c.seq++
	}
	if now > c.last {
		c.seq = 0
	}
	c.last = now
	return now, c.seq, true
}
