// Waits answers questions from a cache in front of a slow database. It is slow,
// and a CPU profile of it is nearly empty.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"sync"
	"time"

	"github.com/hone-go/hone/agent"
)

func main() {
	questions := flag.Int("questions", 200, "answer so `many`")
	defer agent.Parse()() // adds -trace and the like

	var c cache
	ask := make(chan int)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for q := range ask {
				c.answer(q)
			}
		})
	}
	begin := time.Now()
	for q := range *questions {
		ask <- q % 50
	}
	close(ask)
	workers.Wait()
	fmt.Printf("%d answers in %v\n", *questions, time.Since(begin).Round(time.Millisecond))
}

type cache struct {
	mu      sync.Mutex
	answers map[int][32]byte
}

// answer holds the lock while it asks the database: everybody waits for the
// slowest.
func (c *cache) answer(question int) [32]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.answers[question]
	if !ok {
		if c.answers == nil {
			c.answers = make(map[int][32]byte)
		}
		a = query(question)
		c.answers[question] = a
	}
	return a
}

// query stands for a database.
func query(question int) (answer [32]byte) {
	time.Sleep(2 * time.Millisecond)
	for range 200 {
		answer = sha256.Sum256(append(answer[:], byte(question)))
	}
	return answer
}
