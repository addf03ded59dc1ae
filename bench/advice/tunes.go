package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/bench/history"
)

// A tuning is what hone tune says of a module, as far as it counts here.
type tuning struct {
	Tried []struct {
		Rule, State, Why string
		Kept             bool
	}
	Changes []change
	Left    []struct{ Rule string }
}

// tuneAll tries hone tune on the repositories of a file, each for -timeout, -parallel at once, as long as -for allows.
func tuneAll(o *options, file string) error {
	lines, err := readLines(file)
	if err != nil {
		return err
	}
	var printing sync.Mutex
	begun := inParallel(o, lines, func(line string) {
		repo, revision, _ := strings.Cut(line, " ")
		before, start := load(), time.Now()
		t, err := tuneOne(o, repo, revision)
		took, after := time.Since(start).Round(time.Second), load()
		printing.Lock()
		defer printing.Unlock()
		if err != nil {
			fmt.Printf("%s: not measured: %v\n", repo, err)
		} else {
			t.print(repo)
		}
		fmt.Printf("    %v; load before %s, after %s\n", took, before, after)
	})
	fmt.Printf("%d of %d modules begun\n", begun, len(lines))
	return nil
}

// tuneOne lays out a revision in a git repository of its own, and tunes it. After -timeout, hone tune
// is interrupted, and says what came of those that it had tried.
func tuneOne(o *options, name, revision string) (*tuning, error) {
	dir, err := os.MkdirTemp("", "advice-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout+5*time.Minute)
	defer cancel()
	repo, err := history.Find(o.repos, name)
	if err != nil {
		return nil, err
	}
	if err := history.Checkout(ctx, repo, revision, dir); err != nil {
		return nil, err
	}
	if err := history.EnsureModule(ctx, name, ".", dir); err != nil {
		return nil, err
	}
	err = errors.Join(history.Git(ctx, dir, "init", "-q"), history.Git(ctx, dir, "add", "-A", "-f"), history.Git(ctx, dir, "commit", "-q", "-m", revision))
	if err != nil {
		return nil, err
	}
	inTime, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	cmd := exec.CommandContext(inTime, o.hone, "tune", "-json", "-short", "-vet=off", "-count", "5", "-benchtime", o.sample, "-profiletime", o.time, "./...")
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	var t tuning
	if err := decode(cmd, &t); err != nil {
		if inTime.Err() != nil {
			err = fmt.Errorf("stopped after %v, before a rewrite was tried", o.timeout)
		}
		return nil, err
	}
	return &t, nil
}

// print shows the rewrites, the ratio of time of each benchmark that was compared, and the rules whose findings stay advice.
func (t *tuning) print(repo string) {
	kept := 0
	for _, r := range t.Tried {
		if r.Kept {
			kept++
		}
	}
	fmt.Printf("%s: tried %d, kept %d, %d findings stay advice\n", repo, len(t.Tried), kept, len(t.Left))
	for _, r := range t.Tried {
		fmt.Printf("    %s %s: %s\n", r.Rule, r.State, r.Why)
	}
	var ratios []float64
	for _, c := range t.Changes {
		if (c.Unit == "ns/op" || c.Unit == "sec/op") && c.Ratio > 0 && !math.IsNaN(c.Ratio) {
			fmt.Printf("    %s: %.2f times as fast\n", c.Benchmark, 1/c.Ratio)
			ratios = append(ratios, c.Ratio)
		}
	}
	fmt.Printf("    time after rewrites: %s of before\n", mean(ratios))
	left := make([]string, len(t.Left))
	for i, f := range t.Left {
		left[i] = f.Rule
	}
	fmt.Printf("    advice: %s\n", strings.Join(left, " "))
}
