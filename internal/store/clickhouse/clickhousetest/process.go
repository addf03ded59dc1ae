package clickhousetest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// ErrMissing is the error of a start if the machine lacks an engine; see SkipMissing.
var ErrMissing = errors.New("no ClickHouse")

// script is the path of the script that installs and runs engines.
var script = func() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "../../../../test/clickhouse/engine.sh")
}()

// install installs an engine and returns the script's output.
func install(what string) (string, error) {
	var problem strings.Builder
	cmd := exec.Command("sh", script, what)
	cmd.Stderr = &problem
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w: there is no shell", ErrMissing)
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		return "", fmt.Errorf("%w: %s", ErrMissing, strings.TrimSpace(problem.String()))
	case err != nil:
		return "", fmt.Errorf("installing ClickHouse: %w\n%s", err, problem.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// A process is a program that ends with this one.
type process struct {
	dir     string // with its log
	env     []string
	command []string
	ready   func() error // whether it answers

	cmd   *exec.Cmd
	stdin io.Closer
	ended chan struct{}
}

// patience is how long a process may take to answer, even on a busy machine.
const patience = 2 * time.Minute

// start starts the process, which must not be running, and waits until it answers.
func (p *process) start() error {
	if err := p.begin(); err != nil {
		return err
	}
	return p.wait()
}

// begin starts the process without waiting for it.
func (p *process) begin() error {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(p.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd = exec.Command("sh", append([]string{script, "run"}, p.command...)...)
	p.cmd.Dir, p.cmd.Env = p.dir, append(os.Environ(), p.env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	p.ended = ended
	go func(cmd *exec.Cmd) {
		defer close(ended)
		_ = cmd.Wait() // of what it ended from, its log tells
	}(p.cmd)
	return nil
}

func (p *process) log() string { return filepath.Join(p.dir, "output") }

// wait waits until the process answers.
func (p *process) wait() error {
	var err error
	for until := time.Now().Add(patience); time.Now().Before(until); {
		if err = p.ready(); err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended: %w\n%s", p.command[0], err, p.said())
		case <-time.After(50 * time.Millisecond):
		}
	}
	p.Kill()
	return fmt.Errorf("%s does not answer: %w\n%s", p.command[0], err, p.said())
}

// over reports whether the process has ended.
func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// said returns the end of the process's output.
func (p *process) said() string {
	var all strings.Builder
	for _, name := range []string{p.log(), filepath.Join(p.dir, "log")} {
		text, err := os.ReadFile(name)
		if err == nil {
			all.Write(text[max(0, len(text)-4000):])
		}
	}
	return all.String()
}

// Kill ends the process with SIGKILL.
func (p *process) Kill() {
	_ = p.stdin.Close()
	<-p.ended
}
