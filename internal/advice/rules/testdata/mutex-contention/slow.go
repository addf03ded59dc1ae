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
	// want C: It is held from line 16 while the code uses the file system (os.ReadFile, line 17). Do that before
	t.Unlock() // mutex: sync.(*RWMutex).Unlock
	return err
}

var mu sync.Mutex

func slow(c chan int) {
	mu.Lock()
	c <- 1
	time.Sleep(time.Millisecond)
	// want C: sends on a channel (line 30) and sleeps (time.Sleep, line 31). Do that after unlocking
	mu.Unlock() // mutex: sync.(*Mutex).Unlock
}

func letGo(l *sync.Mutex) {
	// want C: 10ms on average. Hold it for less time, or split the data into parts with a lock each. (end)
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
