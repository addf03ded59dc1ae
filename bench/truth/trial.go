package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A trial is the program's flags and what it works with.
type trial struct {
	null, injected int
	limit          time.Duration
	shift          int // percent
	benchmarks     int
	benchtime      string
	count          int
	precheck       int
	hone, stat     string // programs; stat "" to leave benchstat out
	flags          string // more of them for hone bench
	unused         string // what a null comparison changes
	every          bool   // an injected one changes all benchmarks
	dir            string // the repository
}

// findHone finds the program, or builds it into a folder.
func (t *trial) findHone(ctx context.Context, scratch string) (err error) {
	if t.hone == "" {
		t.hone = filepath.Join(scratch, "hone.exe")
		return build(ctx, t.hone, "github.com/hone-go/hone/cmd/hone")
	}
	t.hone, err = filepath.Abs(t.hone)
	return err
}

func build(ctx context.Context, to, pkg string) error {
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", to, pkg).CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// runHone returns what hone prints, with the flags that this program was given for it.
func (t *trial) runHone(ctx context.Context, verb string, args ...string) ([]byte, error) {
	flags := strings.Fields(t.flags)
	if t.benchtime != "" {
		flags = append(flags, "-benchtime", t.benchtime)
	}
	if t.count > 0 {
		flags = append(flags, "-count", fmt.Sprint(t.count))
	}
	if t.precheck >= 0 {
		flags = append(flags, "-precheck", fmt.Sprint(t.precheck))
	}
	args = slices.Concat([]string{verb}, flags, args)
	cmd := exec.CommandContext(ctx, t.hone, args...)
	cmd.Dir = t.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	const foundRegression = 3
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != foundRegression {
		return nil, fmt.Errorf("hone %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.Bytes(), nil
}
