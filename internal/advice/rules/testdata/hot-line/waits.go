package hotline

import "sync"

// Waiting is what other rules are about: a line that only waits has nothing to make faster.
func add(mu *sync.Mutex, n *int) {
	mu.Lock() // block: sync.(*Mutex).Lock
	*n++
	mu.Unlock() // mutex: sync.(*Mutex).Unlock
}
