package spawn

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"unsafe"

	"github.com/hone-go/hone/internal/spawn/stage"
)

// Of prctl(2); package syscall lacks them.
const (
	setChildSubreaper = 36
	getChildSubreaper = 37
)

func prctl(option int, arg uintptr) error {
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, uintptr(option), arg, 0); e != 0 {
		return e
	}
	return nil
}

// reaping guards that this process is a subreaper.
var reaping sync.Mutex

// Start starts a command, which has no context and no ExtraFiles. It leads a process
// group if SysProcAttr.Setpgid asks for that; its Pdeathsig ends no program, as the
// process that starts it ends at once.
func Start(cmd *exec.Cmd) (*Child, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	child, err := staged(cmd)
	if err == nil || errors.As(err, new(*os.PathError)) {
		return child, err
	}
	// Without /proc, for example. The command has not been started.
	return plain(copyOf(cmd), own())
}

// own returns the peak resident set of this process in bytes, 0 if it can't be told.
func own() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0
		}
		return u.Maxrss << 10
	}
	return int64(stage.Peak(status)) << 10
}

// copyOf returns a command as it was before it was started.
func copyOf(cmd *exec.Cmd) *exec.Cmd {
	return &exec.Cmd{
		Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr,
		SysProcAttr: cmd.SysProcAttr, WaitDelay: cmd.WaitDelay,
	}
}

// staged starts a command by a stage. An error that is an os.PathError is of the
// command; any other of the way it was started.
func staged(cmd *exec.Cmd) (*Child, error) {
	self, err := os.Readlink("/proc/self/exe") // and not the link: for people who look at what runs
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(self); err != nil {
		self = "/proc/self/exe" // it was replaced meanwhile
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	mode := stage.Plain
	if cmd.SysProcAttr != nil && cmd.SysProcAttr.Setpgid {
		mode = stage.Group
	}
	first := copyOf(cmd)
	first.Path, first.Args = self, slices.Concat([]string{"hone"}, []string{cmd.Path}, cmd.Args)
	if first.Env == nil {
		first.Env = os.Environ()
	}
	first.Env = append(slices.Clip(first.Env), stage.Marker+"="+mode)
	first.ExtraFiles = []*os.File{write} // which is stage.Report

	reaping.Lock()
	defer reaping.Unlock()
	var before int32
	if err := prctl(getChildSubreaper, uintptr(unsafe.Pointer(&before))); err != nil {
		return nil, err
	}
	if before == 0 {
		if err := prctl(setChildSubreaper, 1); err != nil {
			return nil, err
		}
		defer prctl(setChildSubreaper, 0)
	}
	err = first.Start()
	write.Close()
	if err != nil {
		return nil, fmt.Errorf("the stage can't be started: %v", err)
	}
	line, readErr := bufio.NewReader(read).ReadString('\n')
	// When the stage has been waited for, the program is a child of this process.
	if _, err := first.Process.Wait(); err != nil {
		return nil, err
	}
	streams := func() { first.Wait() }
	pid, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	n, err := strconv.Atoi(rest)
	if readErr != nil || err != nil {
		streams()
		return nil, fmt.Errorf("the stage reports %q", line)
	}
	if pid == "-" {
		streams()
		return nil, &os.PathError{Op: "fork/exec", Path: cmd.Path, Err: syscall.Errno(n)}
	}
	id, err := strconv.Atoi(pid)
	if err != nil {
		return nil, err
	}
	process, err := os.FindProcess(id)
	if err != nil {
		return nil, err
	}
	return &Child{Process: process, Floor: int64(n) << 10, streams: streams}, nil
}
