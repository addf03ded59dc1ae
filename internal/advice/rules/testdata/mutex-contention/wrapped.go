package wrapped

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A lock that can be turned off.
type maybe struct {
	mu  sync.Mutex
	off bool
}

func (m *maybe) Lock() {
	if !m.off {
		m.mu.Lock()
	}
}

func (m *maybe) Unlock() {
	if !m.off {
		// want C: logger.write holds it from line 36 while the code writes to an io.Writer (l.out.Write, line 38). Only the write is under the lock.
		m.mu.Unlock() // mutex: sync.(*Mutex).Unlock 3000
	}
}

type logger struct {
	mu  maybe
	out io.Writer
}

func (l *logger) write(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.out.Write(b); err != nil { // mutex: example.com/wrapped.(*maybe).Unlock
		fmt.Fprintln(os.Stderr, err)
	}
}

type cache struct {
	sync.Mutex
	files map[string][]byte
	used  time.Time
}

func (c *cache) get(name string) []byte {
	c.Lock()
	defer func() {
		// want C: cache.get holds it from line 50 while the code uses the file system (os.ReadFile in read, line 64). Do that before
		c.Unlock() // mutex: sync.(*Mutex).Unlock
	}()
	if b := c.files[name]; b != nil {
		return b
	}
	return c.load(name)
}

func (c *cache) load(name string) []byte { return c.read(name) }

func (c *cache) read(name string) []byte {
	b, _ := os.ReadFile(name)
	c.files[name] = b
	return b
}

func (c *cache) touch(name string, f func()) {
	c.Lock()
	c.used = time.Now()
	if c.files[name] == nil {
		// want C: The code reads the clock (time.Now, line 71) under the lock; it can do that before locking.
		c.Unlock() // mutex: sync.(*Mutex).Unlock
		fmt.Println("none")
		return
	}
	c.Unlock()
}
