package daemon

import (
	"context"
	"math"
	"runtime/debug"
	"time"
)

// baseMemory is for what no setting of a server bounds, such as what the store reads
// and writes.
const baseMemory = 256 << 20

// memoryLimit returns what a server's heap may grow to before the garbage
// collector works harder.
func (c *Config) memoryLimit() int64 {
	sum := int64(baseMemory)
	for _, n := range []int64{int64(c.Server.InFlight), int64(c.Queries.Cache), c.Limits.DeltaBytes, int64(c.Store.Cache)} {
		sum += min(n, math.MaxInt64/8)
	}
	return sum
}

// memoryLimitFor returns the limit for the bytes of caches, store and requests that are in use
// now. Without it, a server whose caches are empty would let dead memory of requests grow
// to what all of them may have. What is in caches has a quarter more, as it stays.
//
// What isn't counted has the room of requests while those are few. Large requests are rare
// and short, so that the collector may work harder when both need their room.
func (c *Config) memoryLimitFor(caches, stored, requests int64) int64 {
	const (
		program   = 80 << 20
		uncounted = 48 << 20
	)
	cache := min(int64(c.Store.Cache), math.MaxInt64/8)
	room := max(requests, uncounted+cache) + max(0, stored-cache)
	return min(c.memoryLimit(), program+caches+caches/4+room)
}

// limitMemory sets the limit unless the user has set one.
func (c *Config) limitMemory(getenv func(string) string) {
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(c.memoryLimit())
	}
}

// followMemory keeps the limit at what is in use until ctx is done, unless the user has
// set one.
func (d *daemon) followMemory(ctx context.Context) {
	if d.o.Getenv("GOMEMLIMIT") != "" {
		return
	}
	// A change stops the program for a moment, so small ones are left.
	const every, least = time.Second, 16 << 20
	tick := time.NewTicker(every)
	defer tick.Stop()
	for last := int64(0); ; {
		limit := d.cfg.memoryLimitFor(d.server.Cache.Bytes()+d.hub.DeltaBytes(), d.store.memory(), d.memory.Used())
		if limit-last >= least || last-limit >= least {
			debug.SetMemoryLimit(limit)
			last = limit
		}
		select {
		case <-d.memory.Moved(): // long before the next tick there may be too much
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
