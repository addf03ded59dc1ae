package main

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/shell"
)

// newBenchmark writes the skeleton of a benchmark, and says how to run it.
func newBenchmark(a *app, function string, packages []string) error {
	dir := "."
	switch {
	case len(packages) > 1 || len(packages) == 1 && strings.Contains(packages[0], "..."):
		return &shell.UsageError{Verb: "bench", Err: errors.New("-new takes one package: give the folder of the function")}
	case len(packages) == 1:
		dir = packages[0]
	}
	file, benchmark, err := bench.WriteSkeleton(dir, function)
	if err != nil {
		return err
	}
	target := filepath.ToSlash(dir)
	if target != "." && !filepath.IsAbs(dir) && !strings.HasPrefix(target, "../") {
		target = "./" + path.Clean(target)
	}
	_, err = fmt.Fprintf(a.stdout, "Wrote %s. Give it inputs like those of the real program, then run\n\n  hone bench -bench '^%s$' %s\n", file, benchmark, target)
	return err
}
