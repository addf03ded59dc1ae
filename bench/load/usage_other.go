//go:build !linux

package main

import (
	"os/exec"
	"time"
)

// Memory is read, and threads sleep exactly, on Linux only.

func sleep(d time.Duration) { time.Sleep(d) }

func watchAnonymous(*exec.Cmd, <-chan struct{}) <-chan int64 {
	most := make(chan int64, 1)
	most <- 0
	return most
}
