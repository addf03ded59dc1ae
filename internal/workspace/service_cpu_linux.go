package workspace

import (
	"time"

	"golang.org/x/sys/unix"
)

// processCPU reads the processor time of a process and its threads, those that have
// ended too, in nanoseconds: its clock as clock_getcpuclockid(3) numbers it.
func processCPU(pid int) (time.Duration, bool) {
	const cpuClockSched = 2
	var t unix.Timespec
	err := unix.ClockGettime(int32(^uint32(pid)<<3|cpuClockSched), &t)
	return time.Duration(t.Nano()), err == nil
}
