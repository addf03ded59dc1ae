//go:build unix

package shell

import (
	"os/exec"
	"syscall"
)

// detach keeps the terminal's ^C from cmd, which is to outlive the command that
// started it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
