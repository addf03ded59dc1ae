package capture

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

func setOwnSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func setGroup(cmd *exec.Cmd) { setOwnSession(cmd) }

func killGroup(p *os.Process) { p.Kill() }

func askToEnd(p *os.Process) { p.Kill() }

func askForStacks(*os.Process) {}

// lockFile takes a file that nobody else holds. Windows keeps open files from
// being removed, which tells whether the owner lives.
func lockFile(name string) (*os.File, error) {
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	for range 10 { // a virus scanner may have the name still
		if err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
		f, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	}
	return f, err
}
