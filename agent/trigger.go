package agent

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// A triggerReason is the reason for an extra profile, the value of its label
// trigger; "" for those on schedule.
type triggerReason string

const (
	triggerCPU        triggerReason = "cpu"
	triggerHeap       triggerReason = "heap"
	triggerGoroutines triggerReason = "goroutines"
)

// watch compares the process with the thresholds, and tells what exceeds them, until
// stopping is closed.
func (t Triggers) watch(exceeds chan<- triggerReason, stopping <-chan struct{}) {
	quiet := make(map[triggerReason]time.Time) // until when
	ticker := time.NewTicker(t.Check)
	defer ticker.Stop()
	usage := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	cpu, at := processCPU(), time.Now()
	for {
		select {
		case <-stopping:
			return
		case <-ticker.C:
		}
		exceeded := make([]triggerReason, 0, 3)
		cpuNow, now := processCPU(), time.Now()
		if share := (cpuNow - cpu).Seconds() / (now.Sub(at).Seconds() * float64(runtime.GOMAXPROCS(0))); t.CPU > 0 && share > t.CPU {
			exceeded = append(exceeded, triggerCPU)
		}
		cpu, at = cpuNow, now
		if t.HeapBytes > 0 {
			if metrics.Read(usage); usage[0].Value.Kind() == metrics.KindUint64 && usage[0].Value.Uint64() > t.HeapBytes {
				exceeded = append(exceeded, triggerHeap)
			}
		}
		if t.Goroutines > 0 && runtime.NumGoroutine() > t.Goroutines {
			exceeded = append(exceeded, triggerGoroutines)
		}
		for _, e := range exceeded {
			if now.Before(quiet[e]) {
				continue
			}
			select {
			case exceeds <- e:
				quiet[e] = now.Add(t.Cooldown)
			case <-stopping:
				return
			}
		}
	}
}
