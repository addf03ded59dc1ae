//go:build unix

package rules

import (
	"maps"
	"math"
	"slices"
	"syscall"
	"testing"
	"time"
)

// usedAndBetter has what rules report against what they say is better, on inputs of ordinary size. A name
// is a rule's, or, of a finding with a gain of its own, has a word for it behind a slash.
func usedAndBetter(b *testing.B) map[string]versus {
	all := make(map[string]versus)
	for _, some := range []map[string]versus{
		joined(), buffered(), converted(), looped(), reflected(), failed(), perObject(), keptOnce(b), readAndWritten(b), waited(b), sorted(), mapped(), matched(), inPlace(),
	} {
		maps.Copy(all, some)
	}
	return all
}

// BenchmarkGains measures what testdata/gains.txt has:
//
//	go test -run '^$' -bench Gains -benchtime 1x ./internal/advice/rules
func BenchmarkGains(b *testing.B) { compareSides(b, usedAndBetter(b)) }

// cpuTimed are patterns that cost the processor's time, and no time of their own.
var cpuTimed = map[string]bool{"busy-select": true}

// compareSides has the two sides of a row take turns of a millisecond. The fastest turn of each
// counts: what else a machine does makes the others slower.
func compareSides(b *testing.B, all map[string]versus) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		clock := func() time.Duration { return time.Since(processBegan) }
		if cpuTimed[name] {
			clock = processorTime
		}
		duration := func(run func(), calls int) time.Duration {
			begin := clock()
			for range calls {
				run()
			}
			return clock() - begin
		}
		sides := [...]func(){all[name].used, all[name].better}
		b.Run(name, func(b *testing.B) {
			var calls [len(sides)]int
			for i, run := range sides {
				for calls[i] = 1; duration(run, calls[i]) < time.Millisecond; calls[i] *= 2 {
				}
			}
			fastest := [...]float64{math.Inf(1), math.Inf(1)} // ns per call
			for range 100 {
				for i, run := range sides {
					fastest[i] = min(fastest[i], float64(duration(run, calls[i]))/float64(calls[i]))
				}
			}
			b.ReportMetric(fastest[0], "used-ns/call")
			b.ReportMetric(fastest[1], "better-ns/call")
			b.ReportMetric(0, "ns/op") // isn't shown
		})
	}
}

var processBegan = time.Now()

// processorTime is what the process has used of processors so far.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
