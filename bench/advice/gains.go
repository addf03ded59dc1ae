package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// What hone fix and hone bench -against say, as far as it counts here.
type (
	fixed struct {
		State, Why string
		Changes    []struct {
			Benchmark, Unit string
			Ratio           float64
		}
	}
	compared struct {
		Comparison struct {
			Comparisons []struct { // of families
				Comparisons []struct {
					Benchmark, Unit, Scale string
					Change                 *float64 // as a ratio, where Scale is "ratio"
				}
			}
		}
	}
)

// gains measures a finding's rewrite beside what the author did, each against the parent
// and on the same benchmark, and prints both as ratios.
func gains(ctx context.Context, o *options, c *testCase, f finding, kept string) error {
	dir, err := os.MkdirTemp("", "advice-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(kept)); err != nil {
		return err
	}
	if err := git(ctx, dir, "init", "-q"); err != nil {
		return err
	}
	if err := errors.Join(git(ctx, dir, "add", "-A", ":!.hone"), git(ctx, dir, "commit", "-q", "-m", "parent")); err != nil {
		return err
	}
	module := filepath.Join(dir, moduleOf(dir, c.BenchPkg))
	pkg, err := filepath.Rel(moduleOf(dir, c.BenchPkg), filepath.Clean(c.BenchPkg))
	if err != nil {
		return err
	}
	var fixes []fixed
	err = ask(ctx, o, module, &fixes, "fix", "-json", "-dirty", "-short", "-vet=off", f.ID)
	if err == nil && len(fixes) != 1 {
		err = fmt.Errorf("%d fixes", len(fixes))
	}
	if err != nil {
		return err
	}
	fix := &fixes[0]
	if err := git(ctx, dir, "checkout", "-q", "."); err != nil {
		return err
	}
	repo, err := o.find(c.Repo)
	if err != nil {
		return err
	}
	if err := checkout(ctx, repo, c.Commit, dir); err != nil {
		return err
	}
	var author compared
	err = ask(ctx, o, module, &author, "bench", "-json", "-against", "HEAD", "-profile", "none", "-vet=off", "-bench", c.Bench, "./"+filepath.ToSlash(pkg))
	if err != nil {
		return err
	}
	fmt.Printf("    %s: %s\n", fix.State, fix.Why)
	for _, unit := range []string{"ns/op", "sec/op", "allocs/op"} {
		var ours, theirs []float64
		for _, change := range fix.Changes {
			if change.Unit == unit && change.Ratio > 0 {
				ours = append(ours, change.Ratio)
			}
		}
		for _, family := range author.Comparison.Comparisons {
			for _, change := range family.Comparisons {
				if change.Unit == unit && change.Scale == "ratio" && change.Change != nil {
					theirs = append(theirs, *change.Change)
				}
			}
		}
		if len(ours)+len(theirs) > 0 {
			fmt.Printf("    %-9s  rewrite %s of before, author %s\n", unit, mean(ours), mean(theirs))
		}
	}
	return nil
}

// ask runs a verb of hone that prints JSON, and measures. Regressions aren't failures.
func ask(ctx context.Context, o *options, dir string, said any, args ...string) error {
	cmd := exec.CommandContext(ctx, o.hone, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if jsonErr := json.Unmarshal(out, said); jsonErr != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = errors.New(lastLine(exit.Stderr))
		}
		return fmt.Errorf("hone %s: %w", args[0], errors.Join(err, jsonErr))
	}
	return nil
}

func git(ctx context.Context, dir string, args ...string) error {
	out, err := run(ctx, dir, "git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.com"}, args...)...)
	if err != nil {
		return fmt.Errorf("git %s: %s", args[0], firstLine(out))
	}
	return nil
}

// mean is the geometric mean of ratios, and the smallest and the largest.
func mean(ratios []float64) string {
	if len(ratios) == 0 {
		return "-"
	}
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f, %d)", math.Exp(sum/float64(len(ratios))), slices.Min(ratios), slices.Max(ratios), len(ratios))
}
