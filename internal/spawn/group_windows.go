package spawn

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnSession keeps the signals of hone's terminal from a process.
func OwnSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Lead makes a process the leader of a group.
func Lead(cmd *exec.Cmd) { OwnSession(cmd) }

// KillGroup ends a process.
func KillGroup(p *os.Process) { p.Kill() }
