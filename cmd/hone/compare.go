package main

import (
	"bytes"
	"context"
	"errors"

	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/shell"
	"golang.org/x/perf/benchfmt"
)

const compareHelp = `usage: hone compare [flags] RUN|FILE...

Compare what was measured: the first with each of the others. Arguments are runs
that were kept (see hone help runs) and files in the Go benchmark format, of any
origin; - is standard input, and LABEL=FILE gives a column another name.

A single run with -against compares its own two sides, pair by pair as they were
measured. Other runs and files are taken as measured apart. RUN:base is the side
that a run with -against compared with; otherwise RUN is its head.

The table is that of benchstat. Below it, where runs have profiles, stands for
each benchmark that changed which functions moved it.

  -csv            the table with a line for each benchmark, unit and column
  -json           everything, for programs
  -markdown       for a pull request: the verdict first, then what changed
  -html           a page that needs nothing else, with flame graphs
  -o FILE         where to write; FILE.csv, .json, .md or .html implies the format
  -dir DIR        where runs are kept; .hone/runs of this module by default

A change counts if it can be told from noise with the number of benchmarks taken
into account, and a worsening only beyond its budget in this module's hone.toml.
Runs measured apart also differ by what else changed in between.

Examples:

  hone compare latest
  hone compare latest~1 latest
  hone compare old.txt new.txt
  hone compare -o report.html latest
  hone compare -markdown old=main.txt new=branch.txt
`

func runCompare(ctx context.Context, a *app, args []string) error {
	fs := newFlags("compare")
	formats := make(map[string]*bool)
	for _, name := range []string{"csv", "json", "markdown", "html"} {
		formats[name] = fs.Bool(name, false, "")
	}
	output := fs.String("o", "", "")
	root := fs.String("dir", "", "")
	rest, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	format, err := compareFormat(formats, *output)
	if err != nil {
		return &shell.UsageError{Verb: "compare", Err: err}
	}
	if len(rest) == 0 {
		return &shell.UsageError{Verb: "compare", Err: errors.New("no runs or files to compare; the newest run with -against is compared by: hone compare latest")}
	}
	if format == "html" && *output == "" && isTerminal(a.stdout) {
		return &shell.UsageError{Verb: "compare", Err: errors.New("-html writes a page: say where with -o FILE")}
	}
	if *root == "" {
		*root = runsRoot()
	}
	c, err := a.compareRuns(ctx, *root, rest, format == "html")
	if err != nil {
		return err
	}
	out := &shell.Outlet{Out: a.stdout, Err: a.stderr, Getenv: a.getenv}
	defer out.Close()
	write := map[string]func(io.Writer) error{
		"text": c.writeText, "csv": c.writeCSV, "json": c.writeJSON, "markdown": c.writeMarkdown, "html": c.writeHTML,
	}[format]
	if format == "text" || format == "csv" {
		for _, w := range c.Warnings {
			a.warn(oneWord(w))
		}
	}
	return out.Deliver(ctx, "", *output, func(_ context.Context, w io.Writer) error { return write(w) })
}

// compareRuns compares runs and files with the budgets of this module's
// objectives, and says what moved those that changed. With keep, profiles are
// kept for flame graphs.
func (a *app) compareRuns(ctx context.Context, root string, args []string, keep bool) (*comparison, error) {
	inputs, units, err := a.readInputs(root, args)
	if err != nil {
		return nil, err
	}
	objectives, _, err := readObjectives("")
	if err != nil {
		objectives = nil // none, or what hone check tells of
	}
	c, err := newBudgetComparison(inputs, units, objectives)
	if err != nil {
		return nil, err
	}
	return c, c.explain(ctx, keep)
}

// compareFormat returns the one format asked for, by a flag or the ending of the
// output's name.
func compareFormat(flags map[string]*bool, output string) (string, error) {
	var asked []string
	for _, name := range []string{"csv", "json", "markdown", "html"} {
		if *flags[name] {
			asked = append(asked, name)
		}
	}
	switch {
	case len(asked) > 1:
		return "", fmt.Errorf("-%s and -%s exclude each other", asked[0], asked[1])
	case len(asked) == 1:
		return asked[0], nil
	}
	switch strings.ToLower(filepath.Ext(output)) {
	case ".csv":
		return "csv", nil
	case ".json":
		return "json", nil
	case ".md", ".markdown":
		return "markdown", nil
	case ".html", ".htm":
		return "html", nil
	}
	return "text", nil
}

// An input is one side of a comparison.
type input struct {
	experiment.Column
	run      *experiment.Run // nil for files
	side     experiment.Side // of run
	explicit bool            // the label was given
	warnings []string
}

// readInputs reads the arguments of compare and check.
func (a *app) readInputs(root string, args []string) ([]*input, benchfmt.UnitMetadataMap, error) {
	units := make(benchfmt.UnitMetadataMap)
	var inputs []*input
	add := func(in *input) {
		if in.explicit { // as benchstat does: columns of one label are one column
			for _, other := range inputs {
				if other.explicit && other.Label == in.Label && other.run == nil && in.run == nil {
					other.Results = append(other.Results, in.Results...)
					other.warnings = append(other.warnings, in.warnings...)
					return
				}
			}
		}
		inputs = append(inputs, in)
	}
	for _, arg := range args {
		in, err := a.readInput(root, arg, len(args) == 1, units)
		if err != nil {
			return nil, nil, err
		}
		for _, in := range in {
			add(in)
		}
	}
	numberEqual(inputs)
	return inputs, units, nil
}

// numberEqual tells apart columns that would be called the same, as benchstat
// does: a.txt#0, a.txt#1.
func numberEqual(inputs []*input) {
	count, next := make(map[string]int), make(map[string]int)
	for _, in := range inputs {
		if !in.explicit {
			count[in.Label]++
		}
	}
	for _, in := range inputs {
		if l := in.Label; !in.explicit && count[l] > 1 {
			in.Label = fmt.Sprintf("%s#%d", l, next[l])
			next[l]++
		}
	}
}

// readInput reads an argument: a file, or a run, which gives both of its sides
// if it is alone and has two.
func (a *app) readInput(root, arg string, alone bool, units benchfmt.UnitMetadataMap) ([]*input, error) {
	name, label := arg, arg
	explicit := false
	if !exists(arg) && arg != "-" {
		if l, rest, ok := strings.Cut(arg, "="); ok {
			label, name, explicit = l, rest, true
		}
	}
	run, side, both, err := openRun(root, name)
	if err != nil {
		return nil, err
	}
	if run == nil {
		in := &input{explicit: explicit}
		r := a.stdin
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			r = f
		}
		in.Column, in.warnings, err = experiment.ReadColumn(label, name, r, units)
		if err != nil {
			return nil, err
		}
		if len(in.Results) == 0 {
			why := ": no benchmark results in it"
			if len(in.warnings) > 0 {
				why += "; " + in.warnings[0]
			}
			return nil, errors.New(name + why)
		}
		return []*input{in}, nil
	}
	for k, v := range run.Units() {
		if units[k] == nil {
			units[k] = v
		}
	}
	of := func(side experiment.Side, label string) *input {
		in := &input{run: run, side: side, explicit: explicit}
		in.Column = run.Column(label, side)
		in.warnings = append(in.warnings, run.Warnings...)
		for _, p := range run.Problems {
			in.warnings = append(in.warnings, fmt.Sprintf("run %s is partial: %s", run.ID, p))
		}
		if run.State == experiment.Partial && len(run.Problems) == 0 {
			in.warnings = append(in.warnings, fmt.Sprintf("run %s was not measured to its end", run.ID))
		}
		return in
	}
	if alone && both && run.Base != nil {
		sides := []*input{of(experiment.Base, sideLabel(*run.Base, "base")), of(experiment.Head, sideLabel(run.Head, "head"))}
		sides[0].warnings = nil // those of the run, which head has as well
		return sides, nil
	}
	if !explicit {
		label = run.ID
		if side == experiment.Base {
			label += ":base"
		}
	}
	in := of(side, label)
	if len(in.Results) == 0 {
		return nil, fmt.Errorf("run %s has no results of its side %s", run.ID, side)
	}
	return []*input{in}, nil
}

func sideLabel(r experiment.Revision, fallback string) string {
	if text := revision(r); text != "-" {
		return text
	}
	return fallback
}

// openRun opens the run that an argument names, nil if it is none. both says
// that no side of it was named.
func openRun(root, arg string) (run *experiment.Run, side experiment.Side, both bool, err error) {
	side, both = experiment.Head, true
	if arg == "-" || exists(arg) && !isDir(arg) {
		return nil, side, both, nil
	}
	name := arg
	for _, s := range []experiment.Side{experiment.Base, experiment.Head} {
		if n, ok := strings.CutSuffix(arg, ":"+s.String()); ok && !exists(arg) {
			name, side, both = n, s, false
		}
	}
	dir, err := experiment.Resolve(root, name)
	if err != nil {
		if likeRun.MatchString(name) || isDir(name) || !strings.ContainsAny(name, "./\\") {
			return nil, side, both, err
		}
		return nil, side, both, nil // a file that is not there
	}
	run, err = experiment.Open(dir)
	if err == nil && !both && run.Base == nil && side == experiment.Base {
		err = fmt.Errorf("run %s has no base: it was not measured with -against", run.ID)
	}
	return run, side, both, err
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// A comparison is what hone compare tells, in whatever format.
type comparison struct {
	inputs   []*input
	Tables   []experiment.Table
	Families []*sides // the first input with each of the others
	Notes    []string // of the runs
	Warnings []string
}

// sides is a comparison of two inputs.
type sides struct {
	base, head *input
	*experiment.Family
	explained []*explanation
}

func newComparison(inputs []*input, units benchfmt.UnitMetadataMap) (*comparison, error) {
	return newBudgetComparison(inputs, units, nil)
}

// newBudgetComparison compares with the budgets of objectives, as the run was
// compared when it was measured.
func newBudgetComparison(inputs []*input, units benchfmt.UnitMetadataMap, objectives []experiment.Objective) (*comparison, error) {
	c := &comparison{inputs: inputs}
	var columns []experiment.Column
	results := 0
	for _, in := range inputs {
		columns = append(columns, in.Column)
		results += len(in.Results)
		c.Warnings = append(c.Warnings, in.warnings...)
		if in.run != nil {
			c.Notes = append(c.Notes, in.run.Notes...)
		}
	}
	c.Notes = compacted(c.Notes)
	if results == 0 {
		// A run with -against measures nothing where nothing changed, which its
		// notes say.
		c.Warnings = compacted(c.Warnings)
		return c, nil
	}
	var err error
	if c.Tables, err = experiment.Tabulate(columns, units); err != nil {
		return nil, err
	}
	base := inputs[0]
	for _, head := range inputs[1:] {
		opts := experiment.DefaultOptions()
		opts.Units = units
		if len(objectives) > 0 {
			opts.Budget, opts.Gated = experiment.BudgetOf(objectives), experiment.GatedBy(objectives)
		}
		s := &sides{base: base, head: head}
		if s.Family, err = compareSides(base, head, opts); err != nil {
			return nil, err
		}
		c.Families = append(c.Families, s)
		c.Warnings = append(c.Warnings, s.warnings()...)
	}
	c.Warnings = compacted(c.Warnings)
	return c, nil
}

// compareSides compares pair by pair what was measured so.
func compareSides(base, head *input, opts experiment.Options) (*experiment.Family, error) {
	if base.run != nil && base.run == head.run {
		opts.Looks = base.run.Looks()
		return base.run.Compare(opts)
	}
	return experiment.CompareApart(base.Results, head.Results, opts)
}

// compacted returns the strings without repetitions.
func compacted(all []string) []string {
	var some []string
	for _, s := range all {
		if !slices.Contains(some, s) {
			some = append(some, s)
		}
	}
	return some
}

// warnings says what of two sides can't be compared, each thing once and not
// for each unit.
func (s *sides) warnings() []string {
	var w []string
	w = append(w, differentMachines(s.base, s.head)...)
	type benchmark struct{ pkg, name string }
	type state struct {
		units [2][]string // which only that side has
		both  bool
	}
	var order []benchmark
	all := make(map[benchmark]*state)
	single := 0
	for i := range s.Comparisons {
		c := &s.Comparisons[i]
		b := benchmark{c.Package, c.Benchmark}
		if all[b] == nil {
			all[b] = new(state)
			order = append(order, b)
		}
		base, head := len(c.Values(experiment.Base)), len(c.Values(experiment.Head))
		switch {
		case head == 0:
			all[b].units[0] = append(all[b].units[0], c.Unit)
		case base == 0:
			all[b].units[1] = append(all[b].units[1], c.Unit)
		default:
			all[b].both = true
			if base == 1 || head == 1 {
				single++
			}
		}
	}
	var only [2][]string
	for _, b := range order {
		st := all[b]
		name := b.name
		if b.pkg != "" {
			name = b.pkg + "." + name
		}
		for side := range only {
			switch u := st.units[side]; {
			case len(u) == 0:
			case len(st.units[1-side]) > 0 && side == 0:
				w = append(w, fmt.Sprintf("%s: units differ: %s in %s, %s in %s; these are not compared",
					name, strings.Join(u, ", "), s.base.Label, strings.Join(st.units[1], ", "), s.head.Label))
			case len(st.units[1-side]) > 0:
			case st.both:
				w = append(w, fmt.Sprintf("%s: %s was measured in %s only", name, strings.Join(u, ", "), []*input{s.base, s.head}[side].Label))
			default:
				only[side] = append(only[side], name)
			}
		}
	}
	for side, names := range only {
		if len(names) == 0 {
			continue
		}
		more := ""
		if len(names) > 5 {
			names, more = names[:5], fmt.Sprintf(" and %d more", len(names)-5)
		}
		w = append(w, fmt.Sprintf("only in %s: %s%s", []*input{s.base, s.head}[side].Label, strings.Join(names, ", "), more))
	}
	if cpus := otherCPUCount(only); cpus != "" {
		w = append(w, cpus)
	}
	if single > 0 {
		w = append(w, "with a single sample nothing can be told from noise: measure with -count 10")
	}
	return w
}

// otherCPUCount explains sets of benchmarks that differ in the number behind
// their names alone.
func otherCPUCount(only [2][]string) string {
	for _, b := range only[0] {
		for _, h := range only[1] {
			i, j := strings.LastIndexByte(b, '-'), strings.LastIndexByte(h, '-')
			if i > 0 && j > 0 && b[:i] == h[:j] {
				return fmt.Sprintf("%s and %s have different numbers of CPUs, so they are not compared; -cpu sets it", b, h)
			}
		}
	}
	return ""
}

// differentMachines says in what the environments of two runs differ.
func differentMachines(base, head *input) []string {
	if base.run == nil || head.run == nil || base.run == head.run {
		return nil
	}
	b, h := base.run.Environment, head.run.Environment
	var w []string
	for _, f := range []struct{ what, base, head string }{
		{"CPU", b.CPU, h.CPU}, {"operating system", b.GOOS, h.GOOS}, {"architecture", b.GOARCH, h.GOARCH},
		{"Go version", b.Go, h.Go}, {"GOGC", b.GOGC, h.GOGC}, {"GOMEMLIMIT", b.GOMEMLIMIT, h.GOMEMLIMIT},
		{"GODEBUG", b.GODEBUG, h.GODEBUG}, {"GOFLAGS", b.GOFLAGS, h.GOFLAGS}, {"CPU governor", b.Governor, h.Governor},
	} {
		if f.base != f.head {
			w = append(w, fmt.Sprintf("%s and %s were measured with another %s: %s, %s", base.Label, head.Label, f.what, orNone(f.base), orNone(f.head)))
		}
	}
	return w
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

const nothingMeasured = "nothing was measured"

// writeText prints benchstat's table, and below it, for runs, what hone knows
// beyond it.
func (c *comparison) writeText(w io.Writer) error {
	var b bytes.Buffer
	if err := experiment.WriteTables(&b, c.Tables); err != nil {
		return err
	}
	if len(c.Tables) == 0 {
		fmt.Fprintf(&b, "%s\n", nothingMeasured)
		for _, n := range c.Notes {
			fmt.Fprintf(&b, "%s\n", oneWord(n))
		}
	}
	for _, s := range c.Families {
		s.writeVerdicts(&b)
		for _, e := range s.explained {
			fmt.Fprintf(&b, "\n%s\n", e.title())
			e.writeText(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
