package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/spawn"
)

// A process is what to run.
type process struct {
	dir     string
	env     []string // besides hone's
	args    []string // args[0] is the program
	timeout time.Duration
	pin     []int
	whole   bool      // keep all of its standard output, not the beginning and end alone
	peak    bool      // ask for its peak memory
	stderr  io.Writer // gets standard error; nil: it is kept
}

// An outcome is what a process left.
type processOutcome struct {
	stdout, stderr []byte
	err            error // why it failed: how it ended, or that it was too slow
	wall           time.Duration
	peak           int64         // largest resident set in bytes, 0 if unknown or nobody asked
	cpu            time.Duration // user and system, of the process and what it waited for; 0: not known
	beside         experiment.Beside
}

// A process that is too slow is asked for the stacks of its goroutines, and
// killed when it has had stackGrace to print them.
const stackGrace = 2 * time.Second

// run runs one process and whatever it starts. The error is of ctx, or that
// the program can't be started.
func (s *scratch) run(ctx context.Context, p process) (*processOutcome, error) {
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Dir = p.dir
	cmd.Env = slices.Concat(os.Environ(), s.env, []string{"PWD=" + p.dir}, p.env)
	stdout, stderr := endBuffer{whole: p.whole}, endBuffer{}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if p.stderr != nil {
		cmd.Stderr = p.stderr
	}
	cmd.WaitDelay = time.Second // for what it started and left behind
	spawn.Lead(cmd)

	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begin, before := time.Now(), readMachine()
	start, ended := s.startLocked(cmd, p.pin, p.peak)
	started := <-start
	if started.err != nil {
		return nil, started.err
	}
	var slow, over <-chan time.Time
	if p.timeout > 0 {
		slow = time.After(p.timeout)
	}
	timedOut := false
	for {
		select {
		case end := <-ended:
			o := &processOutcome{stdout: stdout.bytes(), stderr: stderr.bytes(), err: end.err, wall: time.Since(begin), peak: end.peak}
			if state := cmd.ProcessState; state != nil {
				o.cpu = state.UserTime() + state.SystemTime()
				o.beside = before.beside(readMachine(), o.wall, o.cpu)
			}
			if timedOut {
				o.err = fmt.Errorf("not done after %v (-timeout), killed", p.timeout)
			} else if errors.Is(end.err, exec.ErrWaitDelay) {
				o.err = nil // it ended well, only a child of it did not
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
func (s *scratch) startLocked(cmd *exec.Cmd, pin []int, peak bool) (started <-chan processStart, ended <-chan processEnd) {
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

// An endBuffer keeps the beginning and the end of what is written: a benchmark
// that prints all the time can't fill the memory.
type endBuffer struct {
	head, tail []byte
	lost       bool
	whole      bool // lose nothing
}

const (
	keepHead = 16 << 10
	keepTail = 256 << 10
)

func (b *endBuffer) Write(p []byte) (int, error) {
	n := len(p)
	if room := keepHead - len(b.head); room > 0 {
		k := min(room, len(p))
		b.head, p = append(b.head, p[:k]...), p[k:]
	}
	b.tail = append(b.tail, p...)
	if len(b.tail) > 2*keepTail && !b.whole {
		b.tail = append(b.tail[:0], b.tail[len(b.tail)-keepTail:]...)
		b.lost = true
	}
	return n, nil
}

func (b *endBuffer) bytes() []byte {
	if b.lost {
		return bytes.Join([][]byte{b.head, b.tail}, []byte("\n[…]\n"))
	}
	return append(b.head, b.tail...)
}

// excerpt shortens an output for people: to its first and last lines, without
// the registers that end a crash.
func excerpt(output []byte, first, last int) string {
	if i := registers.Get().FindIndex(output); i != nil {
		output = output[:i[0]]
	}
	lines := strings.Split(strings.Trim(string(output), "\n"), "\n")
	if len(lines) > first+last+1 {
		lines = slices.Concat(lines[:first], []string{"[…]"}, lines[len(lines)-last:])
	}
	return strings.Join(lines, "\n")
}

var registers = lazyregexp.New(`(?m)^r\w{1,2} +0x[0-9a-f]+$`)

// A goTool is the go command, the same for both sides.
type goTool struct {
	path    string
	version string
	module  string   // go.mod of the folder, "" outside a module
	work    string   // go.work, "" or "off"
	flags   string   // GOFLAGS
	env     []string // for the go command
	testEnv []string // for test binaries
}

// flagList returns the flags of GOFLAGS, in which spaces separate them and either kind of
// quotes keeps one together.
func (t goTool) flagList() []string {
	var flags []string
	for rest := strings.TrimSpace(t.flags); rest != ""; rest = strings.TrimSpace(rest) {
		end := " "
		if rest[0] == '\'' || rest[0] == '"' {
			end, rest = rest[:1], rest[1:]
		}
		var f string
		f, rest, _ = strings.Cut(rest, end)
		flags = append(flags, f)
	}
	return flags
}

// findGo asks for the toolchain that the folder's go.mod selects, and ties all
// further go commands to it: another revision's go.mod may ask for another one.
func findGo(ctx context.Context, dir string) (goTool, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return goTool{}, fmt.Errorf("the go command is needed to build benchmarks: %w", err)
	}
	cmd := exec.CommandContext(ctx, path, "env", "GOVERSION", "GOROOT", "GOMOD", "GOWORK", "GOFLAGS")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return goTool{}, fmt.Errorf("go env: %s", orText(firstLine(stderr.Bytes()), err))
	}
	v := strings.Split(strings.ReplaceAll(string(out), "\r", ""), "\n")
	if len(v) < 5 {
		return goTool{}, fmt.Errorf("go env prints %q", out)
	}
	t := goTool{path: path, version: v[0], module: v[2], work: v[3], flags: v[4]}
	if t.module == os.DevNull || filepath.Base(t.module) != "go.mod" {
		t.module = ""
	}
	toolchain := "local"
	if isRelease(t.version) {
		toolchain = t.version
	}
	t.env = []string{"GOTOOLCHAIN=" + toolchain}
	t.testEnv = []string{"GOROOT=" + v[1]} // as go test does; -trimpath hides it from the binary
	return t, nil
}

// isRelease reports whether a version can be asked for by name.
func isRelease(version string) bool {
	rest, ok := strings.CutPrefix(version, "go1.")
	return ok && strings.Trim(rest, "0123456789.rcbeta") == ""
}

func orText(text string, err error) string {
	if text == "" {
		return err.Error()
	}
	return text
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}
