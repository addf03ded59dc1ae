//go:build unix

package capture

import (
	"os"
	"syscall"
)

// askToEnd has a program, and what it started, end as when their machine is shut down.
func askToEnd(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGTERM) }

// askForStacks has a Go program print its goroutines and exit.
func askForStacks(p *os.Process) { p.Signal(syscall.SIGQUIT) }
