package reads

import (
	"slices"
	"sync"
)

type table struct {
	mu   sync.Mutex
	rows []string
	on   map[string]bool
}

func (t *table) has(row string) bool {
	t.mu.Lock()
	// want C: only reads rows. With a sync.RWMutex, readers that call RLock don't wait for each other. What may write keeps Lock: line 34. (end)
	defer t.mu.Unlock() // mutex: sync.(*Mutex).Unlock 2000
	return slices.Contains(t.rows, row)
}

func (t *table) switchedOn() (n int) {
	t.mu.Lock()
	for _, row := range t.rows {
		if t.on[row] {
			n++
		}
	}
	// want C: only reads rows and on
	t.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	return n
}

func (t *table) add(row string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, row)
}
