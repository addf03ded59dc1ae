// Prog works, writes profiles of itself and ends in a way that its flags
// choose. Tests of package agent run it.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/hone-go/hone/agent"
)

var (
	workFor = flag.Duration("for", time.Hour, "work for `duration`")
	handle  = flag.String("handle", "", "listen for signals: graceful, notify, exit, ignore, all")
	end     = flag.String("end", "return", "return, panic, goroutine-panic, exit, log.Fatal or stop-exit")
	policy  = flag.Int("policy", 0, "agent.SignalPolicy")
)

func main() {
	if *policy = policyOf(os.Args); *policy != 0 {
		p := agent.Flags(nil)
		p.Signals = agent.SignalPolicy(*policy)
		flag.Parse()
		if err := p.Start(); err != nil {
			log.Fatal(err)
		}
		defer func() {
			if err := p.Stop(); err != nil {
				log.Print(err)
			}
		}()
		run(func() { _ = p.Stop() })
		return
	}
	stop := agent.Parse()
	defer stop()
	run(stop)
}

// policyOf looks for -policy before the flags are parsed.
func policyOf(args []string) int {
	for i, a := range args {
		if a == "-policy" {
			return int(args[i+1][0] - '0')
		}
	}
	return 0
}

func run(stop func()) {
	ctx := context.Background()
	c := make(chan os.Signal, 1)
	switch *handle {
	case "graceful":
		var release func()
		ctx, release = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, release)
	case "notify":
		var cancel func()
		ctx, cancel = context.WithCancel(ctx)
		signal.Notify(c, os.Interrupt, syscall.SIGTERM)
		go func() {
			for s := range c {
				fmt.Println("got", s)
				cancel()
			}
		}()
	case "all":
		var cancel func()
		ctx, cancel = context.WithCancel(ctx)
		signal.Notify(c)
		go func() {
			for s := range c {
				if s == os.Interrupt || s == syscall.SIGTERM {
					cancel()
				}
			}
		}()
	case "exit":
		signal.Notify(c, os.Interrupt, syscall.SIGTERM)
		go func() { <-c; stop(); os.Exit(7) }()
	case "other": // listens, but for something else
		signal.Notify(c, syscall.SIGHUP)
	}
	ctx, cancel := context.WithTimeout(ctx, *workFor)
	defer cancel()
	table := work(ctx)
	if *handle == "graceful" || *handle == "notify" || *handle == "all" {
		time.Sleep(300 * time.Millisecond) // shutting down takes its time
		fmt.Println("shut down")
	}
	switch *end {
	case "panic":
		panic("on purpose")
	case "goroutine-panic":
		go panic("on purpose")
		select {}
	case "exit":
		os.Exit(5)
	case "stop-exit":
		stop()
		os.Exit(5)
	case "log.Fatal":
		log.Fatal("on purpose")
	}
	stop()
	runtime.KeepAlive(table)
	fmt.Println("end")
}

// enough hashes take a quarter of a second: all profiles show them, however little of the processor the program gets.
const enough = 10_000

// work uses CPU, memory, a channel and a contended lock. It says when that was enough, and does not end for its time before.
func work(ctx context.Context) map[int][]byte {
	table := make(map[int][]byte)
	var mu sync.Mutex
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range 3 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for n := range numbers {
				mu.Lock()
				table[n%64] = hash(n)
				mu.Unlock()
			}
		}()
	}
	for n := 0; ctx.Err() == nil || n < enough && errors.Is(ctx.Err(), context.DeadlineExceeded); n++ {
		numbers <- n
		if n == enough-1 {
			fmt.Println("working")
		}
	}
	close(numbers)
	workers.Wait()
	return table
}

func hash(n int) []byte {
	b := make([]byte, 32<<10)
	b[0] = byte(n)
	sum := sha256.Sum256(b)
	copy(b, sum[:])
	return b
}
