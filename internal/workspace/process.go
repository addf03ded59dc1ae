package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/spawn"
)

// A Process is what to run.
type Process struct {
	Dir     string
	Env     []string // besides hone's
	Args    []string // args[0] is the program
	Timeout time.Duration
	Pin     []int
	Peak    bool // ask for its peak memory
}

// An Outcome is the result of a process.
type Outcome struct {
	Stdout, Stderr []byte
	Err            error // why it failed: its exit status, or the time limit
	Wall           time.Duration
	Peak           int64         // largest resident set in bytes, 0 if unknown or nobody asked
	CPU            time.Duration // user and system, of the process and what it waited for; 0: not known
	Beside         experiment.Beside
}

// A process that is too slow is asked for the stacks of its goroutines, and
// killed when it has had stackGrace to print them.
const stackGrace = 2 * time.Second

// Run runs one process and whatever it starts. The error is of ctx, or that
// the program can't be started.
func (s *Scratch) Run(ctx context.Context, p Process) (*Outcome, error) {
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	cmd.Dir = p.Dir
	cmd.Env = slices.Concat(os.Environ(), s.env, []string{"PWD=" + p.Dir}, p.Env)
	var stdout, stderr endBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // for what it started and left behind
	spawn.Lead(cmd)

	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begin, before := time.Now(), readMachine()
	start, ended := s.startLocked(cmd, p.Pin, p.Peak)
	started := <-start
	if started.err != nil {
		return nil, started.err
	}
	var slow, over <-chan time.Time
	if p.Timeout > 0 {
		slow = time.After(p.Timeout)
	}
	timedOut := false
	for {
		select {
		case end := <-ended:
			o := &Outcome{Stdout: stdout.bytes(), Stderr: stderr.bytes(), Err: end.err, Wall: time.Since(begin), Peak: end.peak}
			if state := cmd.ProcessState; state != nil {
				o.CPU = state.UserTime() + state.SystemTime()
				o.Beside = before.beside(readMachine(), o.Wall, o.CPU)
			}
			if timedOut {
				o.Err = fmt.Errorf("killed, because it took longer than %v (-timeout)", p.Timeout)
			} else if errors.Is(end.err, exec.ErrWaitDelay) {
				o.Err = nil // it ended well, only a child of it did not
			}
			return o, ctx.Err()
		case <-ctx.Done():
			spawn.KillGroup(started.process)
			<-ended
			return nil, ctx.Err()
		case <-slow:
			timedOut = true
			askForStacks(started.process)
			over = time.After(stackGrace)
		case <-over:
			spawn.KillGroup(started.process)
		}
	}
}

// A processStart is that a process runs, or why not; a processEnd how it ended.
type (
	processStart struct {
		process *os.Process
		err     error
	}
	processEnd struct {
		err  error
		peak int64
	}
)

// smallFloor is how much the system may count for a process that it hasn't had, and the
// figure still says something: what starts programs has some MB, as small ones have.
const smallFloor = 16 << 20

// startLocked starts a command on a thread that lives as long as the command
// does: Linux sends the death signal when the thread ends that started it, not
// the process (golang.org/issue/27505). The group is gone, too, when ended
// gives the outcome.
//
// Where its peak memory is asked for, package spawn starts it, and no death signal
// reaches it: that it ends with hone is for the watcher.
func (s *Scratch) startLocked(cmd *exec.Cmd, pin []int, peak bool) (started <-chan processStart, ended <-chan processEnd) {
	start, end := make(chan processStart, 1), make(chan processEnd, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var child *spawn.Child
		err := startPinned(pin, func() (err error) {
			if peak {
				child, err = spawn.Start(cmd)
				return err
			}
			return cmd.Start()
		})
		if err != nil {
			start <- processStart{err: err}
			return
		}
		process := cmd.Process
		if child != nil {
			process = child.Process
		}
		s.Guard(process.Pid)
		start <- processStart{process: process}
		var e processEnd
		if child == nil {
			e.err = cmd.Wait()
		} else {
			var state *os.ProcessState
			if state, e.err = child.Wait(); e.err == nil {
				if peak, ok := spawn.PeakRSS(state); ok && (peak > child.Floor || child.Floor < smallFloor) {
					e.peak = peak
				}
				if !state.Success() {
					e.err = &exec.ExitError{ProcessState: state}
				}
			}
		}
		spawn.KillGroup(process)
		s.Guard(0)
		end <- e
	}()
	return start, end
}
