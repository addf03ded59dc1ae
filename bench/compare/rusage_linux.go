package main

import (
	"os"
	"syscall"
)

// peakMemory returns the peak resident memory of an ended process in bytes.
func peakMemory(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10
	}
	return 0
}
