//go:build unix && !linux

package spawn

import (
	"os/exec"
	"syscall"
)

// Lead makes a process the leader of a group.
func Lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
