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

Write a flame graph: the call stacks of a profile as a picture, callers above
callees, each as wide as its share. The result is one file that needs nothing
else. By default it is a page with zoom, search, colours by package and
switches: callers or callees on top, all code or yours alone (-mine; see "hone
help top").

  -o FILE         where to write; the ending chooses the format: .html, .svg,
                  .folded or .txt, .json, .speedscope.json, .firefox.json, and no
                  other without -format. - is standard output. Without it a page
                  goes there too, or to a new file if it is a terminal.
  -format NAME    html, svg, folded, json, speedscope or firefox, whatever the
                  ending
  -folded         same as -format folded: a line per stack, frames separated by
                  semicolons, for other tools. Such files are also sources.
  -inverted       leaves at the root: which functions cost most, and who calls them
  -up             svg: root at the bottom
  -color BY       svg: package, origin (yours, third party, standard, runtime)
                  or change (with -base)
  -width PIXELS   svg: width of the picture
  -widths SIDE    svg, with -base: frames as wide as before (base), after (head)
                  or on the larger side (both, if not given); a page has a switch
  -title TEXT     title of the picture
  -max_frames N   show the N widest frames, the rest as part of their callers
  -collapse       direct recursion as one frame

With -base or -diff_base both sides are drawn: frames are as wide as the larger
one and coloured by what changed. Red grew, blue shrank, grey is noise; what is
gone is hatched, what is new begins with a bar. With -normalize shares are
compared: the base is scaled to the total of SOURCE.

speedscope and firefox are files for https://www.speedscope.app and
https://profiler.firefox.com, with all sample types. Labels have no place in
them: -tagroot KEY makes frames of them. In Firefox's profiler lines are told
apart, times are only the order of the stacks, and a comparison has a track for
before, after and the difference; speedscope shows no comparisons.

Examples:

  hone flame -o flame.html cpu.pb.gz
  hone flame -o flame.svg -focus 'json' cpu.pb.gz
  hone flame -o diff.html -base before.pb.gz after.pb.gz
  hone flame -o cpu.speedscope.json cpu.pb.gz
  hone flame -folded cpu.pb.gz | grep -v runtime | hone flame -o rest.html -

All flags that select a sample type, filter and fetch work as in hone pprof;
see "hone help pprof".
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
