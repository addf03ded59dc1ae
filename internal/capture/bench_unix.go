//go:build unix

package capture

import (
	"os"
	"os/exec"
	"syscall"
)

// setOwnSession keeps the signals of hone's terminal from a process.
func setOwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killGroup ends a process and what it started.
func killGroup(p *os.Process) {
	syscall.Kill(-p.Pid, syscall.SIGKILL)
}

// askToEnd has a program, and what it started, end as when their machine is shut down.
func askToEnd(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGTERM) }

// askForStacks has a Go program print its goroutines and exit.
func askForStacks(p *os.Process) { p.Signal(syscall.SIGQUIT) }

// lockFile opens a file and locks it, as long as it is open. It fails if
// another process has it.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
