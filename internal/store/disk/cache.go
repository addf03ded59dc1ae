package disk

import (
	"container/list"
	"encoding/binary"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/singleflight"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A cache keeps decoded values up to a number of bytes, and drops the least recently used ones.
// Keys include a version, so values are never invalidated. Values are shared; nobody may change
// them.
type cache struct {
	mu     sync.Mutex
	limit  int64
	bytes  int64
	hits   int64
	misses int64
	byKey  map[cacheKey]*list.Element
	recent list.List // of *cached, the most recently used first

	reading singleflight.Group
}

// A cacheKey is a key of the store and a number that changes with its value.
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

// load returns the value of a key. If it isn't cached, load calls read, which returns the value
// and its approximate size in bytes. Concurrent calls with the same key wait for one read.
func load[V any](c *cache, k cacheKey, read func() (value V, bytes int64, err error)) (V, error) {
	if v := c.get(k); v != nil {
		return v.(V), nil
	}
	v, err, _ := c.reading.Do(string(binary.LittleEndian.AppendUint64([]byte(k.key), k.version)), func() (any, error) {
		c.mu.Lock()
		e, ok := c.byKey[k] // by someone who was done before this began
		c.mu.Unlock()
		if ok {
			return e.Value.(*cached).value, nil
		}
		v, n, err := read()
		if err == nil {
			c.put(k, v, n)
		}
		return v, err
	})
	return v.(V), err
}

// loadStored is load for the decoded value of a key in the store. If the key is missing, that
// is damage, described by missing.
func loadStored[V interface{ Memory() int64 }](c *cache, k cacheKey, db pebble.Reader, key []byte, missing string,
	decode func(value []byte) (V, error),
) (V, error) {
	return load(c, k, func() (v V, n int64, err error) {
		v, found, err := get(db, key, decode)
		if err == nil && !found {
			err = format.Damaged(key, "%s", missing)
		}
		if err != nil {
			return v, 0, err
		}
		return v, v.Memory(), nil
	})
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

// put adds a value of about n bytes. It ignores values larger than half of the cache.
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
	c.add(k, value, n)
}

// replace is put for a key that may have a value, which is replaced.
func (c *cache) replace(k cacheKey, value any, n int64) {
	n += int64(len(k.key)) + 128
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[k]; ok {
		c.remove(e)
	}
	if n <= c.limit/2 {
		c.add(k, value, n)
	}
}

// add adds a value that isn't cached, and drops others to make room. c.mu is locked.
func (c *cache) add(k cacheKey, value any, n int64) {
	c.byKey[k] = c.recent.PushFront(&cached{k, value, n})
	c.bytes += n
	for c.bytes > c.limit {
		c.remove(c.recent.Back())
	}
}

// remove removes a value. c.mu is locked.
func (c *cache) remove(e *list.Element) {
	old := c.recent.Remove(e).(*cached)
	delete(c.byKey, old.key)
	c.bytes -= old.bytes
}

// packedHeads returns the heads of the packed profiles in an hour of a partition.
func (c *cache) packedHeads(db pebble.Reader, partition uint32, h format.Hour, version uint64) (*format.Heads, error) {
	key := format.HourKey(format.KindHeads, partition, h)
	return loadStored(c, cacheKey{string(key), version}, db, key, "it is missing", format.ReadHeads)
}
