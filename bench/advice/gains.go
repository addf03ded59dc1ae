package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-go/hone/bench/history"
)

// What hone fix, hone tune and hone bench -against say, as far as it counts here.
type (
	change struct {
		Benchmark, Unit string
		Ratio           float64
	}
	fixed struct {
		State, Why string
		Changes    []change
	}
	tuned struct {
		Tried   []struct{ State string }
		Changes []change
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
// and on the same benchmark, and prints both as ratios. Where the author did more, all
// that hone tune keeps is measured, too: a commit may have several changes.
func gains(ctx context.Context, o *options, c *testCase, f finding, kept string) error {
	dir, err := os.MkdirTemp("", "advice-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(kept)); err != nil {
		return err
	}
	if err := history.Git(ctx, dir, "init", "-q"); err != nil {
		return err
	}
	if err := errors.Join(history.Git(ctx, dir, "add", "-A", ":!.hone"), history.Git(ctx, dir, "commit", "-q", "-m", "parent")); err != nil {
		return err
	}
	module := filepath.Join(dir, history.ModuleOf(dir, c.BenchPkg))
	pkg, err := filepath.Rel(history.ModuleOf(dir, c.BenchPkg), filepath.Clean(c.BenchPkg))
	if err != nil {
		return err
	}
	pkg = "./" + filepath.ToSlash(pkg)
	var fixes []fixed
	err = ask(ctx, o, module, &fixes, "fix", "-json", "-dirty", "-short", "-vet=off", "-benchtime", o.sample, f.ID)
	if err == nil && len(fixes) != 1 {
		err = fmt.Errorf("%d fixes", len(fixes))
	}
	if err != nil {
		return err
	}
	fix := &fixes[0]
	fmt.Printf("    %s: %s\n", fix.State, fix.Why)
	if err := history.Git(ctx, dir, "checkout", "-q", "."); err != nil {
		return err
	}
	repo, err := history.Find(o.repos, c.Repo)
	if err != nil {
		return err
	}
	// What the commit deleted or renamed is not to stay beside it.
	if err := errors.Join(history.Git(ctx, dir, "rm", "-rfq", "."), history.Checkout(ctx, repo, c.Commit, dir), history.EnsureModule(ctx, c.Repo, c.BenchPkg, dir)); err != nil {
		return err
	}
	var author compared
	err = ask(ctx, o, module, &author, "bench", "-json", "-against", "HEAD", "-profile", "none", "-vet=off", "-benchtime", o.sample, "-bench", c.Bench, pkg)
	if err != nil {
		return err
	}
	if printGains("rewrite", fix.Changes, &author) {
		return nil
	}
	if err := errors.Join(history.Git(ctx, dir, "reset", "-q", "--hard"), history.Git(ctx, dir, "clean", "-qfd", "-e", ".hone")); err != nil {
		return err
	}
	var all tuned
	if err := ask(ctx, o, module, &all, "tune", "-json", "-dirty", "-short", "-vet=off", "-benchtime", o.sample, "-bench", c.Bench, pkg); err != nil {
		return err
	}
	confirmed := 0
	for _, fix := range all.Tried {
		if fix.State == "confirmed" {
			confirmed++
		}
	}
	printGains(fmt.Sprintf("%d rewrites", confirmed), all.Changes, &author)
	return nil
}

// printGains reports whether ours brought half of what the author's change did, in the
// mean of the benchmarks that both were measured on.
func printGains(what string, ours []change, author *compared) bool {
	enough := true
	for _, unit := range []string{"ns/op", "sec/op", "allocs/op"} {
		var our, their, both []float64
		by := make(map[string]float64)
		for _, change := range ours {
			if change.Unit == unit && change.Ratio > 0 {
				our = append(our, change.Ratio)
				by[change.Benchmark] = change.Ratio
			}
		}
		for _, family := range author.Comparison.Comparisons {
			for _, change := range family.Comparisons {
				if change.Unit != unit || change.Scale != "ratio" || change.Change == nil {
					continue
				}
				their = append(their, *change.Change)
				if ratio, ok := by[change.Benchmark]; ok {
					both = append(both, (1-ratio)-(1-*change.Change)/2)
				}
			}
		}
		if len(our)+len(their) == 0 {
			continue
		}
		fmt.Printf("    %-9s  %s %s of before, author %s\n", unit, what, mean(our), mean(their))
		spare := 0.0
		for _, s := range both {
			spare += s
		}
		enough = enough && spare >= 0
	}
	return enough
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
