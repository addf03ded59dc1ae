// Service is a program that the agent profiles all the time. Tests of package
// agent run it and kill it. It takes its configuration from the environment,
// as programs do, and ends with its standard input, or after a minute.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime/pprof"
	"time"

	"github.com/hone-go/hone/agent"
)

func main() {
	a, err := agent.Start(agent.Config{
		SpoolDir:    os.Getenv("SPOOL"),
		Period:      200 * time.Millisecond,
		CPUDuration: 50 * time.Millisecond,
		Budget:      1000,
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		cancel()
	}()
	go func() {
		for ctx.Err() == nil {
			fmt.Println(a.Stats().SpoolFiles)
			time.Sleep(10 * time.Millisecond)
		}
	}()
	pprof.Do(ctx, pprof.Labels("customer", "large"), func(ctx context.Context) {
		for ctx.Err() == nil {
			work()
		}
	})
	ctx, cancel = context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := a.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", a.Stats())
}

//go:noinline
func work() (s []string) {
	for i := range 1000 {
		s = append(s, fmt.Sprint("work", i))
	}
	return s
}
