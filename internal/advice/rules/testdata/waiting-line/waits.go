package waits

import "sync"

// No CPU profile.

func each(work chan int, do func(int)) {
	// want look: Goroutines wait here to receive from a channel: 50 times, 2ms on average. Waits this long are mostly for work
	for w := range work { // block: runtime.chanrecv2 114
		do(w)
	}
}

func all(wg *sync.WaitGroup) {
	// want look: Goroutines wait here for a WaitGroup
	wg.Wait() // block: sync.(*WaitGroup).Wait
}

func either(a, b chan int) int {
	// want look: goroutines wait here in a select
	select { // block: runtime.selectgo
	case v := <-a:
		return v
	case v := <-b:
		return v
	}
}
