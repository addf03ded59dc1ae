package agent

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// measure returns the CPU time that f uses on its own thread. Where the
// platform does not tell, it is the time f takes, which is no less unless f has
// other threads work for it.
func measure(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := time.Now()
	before, ok := threadCPU()
	f()
	after, ok2 := threadCPU()
	if !ok || !ok2 {
		return time.Since(start)
	}
	return after - before
}

// metricsCPU returns the CPU time of the process as the runtime estimates it at
// the end of each garbage collection.
func metricsCPU() time.Duration {
	s := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(s)
	return time.Duration((s[0].Value.Float64() - s[1].Value.Float64()) * float64(time.Second))
}

// collectedCPU returns the CPU time that the garbage collector has spent, but
// for what only idle CPUs did.
func collectedCPU() time.Duration {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(s)
	return time.Duration((s[0].Value.Float64() - s[1].Value.Float64()) * float64(time.Second))
}

// collectionCPU returns the CPU time that the garbage collector will spend
// because of so many bytes, at what it has spent for each byte that the program
// has allocated. With a large heap that is more than all else.
func collectionCPU(bytes int) time.Duration {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	allocated := float64(max(1, s[0].Value.Uint64()))
	return time.Duration(float64(collectedCPU()) / allocated * float64(bytes))
}
