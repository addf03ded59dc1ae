package quiet

import (
	"runtime"
	"sync/atomic"
	"time"
)

// It works in between.
func works(done *atomic.Bool, work func()) {
	for !done.Load() {
		work()
		runtime.Gosched() // hot: runtime.Gosched
	}
}

// It does something from time to time.
func ticks(n *atomic.Int64) {
	for {
		n.Store(time.Now().Unix())
		time.Sleep(time.Second) // hot: time.Sleep
	}
}

// An update that is tried again, as lock-free code does.
func add(n *atomic.Int64, d int64) {
	for {
		old := n.Load()
		if n.CompareAndSwap(old, old+d) { // hot: sync/atomic.(*Int64).CompareAndSwap
			return
		}
	}
}

// What it asks for is outside of the program.
func exists(stat func() bool) {
	for !stat() {
		time.Sleep(time.Millisecond) // hot: time.Sleep
	}
}

// It is hardly ever run.
func seldom(ready *atomic.Bool) {
	for !ready.Load() {
	}
}

// It counts.
func pause() {
	for i := 0; i < 3; i++ {
		time.Sleep(time.Millisecond) // hot: time.Sleep
	}
}
