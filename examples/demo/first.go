package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// firstLook profiles a program, shows its hot functions and the hot lines of one, and
// draws a flame graph.
func firstLook(ctx context.Context, s *screen, program, dir string, duration time.Duration) error {
	file, page := filepath.Join(dir, "cpu.pb.gz"), filepath.Join(dir, "flame.html")
	s.heading("Run a program under the CPU profiler: where does its time go?")
	args := []string{"-for", duration.String(), "-cpuprofile", file}
	s.line("$ " + program + " " + strings.Join(args, " "))
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	p, err := readProfile(file)
	if err != nil {
		return err
	}
	// Only your own code: calls of other packages count for the caller.
	if err := s.report(ctx, p, regexp.MustCompile(`^Duration|%|flat`), "top", "-mine", "-nodecount=6", file); err != nil {
		return err
	}
	// Only lines with a value: the others took no time.
	if err := s.report(ctx, p, regexp.MustCompile(`^ROUTINE|\d\w* +\d+:`), "list", `main\.addLine$`, file); err != nil {
		return err
	}
	s.command("flame", "-o", page, file)
	if err := drawFlame(ctx, p, page); err != nil {
		return err
	}
	s.line("addLine compiles a regular expression for each line: examples/wordindex/README.md shows the fix.")
	s.line("Flame graph: " + page + " (open it in a browser)")
	return nil
}

func readProfile(file string) (*profile.Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Decode(f, profile.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// report prints the matching lines of a hone report.
func (s *screen) report(ctx context.Context, p *profile.Profile, matter *regexp.Regexp, verb string, args ...string) error {
	inv, err := shell.ParseVerb(verb, args, os.Stderr)
	if err != nil {
		return err
	}
	source := srcfind.New(srcfind.Config{})
	env := report.Env{Context: ctx, Text: func(file string) (*srcfind.Text, error) { return source.Find(file) }}
	var text bytes.Buffer
	if err := report.Generate(&text, p, inv.Command, inv.Param, inv.Options, env); err != nil {
		return err
	}
	s.command(append([]string{verb}, args...)...)
	s.lines(matching(text.String(), matter))
	return nil
}

func matching(text string, matter *regexp.Regexp) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); matter.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// drawFlame writes the page of a flame graph, with a button that inverts it.
func drawFlame(ctx context.Context, p *profile.Profile, file string) error {
	index, err := p.SampleIndex("")
	if err != nil {
		return err
	}
	options := profile.TreeOptions{Context: ctx, Types: []int{index}}
	t, err := profile.NewTree(p, options)
	if err != nil {
		return err
	}
	options.Inverted = true
	turned, err := profile.NewTree(p, options)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = report.FlameHTML(w, t, report.FlameOptions{
		Title: "wordindex", Duration: time.Duration(p.DurationNanos), Turns: []report.FlameTurn{{Tree: turned}},
	})
	return errors.Join(err, w.Flush(), f.Close())
}
