package slow

import (
	"fmt"
	"os"
	"sync"
	"time"
)

type table struct {
	sync.RWMutex
	rows map[string][]byte
}

func (t *table) load(k string) error {
	t.Lock()
	v, err := os.ReadFile(k)
	if err == nil {
		t.rows[k] = v
	}
	// want C: os.ReadFile is called
	t.Unlock() // mutex: sync.(*RWMutex).Unlock
	return err
}

var mu sync.Mutex

func slow(c chan int) {
	mu.Lock()
	c <- 1
	time.Sleep(time.Millisecond)
	// want C: a channel is sent to and the goroutine sleeps
	mu.Unlock() // mutex: sync.(*Mutex).Unlock
}

func letGo(l *sync.Mutex) {
	// want C: which is unlocked here
	l.Unlock() // mutex: sync.(*Mutex).Unlock
}

// What a literal does runs later.
func later(t *table) func() {
	t.Lock()
	f := func() { fmt.Println(t) }
	// want C: Hold it for less
	t.Unlock() // mutex: sync.(*RWMutex).Unlock
	return f
}
