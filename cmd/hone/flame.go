package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

const flameHelp = `usage: hone flame [flags] SOURCE...

Write a flame graph as a web page, an image, or a file for another viewer.

Examples:

  hone flame -o flame.html cpu.pb.gz
  hone flame -o diff.html -base before.pb.gz after.pb.gz
  hone flame -folded cpu.pb.gz | grep -v runtime | hone flame -o rest.html -

Output:

  -o FILE         write to FILE; its name selects the format: .html, .svg, .folded,
                  .txt, .json, .speedscope.json or .firefox.json. - is standard output.
                  Without -o, a page goes to standard output, or on a terminal to a new
                  file
  -format NAME    html, svg, folded, json, speedscope or firefox, whatever the file
                  name says
  -folded         same as -format folded: one line per stack, frames separated by
                  semicolons. hone reads such files too

Appearance:

  -inverted       show callees at the root: what costs most, and who calls it
  -up             svg: draw the root at the bottom
  -color BY       svg: package, origin (your module, other modules, standard library,
                  runtime) or change (with -base)
  -width PIXELS   svg: width of the image
  -widths SIDE    svg with -base: frame widths from before (base), after (head) or the
                  larger of the two (both)
  -title TEXT     title of the image
  -max-frames N   show the N widest frames, and merge the rest into their callers
  -collapse       merge direct recursion into one frame

All flags that select a sample type, filter and fetch work as in hone pprof;
see "hone help pprof".

Exit codes: 0 success, 1 failure, 2 wrong usage.

With -base or -diff_base, frames are colored by change: red grew, blue shrank, gray is
noise. Frames that are gone are hatched; new ones start with a bar. -normalize compares
shares: it scales the base to the total of SOURCE.

speedscope and firefox files are for https://www.speedscope.app and
https://profiler.firefox.com. They have all sample types, but no labels: -tagroot KEY
turns labels into frames. The Firefox Profiler shows lines, and a comparison as three
tracks; speedscope shows no comparisons.
`

// flameFlags are the flags of hone flame that other verbs don't have.
type flameFlags struct {
	format    string // one of flameFormats
	inverted  bool
	up        bool
	collapse  bool
	color     string
	width     int
	widths    string
	title     string
	maxFrames int
	normalize bool // -normalize, which other verbs have too
}

func (f *flameFlags) define(fs *flag.FlagSet) {
	fs.StringVar(&f.format, "format", "", "")
	fs.BoolFunc("folded", "", func(string) error { f.format = "folded"; return nil })
	fs.BoolVar(&f.inverted, "inverted", false, "")
	fs.BoolVar(&f.up, "up", false, "")
	fs.BoolVar(&f.collapse, "collapse", false, "")
	fs.StringVar(&f.color, "color", "", "")
	fs.IntVar(&f.width, "width", 0, "")
	fs.StringVar(&f.widths, "widths", "", "")
	fs.StringVar(&f.title, "title", "", "")
	fs.IntVar(&f.maxFrames, "max-frames", 0, "")
}

var flameFormats = []string{"html", "svg", "folded", "json", "speedscope", "firefox"}

// choose selects the format by the flags and the name of the output.
func (f *flameFlags) choose(inv *shell.Invocation) error {
	if f.format == "" {
		name := strings.ToLower(inv.Output)
		switch ext := filepath.Ext(name); {
		case strings.HasSuffix(name, ".speedscope.json"):
			f.format = "speedscope"
		case strings.HasSuffix(name, ".firefox.json"):
			f.format = "firefox"
		case inv.JSON, ext == ".json":
			f.format = "json"
		case ext == ".svg":
			f.format = "svg"
		case ext == ".folded", ext == ".txt":
			f.format = "folded"
		case ext == "", ext == ".html", ext == ".htm":
			f.format = "html"
		case slices.Contains([]string{".png", ".gif", ".pdf", ".ps"}, ext):
			return &shell.UsageError{Verb: "flame", Err: fmt.Errorf("invalid -o %s: a flame graph can't be written as %s; use .svg or .html, or draw the call graph with hone %[2]s -o %[1]s", inv.Output, ext[1:])}
		default:
			return &shell.UsageError{Verb: "flame", Err: fmt.Errorf("invalid -o %s: unknown file type %s; use .html, .svg, .folded, .json, .speedscope.json or .firefox.json, or set -format", inv.Output, ext)}
		}
	}
	if !slices.Contains(flameFormats, f.format) {
		return &shell.UsageError{Verb: "flame", Err: fmt.Errorf("unknown format %q: use %s", f.format, strings.Join(flameFormats, ", "))}
	}
	if f.format == "speedscope" && len(inv.Base) > 0 {
		return &shell.UsageError{Verb: "flame", Err: report.ErrNoComparison}
	}
	if report.FlameWidths(f.widths).Check() != nil {
		return &shell.UsageError{Verb: "flame", Err: fmt.Errorf("invalid -widths %q: use both, head or base", f.widths)}
	}
	switch f.color {
	case "", "package", "origin", "change":
	default:
		return &shell.UsageError{Verb: "flame", Err: fmt.Errorf("invalid -color %q: use package, origin or change", f.color)}
	}
	return nil
}

func runFlame(ctx context.Context, a *app, args []string) error {
	var f flameFlags
	inv, err := shell.ParseVerb("flame", args, a.stderr, f.define)
	if err != nil {
		return err
	}
	if err := f.choose(inv); err != nil {
		return err
	}
	l := newOpener(a, inv)
	p, err := l.merged(ctx, inv.Sources)
	if err != nil {
		return err
	}
	if p, err = l.finished(ctx, p); err != nil {
		return err
	}
	var base *profile.Profile
	if len(inv.Base) > 0 {
		if base, err = l.merged(ctx, inv.Base); err != nil {
			return err
		}
		if base, err = l.finished(ctx, base); err != nil {
			return err
		}
	}
	f.normalize = inv.Normalize
	out := &shell.Outlet{Out: a.stdout, Err: a.stderr, ToScreen: isTerminal(a.stdout) && f.format == "html", Getenv: a.getenv}
	defer out.Close()
	return out.Deliver(ctx, "flame", inv.Output, func(ctx context.Context, w io.Writer) error {
		return writeFlame(ctx, a, w, base, p, f, inv.Options)
	})
}

// flameShare is the share of the total below which pages and images fold frames into their
// callers: a tenth of a pixel of the widest screen.
const flameShare = 1.0 / 80_000

// writeFlame writes the flame graph of p, compared with base unless that is nil.
func writeFlame(ctx context.Context, a *app, w io.Writer, base, p *profile.Profile, f flameFlags, o report.Options) error {
	sides := flameSides{base: base, head: p}
	shown, err := sides.selected(o, reportEnv(ctx, a, o))
	if err != nil {
		return err
	}
	p, base = shown.head, shown.base
	index, err := p.SampleIndex(o.SampleIndex)
	if err != nil {
		return err
	}
	if index < 0 {
		return errors.New("the profile has no samples")
	}
	to := profile.TreeOptions{
		Context: ctx,
		Types:   []int{index}, Inverted: f.inverted, Granularity: o.Granularity, NoInlines: o.NoInlines, CollapseRecursion: f.collapse,
		Normalize: f.normalize,
	}
	if f.format == "html" || f.format == "svg" {
		to.MinShare = flameShare
	}
	if f.format == "html" && o.SampleIndex == "" {
		for t := range p.SampleTypes {
			if t != index {
				to.Types = append(to.Types, t)
			}
		}
	}
	viewer, column := report.ViewerOf(f.format), 0
	if viewer != nil {
		to, column = viewer.Tree(base, p, to)
	}
	t, err := shown.tree(to)
	if err != nil {
		return err
	}
	fo := report.FlameOptions{
		Title: f.title, Duration: time.Duration(p.DurationNanos), MaxNodes: f.maxFrames,
		Width: f.width, FlameUp: f.up, Color: f.color, Widths: report.FlameWidths(f.widths),
	}
	if p.TimeNanos != 0 {
		fo.Time = time.Unix(0, p.TimeNanos)
	}
	if fo.Title == "" && len(p.Mappings) > 0 && p.Mappings[0].File != "" {
		fo.Title = filepath.Base(p.Mappings[0].File)
	}
	if viewer != nil {
		fo.Column = column
		return viewer.Write(w, t, fo)
	}
	switch f.format {
	case "folded":
		return report.Folded(w, t, 0)
	case "svg":
		return report.FlameSVG(w, t, fo)
	case "json":
		return report.FlameJSON(w, t)
	}
	fo.Mine = o.Mine != ""
	if fo.Turns, err = sides.turns(ctx, shown, to, o); err != nil {
		return err
	}
	return report.FlameHTML(w, t, fo)
}

// flameSides are the profiles of a flame graph; base is nil without a comparison.
type flameSides struct{ base, head *profile.Profile }

// selected applies the filters of options.
func (s flameSides) selected(o report.Options, env report.Env) (flameSides, error) {
	var out flameSides
	var err error
	if out.head, err = report.Select(s.head, o, env); err == nil && s.base != nil {
		out.base, err = report.Select(s.base, o, report.Env{Context: env.Context})
	}
	return out, err
}

func (s flameSides) tree(to profile.TreeOptions) (*profile.Tree, error) {
	if s.base != nil {
		return profile.NewDiffTree(s.base, s.head, to)
	}
	return profile.NewTree(s.head, to)
}

// turns returns the other views of the page: inverted, and only your code or all code,
// whichever is not shown.
func (s flameSides) turns(ctx context.Context, shown flameSides, to profile.TreeOptions, o report.Options) ([]report.FlameTurn, error) {
	var out []report.FlameTurn
	add := func(of flameSides, inverted, mine bool) error {
		to.Inverted = inverted
		t, err := of.tree(to)
		out = append(out, report.FlameTurn{Tree: t, Mine: mine})
		return err
	}
	mine, inverted := o.Mine != "", to.Inverted
	if err := add(shown, !inverted, mine); err != nil || !mine && !report.Foldable(s.head) {
		return out, err
	}
	if o.Mine = ""; !mine {
		o.Mine = report.MineModule
	}
	other, err := s.selected(o, report.Env{Context: ctx})
	if err != nil {
		return nil, err
	}
	return out, cmp.Or(add(other, inverted, !mine), add(other, !inverted, !mine))
}
