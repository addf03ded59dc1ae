package gctrace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/spawn"
	"github.com/hone-go/hone/internal/temporary"
)

// A Report is what the collector did in one run of a program. Times are
// nanoseconds in JSON, sizes bytes.
type Report struct {
	Package     string        `json:"package,omitempty"` // of benchmarks
	Command     []string      `json:"command"`
	ExitCode    int           `json:"exitCode"` // -1 if a signal ended it
	Interrupted bool          `json:"interrupted,omitempty"`
	Wall        time.Duration `json:"wall"`
	User        time.Duration `json:"userCPU"`
	System      time.Duration `json:"systemCPU"`
	// PeakRSS includes the processes that the program waited for; null if unknown.
	// With PeakRSSAtMost it is only an upper bound: see package spawn.
	PeakRSS       *int64 `json:"peakRSS"`
	PeakRSSAtMost bool   `json:"peakRSSAtMost,omitempty"`

	Summary
}

// A Runner runs programs and watches their collections. Stdin, Stdout and Stderr belong to the
// programs; the traces are removed from Stderr.
type Runner struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	GODEBUG        string // the user's, which the trace is added to
}

// interruptWait is how long a program has to end after ^C, which a terminal sends to it
// too, before hone interrupts it. killWait is how long it then has before hone kills it.
const (
	interruptWait = 500 * time.Millisecond
	killWait      = 10 * time.Second
)

// Command runs a program in dir; "": here. The report is nil if it could not be started. A program
// that is still running when ctx ends is interrupted, and the report has what it did until then.
func (r *Runner) Command(ctx context.Context, dir string, args []string) (*Report, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GODEBUG="+withTrace(r.GODEBUG))
	cmd.Stdin, cmd.Stdout = r.Stdin, r.Stdout
	filter := NewFilter(r.Stderr)
	cmd.Stderr = filter
	cmd.WaitDelay = killWait
	start := time.Now()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	child, err := spawn.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("can't start the program: %w", err)
	}
	ended := make(chan struct{})
	go interrupt(ctx, child.Process, ended)
	state, err := child.Wait()
	close(ended)
	wall := time.Since(start)
	filter.Close()
	if err != nil {
		return nil, err
	}
	report := newReport(args, wall, state, child.Floor, filter)
	switch {
	case ctx.Err() != nil:
		report.Interrupted = true // ^C is how a server ends
	case !state.Success():
		return report, fmt.Errorf("%s: %s", filepath.Base(args[0]), state)
	}
	return report, nil
}

// newReport puts together what the traces and the system say of a program that has ended. Its peak
// memory counts floor bytes at least, whether it had them or not.
func newReport(args []string, wall time.Duration, state *os.ProcessState, floor int64, traces *Filter) *Report {
	r := &Report{Command: args, Wall: wall, ExitCode: state.ExitCode(), User: state.UserTime(), System: state.SystemTime()}
	if peak, ok := spawn.PeakRSS(state); ok {
		r.PeakRSS, r.PeakRSSAtMost = &peak, peak <= floor
	}
	r.Summary = traces.Summary(r.User + r.System)
	return r
}

// interrupt ends a program that is still running some time after ctx is done.
func interrupt(ctx context.Context, p *os.Process, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	select {
	case <-ended:
		return
	case <-time.After(interruptWait):
	}
	if err := p.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.Kill() // Windows has no signals
		return
	}
	select {
	case <-ended:
	case <-time.After(killWait):
		p.Kill()
	}
}

// withTrace adds the trace to a value of GODEBUG. If a key is repeated, the last one counts.
func withTrace(godebug string) string {
	if godebug == "" {
		return "gctrace=1"
	}
	return godebug + ",gctrace=1"
}

// Benchmarks are those that [Runner.Benchmarks] runs.
type Benchmarks struct {
	Packages []string // patterns of the go command; none: the package here
	Pattern  string   // as of go test -bench
	Time     string   // as of go test -benchtime; "": its default
}

// Benchmarks builds and runs the benchmarks of packages, one package after another. The
// test binary is run by hone, since the go command and the compiler are Go
// programs and would report their collections too.
func (r *Runner) Benchmarks(ctx context.Context, b Benchmarks) (all []*Report, err error) {
	found, err := gocmd.Command{Args: append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}", "--"}, b.Packages...)}.Output(ctx)
	if err != nil {
		return nil, err
	}
	scratch, err := temporary.Make()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	var failed []error
	for line := range strings.Lines(string(found)) {
		pkg, dir, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		binary := filepath.Join(scratch.Path, "bench.test.exe")
		out, err := gocmd.Command{Args: []string{"test", "-c", "-o", binary, pkg}, Run: scratch.Run}.CombinedOutput(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return all, ctx.Err()
			}
			failed = append(failed, fmt.Errorf("%s doesn't build: %s", pkg, bytes.TrimSpace(out)))
			continue
		}
		args := []string{binary, "-test.run=^$", "-test.bench=" + b.Pattern, "-test.benchmem"}
		if b.Time != "" {
			args = append(args, "-test.benchtime="+b.Time)
		}
		report, err := r.Command(ctx, dir, args)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", pkg, err))
		}
		if report != nil {
			report.Command, report.Package = append([]string{"go test -c " + pkg}, args[1:]...), pkg
			all = append(all, report)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if len(all) == 0 && len(failed) == 0 {
		return nil, errors.New("no benchmarks: these packages have no tests")
	}
	return all, errors.Join(failed...)
}
