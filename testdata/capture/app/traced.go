package main

import (
	"context"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

func init() { scenarios["traced"] = traced }

// traced waits for locks, timers and channels, and writes the execution trace of
// that to each FILE of -fetch.
func traced(context.Context) error {
	for _, f := range fetches {
		if err := traceTo(f[0]); err != nil {
			return err
		}
	}
	return nil
}

func traceTo(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := trace.Start(f); err != nil {
		return err
	}
	defer trace.Stop()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			pprof.Do(context.Background(), pprof.Labels("queue", "q1"), func(context.Context) {
				for range 5 {
					mu.Lock()
					time.Sleep(time.Millisecond)
					mu.Unlock()
				}
			})
		})
	}
	c := make(chan int)
	go func() {
		time.Sleep(3 * time.Millisecond)
		c <- 1
	}()
	<-c
	wg.Wait()
	return nil
}
