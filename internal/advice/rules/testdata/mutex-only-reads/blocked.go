package blocked

import "sync"

var (
	mu    sync.Mutex
	names = []string{"a", "b"}
)

func copied() []string {
	// want C: No code writes under this lock
	mu.Lock() // block: sync.(*Mutex).Lock
	all := append([]string(nil), names...)
	mu.Unlock()
	return all
}
