// Package rusage tells what the system counted of processes that have ended.
package rusage

import (
	"os"
	"syscall"
)

// PeakMemory returns the peak resident memory of a process that has ended, in bytes; 0 if
// the system doesn't tell.
func PeakMemory(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10 // getrusage(2) counts kilobytes
	}
	return 0
}
