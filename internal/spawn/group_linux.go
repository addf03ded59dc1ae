package spawn

import (
	"os/exec"
	"syscall"
)

// Lead makes a process the leader of a group, and has the kernel kill it when the
// thread that started it ends (golang.org/issue/27505): that thread has to live as long
// as the process.
func Lead(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
