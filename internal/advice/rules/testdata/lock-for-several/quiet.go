package quiet

import (
	"os"
	"sync"
)

type server struct {
	mu    sync.Mutex
	hits  map[string]int
	conns map[int]string
}

func (s *server) hit(page string) {
	s.mu.Lock()
	defer s.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	s.hits[page]++
}

func (s *server) open(id int) {
	s.mu.Lock()
	defer s.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	s.conns[id] = ""
}

// It uses both.
func (s *server) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits = nil
	s.drop()
}

func (s *server) drop() { s.conns = nil }

type cache struct {
	mu    sync.Mutex
	files map[string][]byte
	uses  int
}

// What takes long comes first.
func (c *cache) load(name string) {
	c.mu.Lock()
	c.files[name], _ = os.ReadFile(name)
	c.mu.Unlock() // mutex: sync.(*Mutex).Unlock
}

func (c *cache) use() {
	c.mu.Lock()
	c.uses++
	c.mu.Unlock()
}

// Another lock guards nothing but a variable of the package.
type ticket struct {
	mu sync.Mutex
	n  int
}

var global int

func (t *ticket) take() int {
	t.mu.Lock()
	defer t.mu.Unlock() // mutex: sync.(*Mutex).Unlock
	t.n++
	return t.n
}

func (t *ticket) other() {
	t.mu.Lock()
	defer t.mu.Unlock()
	global++
}
