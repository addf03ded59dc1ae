package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// sleep blocks the thread: timers of the runtime are a millisecond late when nothing else runs.
func sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	spec := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&spec, nil) // an interruption makes it early, which nobody minds
}

// watchAnonymous looks how much memory a process has that no file backs, until done is
// closed, and returns the most it saw. What is left of the peak are pages of the binary:
// those are shared, and the kernel takes them back when it needs them.
func watchAnonymous(cmd *exec.Cmd, done <-chan struct{}) <-chan int64 {
	most := make(chan int64, 1)
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		var peak int64
		for {
			select {
			case <-done:
				most <- peak
				return
			case <-tick.C:
				text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
				_, rest, _ := bytes.Cut(text, []byte("RssAnon:"))
				if fields := bytes.Fields(rest); len(fields) > 0 {
					kb, _ := strconv.ParseInt(string(fields[0]), 10, 64)
					peak = max(peak, kb<<10)
				}
			}
		}
	}()
	return most
}
