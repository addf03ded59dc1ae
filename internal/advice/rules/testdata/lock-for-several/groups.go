package groups

import "sync"

type server struct {
	name string // is only read

	mu    sync.Mutex
	hits  map[string]int
	total int
	conns map[int]string
}

func (s *server) hit(page string) {
	s.mu.Lock()
	// want C: It guards hits and total, which this code uses, and also conns
	defer s.mu.Unlock() // mutex: sync.(*Mutex).Unlock 5000
	s.hits[s.name+page]++
	s.total++
}

func (s *server) hitsOf(page string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[page]
}

func (s *server) open(id int) {
	s.mu.Lock()
	s.conns[id] = s.name
	// want C: It guards conns, which this code uses, and also hits and total
	s.mu.Unlock() // mutex: sync.(*Mutex).Unlock
}

func (s *server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

func (s *server) drop() { clear(s.conns) }
