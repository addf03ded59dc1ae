package agent

import (
	"syscall"
	"time"
)

// threadCPU returns the CPU time that the calling thread has used.
func threadCPU() (time.Duration, bool) {
	const rusageThread = 1 // RUSAGE_THREAD of getrusage(2)
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
