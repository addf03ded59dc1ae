//go:build !linux

package main

import "os/exec"

// Memory is read on Linux only.

func peakMemory(*exec.Cmd) int64 { return 0 }

func watchAnonymous(*exec.Cmd, <-chan struct{}) <-chan int64 {
	most := make(chan int64, 1)
	most <- 0
	return most
}
