package daemon

import (
	"runtime"
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
	// What is in use decides, up to that. While requests are few, their room is that of
	// what isn't counted.
	for _, test := range []struct{ caches, stored, requests, want int64 }{
		{0, 0, 0, 176 << 20}, {0, 40 << 20, 90 << 20, 176 << 20}, {0, 0, 300 << 20, 380 << 20}, {0, 248 << 20, 300 << 20, 580 << 20},
		{400 << 20, 0, 0, 676 << 20}, {400 << 20, 0, 100 << 20, 680 << 20}, {0, 0, 1 << 40, c.memoryLimit()},
	} {
		if got := c.memoryLimitFor(test.caches, test.stored, test.requests); got != test.want {
			t.Errorf("with %d bytes in caches, %d in the store and %d in requests it is %d, want %d", test.caches, test.stored, test.requests, got, test.want)
		}
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

// A start may allocate almost as much as its room without a collection, and gives the room back.
func TestStartRoomy(t *testing.T) {
	var before, after runtime.MemStats
	done := startRoomy()
	runtime.GC() // the goal is that of a heap with the room in it
	runtime.ReadMemStats(&before)
	var kept []byte
	for range (startRoom - 1<<20) >> 16 {
		kept = make([]byte, 64<<10)
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	if n := after.NumGC - before.NumGC; n != 0 {
		t.Errorf("%d collections for %d bytes", n, startRoom-1<<20)
	}
	done()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc) + startRoom; kept > startRoom/2 {
		t.Errorf("the heap has %d bytes more than without the room", kept)
	}
}
