//go:build unix

package workspace

import (
	"os"
	"syscall"
	"time"
)

// ownTime is the CPU time of this process, and of those it started that have ended, with
// what these have waited for in turn.
func ownTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// askToEnd has a program, and what it started, end as when their machine is shut down.
func askToEnd(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGTERM) }

// askForStacks has a Go program print its goroutines and exit.
func askForStacks(p *os.Process) { p.Signal(syscall.SIGQUIT) }
