//go:build unix

package kafkaload

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkFlood sends messages to a real broker beside it, or to the one that
// HONE_KAFKA_BROKER names, as bench/kafka does. CPU time is that of this process,
// its garbage collector's included.
func BenchmarkFlood(b *testing.B) {
	for _, v := range []struct {
		size, batch int // bytes
		consume     bool
	}{{100, 16384, false}, {100, 1000012, false}, {1000, 16384, false}, {1000, 1000012, false}, {100, 1000012, true}} {
		name := fmt.Sprintf("size=%d/batch=%d/alone", v.size, v.batch)
		if v.consume {
			name = fmt.Sprintf("size=%d/batch=%d/consumed", v.size, v.batch)
		}
		b.Run(name, func(b *testing.B) {
			benchmark(b, Options{
				Topic: "flood", Create: 4, Consume: v.consume, BatchBytes: v.batch,
				Values: values(b, `{"device":"{{int 10000000 99999999}}","text":"`+strings.Repeat("x", v.size-31)+`"}`),
			})
		})
	}
}

func benchmark(b *testing.B, o Options) {
	if addr := os.Getenv("HONE_KAFKA_BROKER"); addr != "" {
		o.Brokers = []string{addr}
	} else {
		o.Brokers = []string{realBroker(b).Addr}
	}
	s := open(b, o)
	flood(b, s, 1000) // connections, buffers
	b.ReportAllocs()
	runtime.GC()
	b.ResetTimer()
	cpu := cpuTime()
	res := flood(b, s, int64(b.N))
	cpu = cpuTime() - cpu
	b.StopTimer()
	if res.Failed > 0 {
		b.Fatal(res.Failures)
	}
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
	if d := s.Delivery(b.Context(), nil); d != nil && (d.Lost > 0 || d.Doubled > 0) {
		b.Error(d)
	}
	_ = s.Close()
}

// cpuTime is what this process has used, in user mode and in the kernel.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
