// Package scheduling was profiled with go test -bench NAME -benchtime 2s -cpuprofile NAME.pb.gz, with two CPUs.
package scheduling

import "testing"

var kept []byte

// BenchmarkGarbage makes garbage on one goroutine. The scheduler only works for the collector.
func BenchmarkGarbage(b *testing.B) {
	for b.Loop() {
		kept = make([]byte, 32<<10)
	}
}

// BenchmarkPing passes items one by one.
func BenchmarkPing(b *testing.B) {
	there, back := make(chan int), make(chan int)
	go func() {
		for v := range there {
			back <- v
		}
	}()
	for b.Loop() {
		there <- 1
		<-back
	}
}
