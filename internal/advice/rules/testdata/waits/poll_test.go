package waits

import (
	"sync"
	"testing"
)

func BenchmarkTurns(b *testing.B) {
	var t turn
	var both sync.WaitGroup
	for me := range int64(2) {
		both.Go(func() {
			for range b.N {
				t.wait(me)
				work()
				t.pass(1 - me)
			}
		})
	}
	both.Wait()
}

var sink int

func work() {
	for i := range 10000 {
		sink += i
	}
}
