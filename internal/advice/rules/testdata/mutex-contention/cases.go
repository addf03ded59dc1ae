package cases

import "sync"

type table struct {
	sync.RWMutex
	rows map[string][]byte
}

// The expressions of a case are under the lock, too.
func (t *table) size(kind string) int {
	t.Lock()
	// want C: It is held from line 12
	defer t.Unlock() // mutex: sync.(*RWMutex).Unlock
	switch kind {
	case "rows":
		return len(t.rows)
	default:
		return 0
	}
}
