//go:build unix

package spawn

import (
	"os"
	"runtime"
	"syscall"
)

// PeakRSS returns the largest resident set of a process that has ended, and of
// the processes it waited for, in bytes.
func PeakRSS(state *os.ProcessState) (bytes int64, ok bool) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return rssBytes(usage), true
}

// rssBytes: getrusage(2) counts kilobytes, but bytes on macOS.
func rssBytes(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}
