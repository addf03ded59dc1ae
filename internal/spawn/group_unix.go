//go:build unix

package spawn

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnSession keeps the signals of hone's terminal from a process.
func OwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// KillGroup ends a process that leads a group, and what it started.
func KillGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
