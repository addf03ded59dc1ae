package main

import (
	"context"
	"sync"
	"time"
)

// channels is a pipeline with stages of unequal speed, so that every stage
// blocks: on sends, receives, selects, wait groups and condition variables.
func channels(ctx context.Context) error {
	numbers, squares := make(chan int), make(chan int, 8)
	var stages sync.WaitGroup
	stages.Add(3)
	go func() { defer stages.Done(); produce(ctx, numbers) }()
	go func() { defer stages.Done(); squared(numbers, squares) }()
	go func() { defer stages.Done(); consume(squares) }()

	ready := sync.NewCond(new(sync.Mutex))
	go func() {
		for range time.Tick(3 * time.Millisecond) {
			ready.Broadcast()
		}
	}()
	go func() {
		for ctx.Err() == nil {
			ready.L.Lock()
			ready.Wait()
			ready.L.Unlock()
		}
	}()
	stages.Wait()
	return nil
}

func produce(ctx context.Context, to chan<- int) {
	defer close(to)
	for i := 0; ; i++ {
		select {
		case to <- i:
		case <-ctx.Done():
			return
		}
	}
}

func squared(from <-chan int, to chan<- int) {
	defer close(to)
	for n := range from {
		to <- n * n
	}
}

func consume(from <-chan int) (total int) {
	for n := range from {
		time.Sleep(200 * time.Microsecond)
		total += n
	}
	return total
}

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	spin(20 * time.Microsecond)
	a.balance += n
}

func (a *account) drain() int {
	a.mu.Lock()
	n := a.balance
	spin(50 * time.Microsecond)
	a.balance = 0
	a.mu.Unlock()
	return n
}

func spin(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}

// mutexes contends for two mutexes from many goroutines.
func mutexes(ctx context.Context) error {
	var a, b account
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for ctx.Err() == nil {
				switch w % 4 {
				case 0:
					a.drain()
				case 1:
					b.deposit(1)
				default:
					a.deposit(w)
				}
			}
		})
	}
	workers.Wait()
	return nil
}

type cache struct {
	mu     sync.RWMutex
	values map[int]string
}

func (c *cache) get(key int) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	spin(5 * time.Microsecond)
	return c.values[key]
}

func (c *cache) put(key int, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	spin(30 * time.Microsecond)
	c.values[key] = value
}

// rwmutexes has readers and writers of one cache, and a sync.Once that is slow.
func rwmutexes(ctx context.Context) error {
	c := &cache{values: map[int]string{}}
	var once sync.Once
	var workers sync.WaitGroup
	for w := range 10 {
		workers.Go(func() {
			once.Do(func() { time.Sleep(20 * time.Millisecond) })
			for i := w; ctx.Err() == nil; i++ {
				if i%10 == 0 {
					c.put(i%100, "value")
				} else {
					c.get(i % 100)
				}
			}
		})
	}
	workers.Wait()
	return nil
}
