package main

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

	"github.com/hone-go/hone/internal/gctrace"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/spawn"
	"github.com/hone-go/hone/internal/temporary"
)

const gcHelp = `usage: hone gc [flags] [--] PROGRAM [ARGUMENT...]
       hone gc [flags] -bench REGEXP [PACKAGE...]

Run a Go program, or benchmarks, and tell what the garbage collector did: how
often, how long it stopped the program, its share of the CPU time, the heap and
its goal, the allocation rate, and the program's peak memory. The program needs
no change: GODEBUG=gctrace=1 has its runtime report each collection, and hone
takes these lines out of what it writes to standard error.

  -bench REGEXP   build and run the benchmarks that match, in the package here or
                  those named, all of a package in one process
  -benchtime T    how long each of them runs: 2s, or 100x for iterations
  -o FILE         write the result to a file
  -json           write it as JSON. Without -o it goes to standard output, and
                  what the program writes there to standard error

The result goes to standard error, below what the program wrote. ^C ends the
program, and the result is of what was until then. hone gc fails if it fails.

Sizes are those of the runtime's report, in whole MiB, so the allocation rate of
a small heap is rough. Stops are counted one by one, two for each collection.
Peak RSS is of the program and what it waited for; Windows does not tell it.

Examples:

  hone gc -- ./server -addr :8080
  hone gc go vet ./...
  GOGC=200 hone gc -json -o gc.json ./importer data.csv
  hone gc -bench 'Parse' ./json
`

func runGC(ctx context.Context, a *app, args []string) error {
	flags := newFlags("gc")
	bench := flags.String("bench", "", "")
	benchtime := flags.String("benchtime", "", "")
	output := flags.String("o", "", "")
	asJSON := flags.Bool("json", false, "")
	// hone's flags end at the name of the program, whose own flags follow.
	if err := flags.Parse(args); err != nil {
		_, err = parseArgs(flags, args) // for the kind of error
		return err
	}
	rest := flags.Args()
	switch {
	case *bench == "" && len(rest) == 0:
		return &shell.UsageError{Verb: "gc", Err: errors.New("missing program: use hone gc -- ./prog, or -bench REGEXP")}
	case *bench == "" && *benchtime != "":
		return &shell.UsageError{Verb: "gc", Err: errors.New("-benchtime needs -bench")}
	}
	runner := &gcRun{app: a, Stdout: shell.TerminalOf(a.stdout)}
	if *asJSON && *output == "" {
		runner.Stdout = shell.TerminalOf(a.stderr)
	}
	var all []*gcReport
	var failed error
	if *bench == "" {
		r, err := runner.Command(ctx, "", rest)
		if r == nil {
			return err
		}
		all, failed = append(all, r), err
	} else if all, failed = runner.Benchmarks(ctx, *bench, *benchtime, rest); len(all) == 0 {
		return failed
	}
	out := &shell.Outlet{Out: a.stderr, Err: a.stderr, Getenv: a.getenv}
	if *asJSON {
		out.Out = a.stdout
	}
	defer out.Close()
	// Whatever ended the program, the report is written.
	err := out.Deliver(context.WithoutCancel(ctx), "", *output, func(_ context.Context, w io.Writer) error {
		switch {
		case !*asJSON:
			return writeGCText(w, all)
		case *bench == "":
			return writeJSON(w, all[0])
		}
		return writeJSON(w, all)
	})
	return errors.Join(err, failed)
}

// gcRun runs programs.
type gcRun struct {
	app    *app
	Stdout io.Writer // of the program
}

// interruptWait is how long a program is given to end by itself after ^C, which
// a terminal sends it as well, before hone sends another; killWait that for
// ending by it.
const (
	interruptWait = 500 * time.Millisecond
	killWait      = 10 * time.Second
)

// Command runs a program. The report is nil if it could not be started.
func (g *gcRun) Command(ctx context.Context, dir string, args []string) (*gcReport, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GODEBUG="+withTrace(g.app.getenv("GODEBUG")))
	cmd.Stdin, cmd.Stdout = g.app.stdin, g.Stdout
	r := &gcReport{Command: args}
	filter := gctrace.NewFilter(shell.TerminalOf(g.app.stderr))
	cmd.Stderr = filter
	cmd.WaitDelay = killWait
	start := time.Now()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	child, err := spawn.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("the program can't be started: %w", err)
	}
	ended := make(chan struct{})
	go interrupt(ctx, child.Process, ended)
	state, err := child.Wait()
	close(ended)
	r.Wall = time.Since(start)
	filter.Close()
	if err != nil {
		return nil, err
	}
	r.finish(state, child.Floor, filter)
	switch {
	case ctx.Err() != nil:
		r.Interrupted = true // ^C is how a server ends
	case !state.Success():
		return r, fmt.Errorf("%s: %s", filepath.Base(args[0]), state)
	}
	return r, nil
}

// interrupt ends a program, once ctx is done, that does not end by itself.
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

// withTrace adds the trace to a value of GODEBUG; the last of equal keys counts.
func withTrace(godebug string) string {
	if godebug == "" {
		return "gctrace=1"
	}
	return godebug + ",gctrace=1"
}

// Benchmarks builds and runs the Benchmarks of packages, one after another. The
// test binary is run by hone, since the go command and the compiler are Go
// programs and would report their collections too.
func (g *gcRun) Benchmarks(ctx context.Context, pattern, benchtime string, packages []string) (all []*gcReport, err error) {
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}", "--"}, packages...)...)
	var problem bytes.Buffer
	list.Stderr = &problem
	found, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, strings.TrimSpace(problem.String()))
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
		build := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, pkg)
		var out bytes.Buffer
		build.Stdout, build.Stderr = &out, &out
		if err := scratch.Run(build); err != nil {
			if ctx.Err() != nil {
				return all, ctx.Err()
			}
			failed = append(failed, fmt.Errorf("%s does not build: %s", pkg, strings.TrimSpace(out.String())))
			continue
		}
		args := []string{binary, "-test.run=^$", "-test.bench=" + pattern, "-test.benchmem"}
		if benchtime != "" {
			args = append(args, "-test.benchtime="+benchtime)
		}
		r, err := g.Command(ctx, dir, args)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", pkg, err))
		}
		if r != nil {
			r.Command, r.Package = append([]string{"go test -c " + pkg}, args[1:]...), pkg
			all = append(all, r)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if len(all) == 0 && len(failed) == 0 {
		return nil, errors.New("these packages have no tests, and so no benchmarks")
	}
	return all, errors.Join(failed...)
}
