package polls

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

func wait(done *atomic.Bool) {
	// want C: The loop asks for !done.Load(), and calls runtime.Gosched in between
	for !done.Load() {
		runtime.Gosched() // hot: runtime.Gosched
	}
}

func waitAsleep(left *int32) {
	// want C: The loop asks for atomic.LoadInt32(left) > 0, and sleeps in between
	for atomic.LoadInt32(left) > 0 {
		time.Sleep(time.Microsecond) // hot: time.Sleep
	}
}

func spin(ready *atomic.Bool) {
	// want C: The loop asks for !ready.Load(), and does nothing in between
	for !ready.Load() { // hot: sync/atomic.(*Bool).Load
	}
}

func lock(state *atomic.Int32) {
	// want C: The loop calls runtime.Gosched in between
	for {
		if state.CompareAndSwap(0, 1) {
			return
		}
		runtime.Gosched() // hot: runtime.Gosched
	}
}

func drained(c chan int, mu *sync.Mutex) (rounds int) {
	// want C: The loop asks for len(c) > 0
	for len(c) > 0 {
		rounds++
		time.Sleep(time.Millisecond) // hot: time.Sleep
	}
	return rounds
}
