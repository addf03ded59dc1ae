package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

// goroutines parks goroutines in every state a dump can show, some of them
// under labels, and returns when ctx is done.
func goroutines(ctx context.Context) error {
	var (
		never   chan int
		full    = make(chan int)
		empty   = make(chan string)
		mu      sync.Mutex
		rw      sync.RWMutex
		pending sync.WaitGroup
	)
	mu.Lock()
	rw.Lock()
	pending.Add(1)
	cond := sync.NewCond(new(sync.Mutex))

	go func() { <-never }()
	go func() { never <- 1 }()
	go func() { select {} }()
	go func() { full <- 1 }()
	go func() { mu.Lock() }()
	go func() { rw.RLock() }()
	go func() { pending.Wait() }()
	go func() { time.Sleep(time.Hour) }()
	go func() {
		cond.L.Lock()
		cond.Wait()
	}()
	go func() {
		select {
		case <-empty:
		case full <- 2:
		case <-time.After(time.Hour):
		}
	}()
	go func() {
		runtime.LockOSThread()
		<-empty
	}()
	go spinUntil(ctx)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { listener.Accept() }()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	go func() { r.Read(make([]byte, 1)) }()
	go rawRead()

	for i := range 4 {
		set := pprof.Labels("queue", fmt.Sprintf("q%d", i%2), "shard", fmt.Sprint(i))
		pprof.Do(ctx, set, func(context.Context) { go waitForJob(empty, i) })
	}
	for range 25 {
		go waitForJob(empty, 0)
	}
	odd := pprof.Labels(`quote"d key`, "line\nbreak", "unicode", "żółw", "empty", "")
	pprof.Do(ctx, odd, func(context.Context) { go (&pool{jobs: empty}).run() })
	go nested(40, empty)
	keep = []any{w, listener, cond}
	time.Sleep(10 * time.Millisecond)
	runtime.GC() // from when a dump counts the minutes that a goroutine waits
	<-ctx.Done()
	return nil
}

type pool struct{ jobs chan string }

func (p *pool) run() {
	for range p.jobs {
	}
}

func waitForJob(jobs chan string, shard int) {
	if <-jobs == "stop" {
		fmt.Println(shard)
	}
}

func nested(depth int, jobs chan string) {
	if depth == 0 {
		<-jobs
		return
	}
	nested(depth-1, jobs)
}

func spinUntil(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	for {
		runtime.Gosched() // runnable or running in the dump
	}
}

// rawRead blocks in a system call that the poller does not know of.
func rawRead() {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		return
	}
	syscall.Read(fds[0], make([]byte, 1))
}

// threads makes the runtime start threads: locked goroutines and blocking
// system calls.
func threads(ctx context.Context) error {
	var started sync.WaitGroup
	for range 12 {
		started.Add(1)
		go func() {
			runtime.LockOSThread()
			started.Done()
			<-ctx.Done()
			select {}
		}()
	}
	for range 6 {
		go rawRead()
	}
	started.Wait()
	<-ctx.Done()
	return nil
}
