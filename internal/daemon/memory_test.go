package daemon

import (
	"runtime/debug"
	"testing"
)

// TestMemoryLimit checks that the limit follows from the settings, and that the
// user's has the last word.
func TestMemoryLimit(t *testing.T) {
	c := DefaultConfig("")
	before := c.memoryLimit()
	if before < int64(c.Server.InFlight)+int64(c.Queries.Cache) {
		t.Errorf("the limit is %d", before)
	}
	c.Server.InFlight += 1 << 20
	if got := c.memoryLimit(); got != before+1<<20 {
		t.Errorf("with a megabyte more to be sent at a time it is %d, not %d", got, before+1<<20)
	}
	// What is in use decides, up to that.
	idle, busy, most := c.memoryLimitFor(0, 0), c.memoryLimitFor(400<<20, 100<<20), c.memoryLimitFor(0, 1<<40)
	if idle > 256<<20 || busy != idle+600<<20 || most != c.memoryLimit() {
		t.Errorf("idle it is %d, with 400 MiB in caches and 100 MiB in requests %d, at most %d", idle, busy, most)
	}
	kept := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(kept)
	for set, want := range map[string]int64{"1GiB": kept, "": c.memoryLimit()} {
		debug.SetMemoryLimit(kept)
		c.limitMemory(func(name string) string {
			if name != "GOMEMLIMIT" {
				t.Errorf("asks for %s", name)
			}
			return set
		})
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("with GOMEMLIMIT=%q it is %d, want %d", set, got, want)
		}
	}
}
