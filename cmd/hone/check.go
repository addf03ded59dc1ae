package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/shell"
)

const checkHelp = `usage: hone check [flags] [RUN|FILE...]
       hone check -against REF [flags] [packages] [-args ...]

Evaluate the objectives in hone.toml against what was measured: the newest run,
or the run or benchmark files given, of which several are taken together. Prints
a line for each objective that is missed, and for each that is uncertain, which
fails nothing. doc/objectives.md describes the file, doc/ci.md a gate for CI.

  -base RUN|FILE  what budgets for regressions compare with. A run with -against
                  has its base; for others, budgets without a base are left out,
                  and said so
  -against REF    measure now, as hone bench -against does, and check that: takes
                  the flags of hone bench as well
  -config FILE    the objectives; hone.toml of this module by default
  -v              print objectives that are met as well
  -json           print all as JSON
  -dir DIR        where runs are kept; .hone/runs of this module by default

Metrics of profiles (share, total/op) need a run, which keeps profiles.

Exit codes: 0 no objective is missed, 3 some are, or could not be evaluated for
lack of data, 1 failure, 2 wrong usage.

Examples:

  hone bench && hone check
  hone check -against main ./...
  hone check -base latest~1
  hone check -base old.txt new.txt
`

func runCheck(ctx context.Context, a *app, args []string) error {
	f := newBenchFlags()
	flags := f.fs
	flags.Init("check", flag.ContinueOnError)
	base := flags.String("base", "", "")
	config := flags.String("config", "", "")
	verbose := flags.Bool("v", false, "")
	flags.StringVar(&f.Store, "dir", "", "")
	if err := f.parse(args); err != nil {
		return err
	}
	f.Command[1] = "check"
	if err := f.checkOnly(*base); err != nil {
		return err
	}
	objectives, file, err := readObjectives(*config)
	if err != nil {
		return err
	}
	rest, failures := f.Packages, 0
	if f.against != "" {
		f.useBudgets(objectives)
		for _, o := range objectives {
			if o.Profile != nil && slices.Contains(capture.ProfileKinds(), o.Profile.Kind) && !slices.Contains(f.Profiles, o.Profile.Kind) {
				f.Profiles = append(f.Profiles, o.Profile.Kind)
			}
		}
		report, err := a.measure(ctx, f)
		if err != nil {
			return err
		}
		rest, failures = []string{report.Dir}, len(report.Failures)
	} else if len(rest) == 0 {
		rest = []string{"latest"}
	}
	c, err := a.check(f.Store, objectives, *base, rest)
	if err != nil {
		return err
	}
	c.File = file
	if f.json {
		err = c.writeJSON(a.stdout)
	} else {
		err = c.writeText(a, *verbose)
	}
	switch {
	case err != nil:
		return err
	case c.failed() > 0:
		return errMissed
	case failures > 0:
		return fmt.Errorf("%d of the benchmarks or packages could not be measured", failures)
	}
	return nil
}

// checkOnly refuses what makes no sense with -against, or without.
func (f *benchFlags) checkOnly(base string) error {
	usage := func(text string) error { return &shell.UsageError{Verb: "check", Err: errors.New(text)} }
	if f.against != "" {
		if base != "" {
			return usage("-against measures its own base: leave out -base")
		}
		return nil
	}
	var err error
	own := []string{"base", "config", "v", "json", "dir", "o"}
	f.fs.Visit(func(g *flag.Flag) {
		if err == nil && !slices.Contains(own, g.Name) {
			err = usage("-" + g.Name + " is for measuring: with -against REF")
		}
	})
	return err
}

// readObjectives reads the file with objectives, by default that of the module.
func readObjectives(file string) ([]experiment.Objective, string, error) {
	given := file != ""
	if !given {
		file = filepath.Join(moduleDir(), experiment.ObjectivesFile)
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !given {
		return nil, "", fmt.Errorf("no %s in this module: doc/objectives.md tells what to write into it, -config FILE names another", experiment.ObjectivesFile)
	} else if err != nil {
		return nil, "", err
	}
	objectives, err := experiment.ParseObjectives(file, text)
	if err != nil {
		return nil, "", errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if len(objectives) == 0 {
		return nil, "", fmt.Errorf("%s has no [[objective]]", file)
	}
	return objectives, file, nil
}

// A checked is what came of objectives.
type checked struct {
	File     string
	Of, Base string // what was checked, and what budgets were compared with
	Outcomes []experiment.Outcome
	Warnings []string
}

// check evaluates objectives against runs or files.
func (a *app) check(root string, objectives []experiment.Objective, base string, args []string) (*checked, error) {
	inputs, units, err := a.readInputs(root, args)
	if err != nil {
		return nil, err
	}
	head, own := inputs[0], (*input)(nil)
	c := &checked{}
	if len(inputs) == 2 && inputs[0].run != nil && inputs[0].run == inputs[1].run && len(args) == 1 {
		own, head = inputs[0], inputs[1]
		c.Of, c.Base = head.run.ID, own.Label
	} else {
		var labels []string
		for _, in := range inputs {
			labels = append(labels, in.Label)
			if in.run != nil && len(inputs) > 1 {
				return nil, &shell.UsageError{Verb: "check", Err: errors.New("one run at a time: several arguments are files with the results of one measurement")}
			}
			if in != head {
				head.Results = append(head.Results, in.Results...)
				head.warnings = append(head.warnings, in.warnings...)
			}
		}
		c.Of = strings.Join(labels, ", ")
	}
	against := own
	if base != "" {
		given, more, err := a.readInputs(root, []string{base})
		if err != nil {
			return nil, fmt.Errorf("-base: %w", err)
		}
		against = given[len(given)-1] // of a run with two sides what it measured
		c.Base = against.Label
		if against.run != nil && len(given) > 1 {
			c.Base = against.run.ID
		}
		for k, v := range more {
			if units[k] == nil {
				units[k] = v
			}
		}
		c.Warnings = append(c.Warnings, against.warnings...)
		c.Warnings = append(c.Warnings, differentMachines(against, head)...)
	}
	c.Warnings = append(c.Warnings, head.warnings...)

	var family *experiment.Family
	if against != nil {
		opts := experiment.DefaultOptions()
		opts.Units, opts.Budget, opts.Gated = units, experiment.BudgetOf(objectives), experiment.GatedBy(objectives)
		if family, err = compareSides(against, head, opts); err != nil {
			return nil, err
		}
	} else if n := budgets(objectives); n > 0 {
		what := "1 budget is"
		if n > 1 {
			what = fmt.Sprintf("%d budgets are", n)
		}
		c.Warnings = append(c.Warnings, what+" not checked: there is nothing to compare with; measure with hone bench -against REF, or name a run or file with -base")
	}
	c.Outcomes = experiment.Evaluate(objectives, experiment.SeriesApart(nil, head.Results), family, newRunValues(head))
	c.Warnings = compacted(c.Warnings)
	return c, nil
}

func budgets(objectives []experiment.Objective) int {
	n := 0
	for _, o := range objectives {
		if o.Budget != nil {
			n++
		}
	}
	return n
}

func (c *checked) failed() int {
	n := 0
	for _, o := range c.Outcomes {
		if o.Status.Fails() {
			n++
		}
	}
	return n
}

// writeText prints a line for each miss, and one that sums up.
func (c *checked) writeText(a *app, all bool) error {
	for _, w := range c.Warnings {
		a.warn(oneWord(w))
	}
	var b bytes.Buffer
	count := make(map[experiment.Status]int)
	for _, o := range c.Outcomes {
		count[o.Status]++
		text, place := oneWord(o.Text), o.Objective.Pos.String()
		if !strings.Contains(text, place) {
			text += " (" + place + ")"
		}
		switch {
		case o.Status.Fails():
			fmt.Fprintf(&b, "FAIL %s\n", text)
		case o.Status == experiment.Uncertain:
			fmt.Fprintf(&b, "  ?  %s\n", text)
		case all:
			fmt.Fprintf(&b, " ok  %s\n", text)
		}
	}
	var parts []string
	for _, s := range []experiment.Status{experiment.Missed, experiment.NoData, experiment.Uncertain, experiment.Met} {
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
	fmt.Fprintf(&b, "%s: %s\n", oneWord(of), strings.Join(parts, ", "))
	_, err := a.stdout.Write(b.Bytes())
	return err
}
