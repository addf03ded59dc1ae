package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/load/measure"
)

// A progress prints warnings and, on a terminal, a progress line that is rewritten.
type progress struct {
	a     *app
	live  bool
	width int
}

func newProgress(a *app) *progress { return &progress{a: a, live: isTerminal(a.stderr)} }

func (p *progress) event(e bench.Event) {
	if e.Warning != "" {
		p.show("")
		if e.Failure != nil && e.Failure.Output != "" {
			tellFailure(p.a, e.Failure)
		} else {
			p.a.warn("hone: " + compare.Printable(e.Warning))
		}
		return
	}
	if e.Expected > 0 {
		p.show("")
		if p.live {
			p.a.warn("hone: this will take about " + inWords(e.Expected) + orIfChanged(e.Expected, e.IfChanged))
		}
		return
	}
	p.show(progressLine(e))
}

// load shows the progress of a load.
func (p *progress) load(e measure.Event) {
	if e.Warning != "" {
		p.show("")
		p.a.warn("hone: " + compare.Printable(e.Warning))
		return
	}
	text := fmt.Sprintf("%s  %d of %d", e.Stage, e.Done+1, e.Total)
	if left := e.Left.Round(time.Second); left > 0 {
		text += fmt.Sprintf("  %v left", left)
	}
	if e.Window != nil {
		text += "  " + windowText(*e.Window)
	}
	if e.What != "" {
		text += "  " + e.What
	}
	p.show(text)
}

func (p *progress) show(text string) {
	if p.a.told != nil && text != "" {
		p.a.told(text)
	}
	if !p.live || p.width == 0 && text == "" {
		return
	}
	if r := []rune(text); len(r) > 78 {
		text = string(r[:78])
	}
	capture.RewriteLine(p.a.stderr, p.width, text)
	p.width = len([]rune(text))
}

func (p *progress) end() { p.show("") }

// progressLine is "measure  12 of 60  1m20s left  Parse/short-4".
func progressLine(e bench.Event) string {
	text := e.Stage
	if e.Total > 0 {
		text += fmt.Sprintf("  %d of %d", e.Done+1, e.Total)
	}
	if left := math.Ceil(e.Left.Seconds()); left > 0 {
		text += fmt.Sprintf("  %v left", time.Duration(left)*time.Second)
	}
	if e.What != "" {
		text += "  " + compare.Printable(e.What)
	}
	return text
}

// tellFailure prints what could not be measured, with the output of the compiler or the
// benchmark.
func tellFailure(a *app, f *bench.Failure) {
	name := f.Package
	if f.Benchmark != "" {
		name += ".Benchmark" + f.Benchmark
	}
	if f.Side != "" {
		name += " (" + f.Side + ")"
	}
	fmt.Fprintf(a.stderr, "hone: %s: %s\n", compare.Printable(name), compare.Printable(f.What))
	for line := range strings.Lines(f.Output) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		fmt.Fprintf(a.stderr, "    %s\n", compare.Printable(line))
	}
}
