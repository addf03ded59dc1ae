package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// besides are what -beside takes.
var besides = []string{"none", "half", "bursts"}

// startBeside has the machine disturbed until ctx ends: half of its cores are busy all
// the time, or all of them for a part of each second, which is another part each time.
// Each core has a process of its own, which is this program again.
func startBeside(ctx context.Context, what string) error {
	n := runtime.NumCPU()
	switch what {
	case "none":
		return nil
	case "half":
		n = max(1, n/2)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for range n {
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), disturbVariable+"="+what, "GOMAXPROCS=1")
		in, err := cmd.StdinPipe() // ends with this program, however that ends
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("disturb: %w", err)
		}
		context.AfterFunc(ctx, func() { in.Close(); _ = cmd.Wait() })
	}
	return nil
}

const disturbVariable = "HONE_TRUTH_DISTURB"

// disturb is what such a process does.
func disturb(what string) {
	go func() {
		var b [1]byte
		_, _ = os.Stdin.Read(b[:])
		os.Exit(0)
	}()
	x := uint32(time.Now().UnixNano())
	work := func(d time.Duration) {
		for begin := time.Now(); time.Since(begin) < d; {
			for range 100_000 {
				x = x*1664525 + 1013904223
			}
		}
	}
	for {
		if what == "half" {
			work(time.Second)
			continue
		}
		busy := time.Duration(x%700) * time.Millisecond
		work(busy)
		time.Sleep(time.Second - busy)
	}
}
