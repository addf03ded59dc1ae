package disk

import (
	"container/list"
	"sync"
)

// A cache keeps decoded values up to a number of bytes; the least recently used
// ones go. Keys tell versions apart, so that nothing needs to be taken out when
// it changes. What is in it is shared and not to be changed.
type cache struct {
	mu     sync.Mutex
	limit  int64
	bytes  int64
	hits   int64
	misses int64
	byKey  map[cacheKey]*list.Element
	recent list.List // of *cached, the most recently used first
}

// cacheKey is a key of the store and a number that changes with its value.
type cacheKey struct {
	key     string
	version uint64
}

type cached struct {
	key   cacheKey
	value any
	bytes int64
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, byKey: map[cacheKey]*list.Element{}}
}

func (c *cache) get(k cacheKey) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[k]
	if !ok {
		c.misses++
		return nil
	}
	c.hits++
	c.recent.MoveToFront(e)
	return e.Value.(*cached).value
}

// put keeps a value that takes about n bytes. One that would take more than half
// of all room is not kept.
func (c *cache) put(k cacheKey, value any, n int64) {
	n += int64(len(k.key)) + 128
	if n > c.limit/2 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[k]; ok {
		return
	}
	c.byKey[k] = c.recent.PushFront(&cached{k, value, n})
	c.bytes += n
	for c.bytes > c.limit {
		last := c.recent.Back()
		old := c.recent.Remove(last).(*cached)
		delete(c.byKey, old.key)
		c.bytes -= old.bytes
	}
}
