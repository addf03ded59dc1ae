package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/shell"
)

const checkHelp = `usage: hone check [flags] [RUN|FILE...]
       hone check -against REF [flags] [packages] [-args ...]

Check measurements against the objectives in hone.toml, as a gate for CI.

Examples:

  hone bench && hone check
  hone check -against main ./...
  hone check -base old.txt new.txt

Flags:

  -against REF    measure first, like hone bench -against REF, and check the result too;
                  accepts the flags of hone bench
  -base RUN|FILE  what budgets compare with. Runs with -against have their own base;
                  for other runs, budgets without a base are skipped, with a warning
  -config FILE    the objectives (hone.toml of this module)
  -dir DIR        where runs are kept (.hone/runs of this module)
  -v              also print objectives that are met
  -json           print everything as JSON

Exit codes: 0 no objective is missed; 1 failure, or something could not be measured;
2 wrong usage; 3 an objective is missed, or with -against there is a regression.

Without RUN or FILE, the newest run is checked. Several files are combined. One line is
printed per missed objective, and per uncertain one, which doesn't fail the check.
These count as not measured: a benchmark that only the base has, a package or test
that failed, truncated output, and an objective that matches nothing. Metrics of
profiles (share, total/op) need a run. doc/objectives.md describes hone.toml, and
doc/ci.md how to use the gate.
`

func runCheck(ctx context.Context, a *app, args []string) error {
	f := newBenchFlags()
	flags := f.fs
	flags.Init("check", flag.ContinueOnError)
	base := flags.String("base", "", "")
	config := flags.String("config", "", "")
	flags.StringVar(&f.Store, "dir", "", "")
	if err := f.parse(args); err != nil {
		return err
	}
	f.Command[1] = "check"
	if err := f.checkOnly(*base); err != nil {
		return err
	}
	objectives, file, err := objective.Read(ctx, moduleDir(), *config)
	if err != nil {
		return err
	}
	rest := f.Packages
	var told []string // warnings already printed while measuring
	var regressions []experiment.Comparison
	if f.against != "" {
		f.useBudgets(objectives)
		for _, o := range objectives {
			if o.Profile != nil && slices.Contains(bench.ProfileKinds(), o.Profile.Kind) && !slices.Contains(f.Profiles, o.Profile.Kind) {
				f.Profiles = append(f.Profiles, o.Profile.Kind)
			}
		}
		report, err := measureBenchmarks(ctx, a, f)
		if err != nil {
			return err
		}
		rest, told = []string{report.Dir}, report.Warnings
		if report.Family != nil {
			regressions = report.Family.Regressions()
		}
	} else if len(rest) == 0 {
		rest = []string{"latest"}
	}
	names := []*string{base}
	for i := range rest {
		names = append(names, &rest[i])
	}
	for _, name := range names {
		var skipped []string
		if *name, skipped, err = compare.Newest(ctx, f.Store, *name); err != nil {
			return err
		}
		a.warnAll(skipped)
	}
	inputs, err := compare.Read(ctx, f.Store, a.stdin, rest)
	if err != nil {
		return explainRevisions(ctx, "check", rest, err)
	}
	c, err := inputs.Check(ctx, objectives, *base)
	switch {
	case errors.Is(err, compare.ErrSeveralRuns):
		return &shell.UsageError{Verb: "check", Err: err}
	case err != nil:
		return explainRevisions(ctx, "check", []string{*base}, err)
	}
	regressions = c.Unreported(regressions)
	if f.json {
		err = writeJSON(a.stdout, checkedValues(c, regressions, file))
	} else {
		err = tellChecked(a, c, regressions, f.verbose, told)
	}
	if err != nil {
		return err
	}
	missed, unmeasured := c.Gate()
	return gateError(missed+len(regressions) > 0, unmeasured)
}

// checkOnly refuses flags that don't fit with -against, or without it.
func (f *benchFlags) checkOnly(base string) error {
	usage := func(text string) error { return &shell.UsageError{Verb: "check", Err: errors.New(text)} }
	if f.against != "" {
		if base != "" {
			return usage("-base can't be combined with -against, which measures its own base")
		}
		return nil
	}
	var err error
	own := []string{"base", "config", "v", "json", "dir", "o"}
	f.fs.Visit(func(g *flag.Flag) {
		if err == nil && !slices.Contains(own, g.Name) {
			err = usage("-" + g.Name + " needs -against REF")
		}
	})
	return err
}

// tellChecked prints a line for each missed objective, with all for the others too, one for
// each regression, and a summary. It doesn't repeat the warnings in told.
func tellChecked(a *app, c *compare.Checked, regressions []experiment.Comparison, all bool, told []string) error {
	for _, w := range c.Warnings {
		if !slices.Contains(told, w) {
			a.warn(compare.Printable(w))
		}
	}
	var b bytes.Buffer
	count := make(map[objective.Status]int)
	for _, o := range c.Outcomes {
		count[o.Status]++
		text, place := compare.Printable(o.Text), o.Objective.Pos.String()
		if !strings.Contains(text, place) {
			text += " (" + place + ")"
		}
		switch {
		case o.Status.Fails():
			fmt.Fprintf(&b, "FAIL %s\n", text)
		case o.Status == objective.Uncertain:
			fmt.Fprintf(&b, "  ?  %s\n", text)
		case all:
			fmt.Fprintf(&b, " ok  %s\n", text)
		}
	}
	for _, u := range c.Unmeasured {
		fmt.Fprintf(&b, "FAIL %s\n", compare.Printable(u.String()))
	}
	tellRegressions(&b, regressions)
	var parts []string
	if n := len(regressions); n > 0 {
		parts = append(parts, compare.Counted(n, "regression"))
	}
	if n := len(c.Unmeasured); n > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", n))
	}
	for _, s := range []objective.Status{objective.Missed, objective.NoData, objective.Uncertain, objective.Met} {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing checked"}
	}
	of := c.Of
	if c.Base != "" {
		of += " against " + c.Base
	}
	fmt.Fprintf(&b, "%s: %s\n", compare.Printable(of), strings.Join(parts, ", "))
	_, err := a.stdout.Write(b.Bytes())
	return err
}
