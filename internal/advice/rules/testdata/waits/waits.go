// Package waits has goroutines that wait for each other. Its profiles are of the benchmarks, by go test with
// -mutexprofile, -blockprofile and -cpuprofile, and with -trace and hone wall -o.
package waits

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// An optional lock can be turned off.
type optional struct {
	mu  sync.Mutex
	off bool
}

func (o *optional) Lock() {
	if !o.off {
		o.mu.Lock()
	}
}

func (o *optional) Unlock() {
	if !o.off {
		o.mu.Unlock()
	}
}

// A logger formats and writes under its lock.
type logger struct {
	mu  optional
	out io.Writer
	n   int
}

func (l *logger) log(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	line := fmt.Sprintf("%d %q\n", l.n, text)
	l.out.Write([]byte(line))
}

// A table is searched more often than changed.
type table struct {
	mu   sync.Mutex
	rows []string
}

func (t *table) has(row string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.rows, row)
}

func (t *table) add(row string) {
	t.mu.Lock()
	t.rows = append(t.rows, row)
	t.mu.Unlock()
}

// A server has one lock for its pages and its connections.
type server struct {
	mu    sync.Mutex
	hits  map[int]int
	conns map[int]string
}

func (s *server) hit(page int) {
	s.mu.Lock()
	s.hits[page]++
	s.mu.Unlock()
}

func (s *server) open(id int, name string) {
	s.mu.Lock()
	s.conns[id] = name
	s.mu.Unlock()
}

// A cache asks its database under the lock.
type cache struct {
	mu     sync.Mutex
	values map[int]int
}

func (c *cache) get(key int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[key]
	if !ok {
		v = query(key)
		c.values[key] = v
	}
	return v
}

func query(key int) int {
	time.Sleep(time.Millisecond)
	return 2 * key
}
