//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakRSS returns the largest resident set of a process that has ended, and of
// the processes it waited for, in bytes.
//
// On Linux, exec does not reset it: a process begins with what its parent had.
// So a value up to hone's own says only that the program had no more.
func peakRSS(state *os.ProcessState) (bytes int64, atMost bool, ok bool) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false, false
	}
	peak := rssBytes(usage)
	var own syscall.Rusage
	if runtime.GOOS == "linux" && syscall.Getrusage(syscall.RUSAGE_SELF, &own) == nil {
		atMost = peak <= rssBytes(&own)
	}
	return peak, atMost, true
}

// rssBytes: getrusage(2) counts kilobytes, but bytes on macOS.
func rssBytes(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}
