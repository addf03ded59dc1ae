package daemon

import (
	"math"
	"runtime/debug"
)

// baseMemory is for what no setting of a server bounds, such as what is being
// queried and what the store writes.
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

// limitMemory sets the limit unless the user has set one.
func (c *Config) limitMemory(getenv func(string) string) {
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(c.memoryLimit())
	}
}
