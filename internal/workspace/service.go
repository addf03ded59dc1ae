package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/spawn"
)

// ServiceOptions says what a service is.
type ServiceOptions struct {
	Dir     string // where its command runs; "" is the current folder
	Command string // for the shell; what go run would start is built, and started without go
	Address string // where it answers: HOST:PORT, or unix:PATH
	Against string // a revision to have as well, as the side base; "" for none

	Ready  time.Duration                   // how long it may take until it answers; 0 is DefaultReady
	Events func(stage string, what string) // told of "checkout" and "build"; may be nil
}

// DefaultReady is how long a service may take to answer.
const DefaultReady = 30 * time.Second

// stopGrace is how long a service may take to end.
const stopGrace = 10 * time.Second

// A Service is a program that answers requests, in the version that the code is in
// and, with ServiceOptions.Against, in another. One version runs at a time: both
// answer at the same address, and neither takes processor time from the other.
type Service struct {
	Base     *experiment.Revision // nil without Against
	Warnings []string             // what the base lacks

	opts     ServiceOptions
	w        *Workspace
	base     *Base
	programs [2]string // by experiment.Side; "" where the command is run as it is

	variables string // NAME=VALUE, before the command
	rest      string // of the command: all of it, or what is behind go run and its package
}

var (
	// assignments are before a command, of variables of its environment.
	assignments = lazyregexp.New(`^\s*(?:[A-Za-z_]\w*=[^\s'"]*\s+)*`)
	// goRun matches a command that begins with go run: flags, the package or files,
	// and what the program is given.
	goRun = lazyregexp.New(`^go\s+run\s+((?:-\S+\s+)*)(\S+\.go(?:\s+\S+\.go)*|[^-\s]\S*)(.*)$`)
	// compound matches commands that a shell has to stay for.
	compound = lazyregexp.New("[;&|`\n({]|^(cd|export|set|if|for|while)\\b")
)

// NewService builds a service. It has to be closed.
func NewService(ctx context.Context, opts ServiceOptions) (*Service, error) {
	if opts.Ready == 0 {
		opts.Ready = DefaultReady
	}
	if opts.Events == nil {
		opts.Events = func(string, string) {}
	}
	w, err := Open(ctx, opts.Dir)
	if err != nil {
		return nil, err
	}
	s := &Service{opts: opts, w: w, variables: assignments.FindString(opts.Command)}
	s.rest = opts.Command[len(s.variables):]
	if err := s.prepare(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Service) prepare(ctx context.Context) (err error) {
	sides := []experiment.Side{experiment.Head}
	if s.opts.Against != "" {
		s.opts.Events("checkout", s.opts.Against)
		if s.base, err = s.w.Checkout(ctx, s.opts.Against); err != nil {
			return err
		}
		s.Base, s.Warnings = &s.base.Revision, s.base.Warnings
		sides = append(sides, experiment.Base)
	}
	run := goRun.FindStringSubmatch(s.rest)
	if run == nil {
		return nil
	}
	s.rest = run[3]
	for _, side := range sides {
		s.opts.Events("build", side.String())
		program := filepath.Join(s.w.Scratch.Path, side.String()+".service")
		if runtime.GOOS == "windows" {
			program += ".exe"
		}
		// Both sides alike: not where they lie, nor what git says of one of them.
		args := []string{"build", "-trimpath", "-buildvcs=false", "-o", program}
		args = append(append(args, strings.Fields(run[1])...), strings.Fields(run[2])...)
		if out, err := s.w.Go(s.w.Sides[side], args...).CombinedOutput(ctx); errors.As(err, new(*exec.ExitError)) {
			return fmt.Errorf("%s: %s does not build: %s", side, run[2], cmp.Or(Excerpt(out, 10, 0), err.Error()))
		} else if err != nil {
			return err
		}
		s.programs[side] = program
	}
	return nil
}

// Same reports whether both versions are the same: the program, to the byte, and the
// files that it finds in its folder.
func (s *Service) Same(ctx context.Context) (bool, error) {
	if s.programs[experiment.Base] == "" {
		return false, nil
	}
	if changed, err := s.base.FilesChanged(ctx, s.w.Sides[experiment.Head].Dir); err != nil || len(changed) > 0 {
		return false, err
	}
	var sums [2][sha256.Size]byte
	for side, program := range s.programs {
		f, err := infile.Open(program)
		if err != nil {
			return false, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return false, err
		}
		h.Sum(sums[side][:0])
	}
	return sums[experiment.Base] == sums[experiment.Head], nil
}

// Close removes what was built. No version runs any more.
func (s *Service) Close() error { return s.w.Scratch.Remove() }

// Revision returns what the head is.
func (s *Service) Revision(ctx context.Context) experiment.Revision {
	return experiment.ReadRevision(ctx, s.w.Sides[experiment.Head].Dir)
}

// GoVersion is the Go that builds, "go1.26.1".
func (s *Service) GoVersion() string { return s.w.Tool.Version }

// A RunningService is a version that runs.
type RunningService struct {
	cmd    *exec.Cmd
	shell  bool // it is the shell that runs, and the program is a child of it
	ended  <-chan processEnd
	output *endBuffer // of both streams; to be read when it has ended
}

// Start starts a version and waits until it answers. It is an error if something
// else does.
func (s *Service) Start(ctx context.Context, side experiment.Side) (*RunningService, error) {
	if s.answers(ctx) {
		return nil, fmt.Errorf("another program already answers at %s and would be measured instead: stop it, or let the service listen at another address", s.opts.Address)
	}
	r := &RunningService{output: new(endBuffer)}
	r.cmd, r.shell = s.command(side)
	r.cmd.Stdout, r.cmd.Stderr = r.output, r.output
	r.cmd.WaitDelay = time.Second
	spawn.Lead(r.cmd)
	started, ended := s.w.Scratch.startLocked(r.cmd, nil, false)
	if start := <-started; start.err != nil {
		return nil, fmt.Errorf("%s: %w", s.opts.Command, start.err)
	}
	r.ended = ended
	late := time.After(s.opts.Ready)
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case end := <-ended:
			return nil, fmt.Errorf("the service (%s) ended before it answered at %s%s: %s", side, s.opts.Address, s.lacks(side), r.complaint(end.err))
		case <-ctx.Done():
			r.Stop()
			return nil, ctx.Err()
		case <-late:
			spawn.KillGroup(r.cmd.Process)
			<-ended
			return nil, fmt.Errorf("the service (%s) does not answer at %s after %v (-ready)%s: %s", side, s.opts.Address, s.opts.Ready, s.lacks(side), r.complaint(nil))
		case <-poll.C:
			if s.answers(ctx) {
				return r, nil
			}
		}
	}
}

// command is what starts a version. Where a shell does, it knows quotes and variables,
// and becomes the program, unless it has to stay for it.
func (s *Service) command(side experiment.Side) (cmd *exec.Cmd, shell bool) {
	program, at := s.programs[side], s.w.Sides[side]
	switch {
	case runtime.GOOS == "windows":
		words := strings.Fields(program + " " + s.rest)
		cmd = exec.Command(words[0], words[1:]...)
	case program != "":
		cmd = exec.Command("sh", "-c", s.variables+`exec "$0"`+s.rest, program)
	case compound.MatchString(s.rest):
		cmd, shell = exec.Command("sh", "-c", s.opts.Command), true
	default:
		cmd = exec.Command("sh", "-c", s.variables+"exec "+s.rest)
	}
	cmd.Dir = at.Dir
	cmd.Env = slices.Concat(os.Environ(), s.w.Scratch.env, []string{"PWD=" + at.Dir})
	if program == "" {
		cmd.Env = append(cmd.Env, at.Env...) // it may build
	}
	return cmd, shell
}

// answers reports whether connections to the address are accepted.
func (s *Service) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	network, address := "tcp", s.opts.Address
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", strings.TrimPrefix(path, "//")
	}
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// lacks says what a base may fail for that the head has.
func (s *Service) lacks(side experiment.Side) string {
	if side == experiment.Base {
		return " (the base has only committed files)"
	}
	return ""
}

// complaint is what a service printed before it ended.
func (r *RunningService) complaint(err error) string {
	text := Excerpt(r.output.bytes(), 3, 12)
	switch {
	case text == "" && err == nil:
		return "it printed nothing"
	case text == "":
		return err.Error() + ", and it printed nothing"
	case err == nil:
		return text
	}
	return err.Error() + "\n" + text
}

// CPU returns the processor time that the program has used so far, without that of
// programs it started. It is known on Linux only, and not of a program that a shell
// stays for.
func (r *RunningService) CPU() (time.Duration, bool) {
	if r.shell {
		return 0, false
	}
	return processCPU(r.cmd.Process.Pid)
}

// Stop asks the program to end, and ends it and whatever it started if it takes too
// long. It is an error if it had exited on its own.
func (r *RunningService) Stop() error {
	select {
	case end := <-r.ended:
		return fmt.Errorf("the service exited on its own: %s", r.complaint(end.err))
	default:
	}
	askToEnd(r.cmd.Process)
	select {
	case <-r.ended:
	case <-time.After(stopGrace):
		spawn.KillGroup(r.cmd.Process)
		<-r.ended
	}
	return nil
}
