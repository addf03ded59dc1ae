//go:build unix

package agent

import (
	"syscall"
	"time"
)

// processCPU returns the CPU time that the process has used.
func processCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return metricsCPU()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
