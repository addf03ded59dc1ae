package quiet

import (
	"container/list"
	"slices"
	"sync"
)

type table struct {
	mu    sync.Mutex
	rows  []string
	count map[string]int
	order *list.List
}

// It also counts.
func (t *table) counted(row string) bool {
	t.mu.Lock()
	defer t.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	t.count[row]++
	return slices.Contains(t.rows, row)
}

// It moves an element.
func (t *table) used(e *list.Element) int {
	t.mu.Lock()
	defer t.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	t.order.MoveToFront(e)
	return slices.Index(t.rows, "x")
}

// It writes to what a row refers to.
func (t *table) fill(b [][]byte) {
	t.mu.Lock()
	defer t.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	for i, row := range t.rows {
		b[i][0] = row[0]
	}
}

// A look takes only an instant.
func (t *table) first() string {
	t.mu.Lock()
	defer t.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	return t.rows[0]
}

// Other packages may lock it.
type Open struct {
	sync.Mutex
	rows []string
}

func (o *Open) has(row string) bool {
	o.Lock()
	defer o.Unlock() // mutex: sync.(*Mutex).Unlock
	return slices.Contains(o.rows, row)
}

// It is an RWMutex already.
type shared struct {
	mu   sync.RWMutex
	rows []string
}

func (t *shared) has(row string) bool {
	t.mu.Lock()
	defer t.mu.Unlock() // mutex: sync.(*RWMutex).Unlock
	return slices.Contains(t.rows, row)
}

// Another function ends what one begins.
type split struct {
	mu   sync.Mutex
	rows []string
}

func (s *split) begin() { s.mu.Lock(); s.rows = nil }
func (s *split) end()   { s.mu.Unlock() }

func (s *split) has(row string) bool {
	s.mu.Lock()
	defer s.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	return slices.Contains(s.rows, row)
}
