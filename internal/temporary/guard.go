package temporary

import (
	"fmt"
	"io"
	"os"
	"os/exec"

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

// watch starts a guard of a directory. Without a shell, the guard does nothing.
func watch(dir string) guard {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return guard{}
	}
	cmd := exec.Command(shell, "-c", watchScript, "hone-watcher", dir)
	cmd.Dir = os.TempDir()
	spawn.OwnSession(cmd)
	tell, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return guard{}
	}
	return guard{cmd, tell}
}

// set replaces the process group to kill; 0 means none.
func (g *guard) set(group int) {
	if g.tell == nil {
		return
	}
	text := "\n"
	if group > 0 {
		text = fmt.Sprintf("%d\n", group)
	}
	io.WriteString(g.tell, text) // fails if the watcher was killed
}

func (g *guard) end() {
	if g.tell != nil {
		g.tell.Close()
		g.watch.Wait()
	}
}
