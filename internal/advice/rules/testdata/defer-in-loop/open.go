package open

import (
	"bufio"
	"sync"
)

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

// number reads digits. The loop ends in the iteration that defers the call.
func number(in *bufio.Reader) (n int) {
	for {
		r, _, err := in.ReadRune()
		if err != nil {
			return n
		}
		if r < '0' || r > '9' {
			defer in.UnreadRune() // hot: runtime.deferproc
			break
		}
		n = 10*n + int(r-'0')
	}
	return n
}
