package temporary

import (
	"errors"
	"os/exec"
	"runtime"

	"github.com/hone-go/hone/internal/spawn"
)

// Run runs a command of [exec.CommandContext] with its own directory for temporary files. When
// the command, its context or hone ends, the command, its child processes and the directory
// are gone.
func Run(cmd *exec.Cmd) error {
	d, err := Make()
	if err != nil {
		return err
	}
	return errors.Join(d.Run(cmd), d.Remove())
}

// Run is the function Run, with the temporary files in d.
func (d *Dir) Run(cmd *exec.Cmd) error {
	env, err := d.Env()
	if err != nil {
		return err
	}
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Cancel = func() error { spawn.KillGroup(cmd.Process); return nil }
	spawn.Lead(cmd)
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread must live as long as the command: see spawn.Lead
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			ended <- err
			return
		}
		d.Guard(cmd.Process.Pid)
		err := cmd.Wait()
		spawn.KillGroup(cmd.Process)
		d.Guard(0)
		ended <- err
	}()
	return <-ended
}
