//go:build unix

package shell

import (
	"os/exec"
	"syscall"
)

// detach protects cmd from the terminal's ^C, because it outlives the command that started
// it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
