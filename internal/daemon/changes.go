package daemon

import (
	"sync"
	"time"
)

// lately is how long something counts as going on after it happened last.
const lately = 15 * time.Minute

// changes remembers when counters rose.
type changes struct {
	mu sync.Mutex
	of map[string]change
}

type change struct {
	count       int64
	first, last time.Time // of the rises that are going on; zero for none
}

// look notes the state of a counter.
func (c *changes) look(name string, count int64, now time.Time) change {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]change{}
	}
	one := c.of[name]
	if count > one.count {
		if now.Sub(one.last) > lately {
			one.first = now
		}
		one.last = now
	}
	one.count = count
	c.of[name] = one
	return one
}

// goesOn reports whether a counter rose lately.
func (c change) goesOn(now time.Time) bool { return !c.last.IsZero() && now.Sub(c.last) <= lately }

// ms returns a time in ms since 1970, 0 for none.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
