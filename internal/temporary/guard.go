package temporary

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/hone-go/hone/internal/spawn"
)

// A guard kills what runs in a directory, and removes the directory, when hone ends. It is a
// shell that waits for the other end of a pipe to close. Without a shell, or if it is killed
// too, the next hone sweeps.
type guard struct {
	watch *exec.Cmd
	tell  io.WriteCloser // its standard input
}

// watchScript reads numbers of process groups until the pipe closes; an empty line means
// that none is running. It retries for some seconds, because killed processes may still
// be writing.
const watchScript = `trap '' HUP INT QUIT TERM
g=
while read -r v; do g=$v; done
if [ -n "$g" ]; then kill -9 "-$g" 2>/dev/null; fi
n=0
while [ -d "$1" ] && [ $n -lt 50 ]; do
	rm -rf "$1" 2>/dev/null || { chmod -R u+rwx "$1"; sleep 0.1; } 2>/dev/null
	n=$((n+1))
done`

// Guard makes a process group end with hone; 0 means none. It guards only one group, and
// only after Env was called.
func (d *Dir) Guard(group int) {
	if d.guard.tell == nil {
		return
	}
	text := "\n"
	if group > 0 {
		text = fmt.Sprintf("%d\n", group)
	}
	io.WriteString(d.guard.tell, text) // fails if the watcher was killed
}

func (d *Dir) watch() {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return
	}
	cmd := exec.Command(shell, "-c", watchScript, "hone-watcher", d.Path)
	cmd.Dir = os.TempDir()
	spawn.OwnSession(cmd)
	tell, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	if cmd.Start() == nil {
		d.guard = guard{cmd, tell}
	}
}

func (g *guard) end() {
	if g.tell != nil {
		g.tell.Close()
		g.watch.Wait()
	}
}

// Env returns the environment that makes programs put their temporary files into the
// directory, and starts the guard.
func (d *Dir) Env() ([]string, error) {
	tmp := filepath.Join(d.Path, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if d.guard.watch == nil {
		d.watch()
	}
	env := []string{"TMPDIR=" + tmp, "GOTMPDIR=" + tmp}
	if runtime.GOOS == "windows" {
		env = append(env, "TMP="+tmp, "TEMP="+tmp)
	}
	return env, nil
}

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
