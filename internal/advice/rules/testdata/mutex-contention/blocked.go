package blocked

import (
	"encoding/json"
	"sync"
)

type state struct {
	mu   sync.Mutex
	text []byte
	all  map[string]int
}

func (s *state) count(name string) {
	// want C: Goroutines waited here for s.mu 1936 times, 51.65µs on average. state.save holds it from line 22 while the code encodes or decodes (json.Marshal, line 23). Do that before
	s.mu.Lock() // block: sync.(*Mutex).Lock 2000
	s.all[name]++
	s.mu.Unlock()
}

func (s *state) save() {
	s.mu.Lock()
	s.text, _ = json.Marshal(s.all) // hot: encoding/json.Marshal
	s.mu.Unlock()
}

type ticket struct {
	mu sync.Mutex
	n  int
}

func (t *ticket) take() {
	// want C: It only guards a counter
	t.mu.Lock() // block: sync.(*Mutex).Lock
	t.n++
	t.mu.Unlock()
}

// What waits for the first of several locks.
func both(s *state, t *ticket, work func(string) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// want C: both holds it from line 44. Hold it for less time
	t.mu.Lock() // block: sync.(*Mutex).Lock
	defer t.mu.Unlock()
	t.n = work("x") // hot: other.work
}
