package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

const diffHelp = `usage: hone diff [flags] BASE HEAD
       hone diff [flags] -base BASE -base BASE... HEAD...

Show what changed between two profiles, function by function, largest change first.

Examples:

  hone diff before.pb.gz after.pb.gz
  hone diff -normalize -cum v1.pb.gz v2.pb.gz
  hone diff -o diff.html before.pb.gz after.pb.gz

Flags:

  -normalize      compare shares: scale each profile to the total of HEAD
  -cum            compare cumulative values instead of own values; a function
                  that explains a change comes before its callers
  -nodecount N    show the N largest changes
  -lines, -files, -filefunctions
                  compare lines, files, or functions per file
  -json, -csv     write the table as JSON or CSV
  -flame          write a flame graph of HEAD colored by change (see hone help flame)
  -o FILE         write to FILE; .html and .svg imply -flame

All flags that select a sample type, filter and fetch work as in hone pprof;
see "hone help pprof".

Exit codes: 0 success, 1 failure, 2 wrong usage.

To tell changes from noise, give several profiles of the same program per side,
separated by commas or with -base. Values are then means. With four or more per side,
changes that may be noise are marked with ~. -mine shows which of your own calls
became more expensive.
`

// diffFlags are the flags of hone diff that other verbs don't have.
type diffFlags struct{ flame, csv bool }

func (f *diffFlags) define(fs *flag.FlagSet) {
	fs.BoolVar(&f.flame, "flame", false, "")
	fs.BoolVar(&f.csv, "csv", false, "")
}

func runDiff(ctx context.Context, a *app, args []string) error {
	var f diffFlags
	inv, err := shell.ParseVerb("diff", args, a.stderr, f.define)
	if err != nil {
		return err
	}
	base, head := inv.Base, inv.Sources
	if len(base) == 0 {
		if len(head) != 2 {
			return &shell.UsageError{Verb: "diff", Err: fmt.Errorf("want two sources, BASE and HEAD; found %d", len(head))}
		}
		base, head = splitRuns(ctx, head[:1]), splitRuns(ctx, head[1:])
	} else {
		base, head = splitRuns(ctx, base), splitRuns(ctx, head)
	}
	l := newOpener(a, inv)
	load := func(sources []string) ([]*profile.Profile, error) {
		var ps []*profile.Profile
		for _, s := range sources {
			p, err := l.merged(ctx, []string{s})
			if err != nil {
				return nil, err
			}
			if p, err = l.finished(ctx, p); err != nil {
				return nil, err
			}
			ps = append(ps, p)
		}
		return ps, nil
	}
	bases, err := load(base)
	if err != nil {
		return err
	}
	heads, err := load(head)
	if err != nil {
		return err
	}
	if f.flame || strings.HasSuffix(inv.Output, ".html") || strings.HasSuffix(inv.Output, ".svg") {
		return diffFlame(ctx, a, l, bases, heads)
	}
	for _, side := range [][]*profile.Profile{bases, heads} {
		for i, p := range side {
			if side[i], err = report.Select(p, inv.Options, reportEnv(ctx, a, inv.Options)); err != nil {
				return err
			}
		}
	}
	d, err := report.NewDiff(ctx, bases, heads, inv.Options, report.Scaling{Normalize: inv.Normalize})
	if err != nil {
		return err
	}
	out := &shell.Outlet{Out: a.stdout, Err: a.stderr, Getenv: a.getenv}
	defer out.Close()
	return out.Deliver(ctx, "", inv.Output, func(_ context.Context, w io.Writer) error {
		switch {
		case inv.JSON:
			return d.WriteJSON(w)
		case f.csv:
			return d.WriteCSV(w)
		}
		return d.WriteText(w)
	})
}

// splitRuns splits sources at commas, except in URLs and profiles of runs.
func splitRuns(ctx context.Context, sources []string) []string {
	var runs []string
	for _, s := range sources {
		// The name of a benchmark may have commas in it.
		if found, _ := findRunSource(ctx, s); found != nil || strings.Contains(s, "://") {
			runs = append(runs, s)
			continue
		}
		for _, r := range strings.Split(s, ",") {
			if r != "" {
				runs = append(runs, r)
			}
		}
	}
	return runs
}

// diffFlame writes the flame graph of all runs of one side against the other's.
// Runs are added up, because the number of events distinguishes changes from noise. Values
// that describe a moment are averaged.
func diffFlame(ctx context.Context, a *app, l *opener, bases, heads []*profile.Profile) error {
	inv := l.inv
	base, err := profile.Sum(ctx, bases...)
	if err != nil {
		return err
	}
	head, err := profile.Sum(ctx, heads...)
	if err != nil {
		return err
	}
	if len(bases) != len(heads) {
		base = profile.Scale(base, float64(len(heads))/float64(len(bases))) // scaled to the number of heads
	}
	base, head = l.averaged(base, len(heads)), l.averaged(head, len(heads))
	f := flameFlags{normalize: inv.Normalize}
	if err := f.choose(inv); err != nil {
		return err
	}
	out := &shell.Outlet{Out: a.stdout, Err: a.stderr, ToScreen: isTerminal(a.stdout), Getenv: a.getenv}
	defer out.Close()
	return out.Deliver(ctx, "flame", inv.Output, func(_ context.Context, w io.Writer) error {
		return writeFlame(ctx, a, w, base, head, f, inv.Options)
	})
}
