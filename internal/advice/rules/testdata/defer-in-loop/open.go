package open

import "sync"

func locked(mu *sync.Mutex) int {
	mu.Lock()
	defer mu.Unlock() // hot: runtime.deferreturn
	return 1
}

func each(mus []*sync.Mutex) {
	for _, mu := range mus {
		func() {
			mu.Lock()
			defer mu.Unlock() // hot: runtime.deferprocStack
		}()
	}
	for _, mu := range mus {
		defer mu.Unlock() // hot: sync.(*Mutex).Unlock
	}
}
