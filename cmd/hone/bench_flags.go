package main

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/shell"
)

// testNames are the values of -tests, in the order of bench.TestFiles.
var testNames = []string{"head", "base", "each"}

// layoutNames are the values of -layouts, in the order of bench.Layouts.
var layoutNames = []string{"auto", "all", "none"}

// benchFlags are the flags of hone bench.
type benchFlags struct {
	bench.Bench
	against  string
	function string // to write a benchmark for
	profile  string
	cpu, pin string
	layouts  string
	tests    string
	json     bool
	verbose  bool
	fs       *flag.FlagSet
}

func newBenchFlags() *benchFlags {
	f := &benchFlags{fs: newFlags("bench")}
	fs := f.fs
	fs.StringVar(&f.Pattern, "bench", ".", "")
	fs.StringVar(&f.Tests, "run", "", "")
	fs.IntVar(&f.Count, "count", 0, "")
	fs.Func("benchtime", "", func(s string) (err error) { f.Benchtime, err = parseBenchTime(s); return err })
	fs.StringVar(&f.cpu, "cpu", "", "")
	fs.DurationVar(&f.Timeout, "timeout", 0, "")
	fs.Bool("benchmem", true, "")
	fs.BoolFunc("short", "", func(string) error { f.Args = append(f.Args, "-test.short"); return nil })
	buildFlags(fs, &f.BuildFlags, "vet", "tags", "gcflags", "ldflags", "asmflags", "mod", "modfile", "overlay", "pgo", "p")
	for _, name := range []string{"race", "msan", "asan"} {
		fs.BoolFunc(name, "", func(v string) error { f.BuildFlags = append(f.BuildFlags, "-"+name+"="+v); return nil })
	}
	fs.StringVar(&f.against, "against", "", "")
	fs.StringVar(&f.function, "new", "", "")
	fs.DurationVar(&f.For, "for", 0, "")
	fs.DurationVar(&f.Wait, "wait", 0, "")
	fs.StringVar(&f.profile, "profile", "cpu,mem", "")
	fs.DurationVar(&f.ProfileTime, "profiletime", 0, "")
	fs.IntVar(&f.PreCheck, "precheck", bench.DefaultPreCheck, "")
	fs.StringVar(&f.tests, "tests", "head", "")
	fs.StringVar(&f.layouts, "layouts", "auto", "")
	fs.StringVar(&f.pin, "pin", "", "")
	fs.BoolVar(&f.MeasureUnchanged, "measure-unchanged", false, "")
	fs.StringVar(&f.Store, "o", "", "")
	fs.BoolVar(&f.json, "json", false, "")
	fs.BoolVar(&f.verbose, "v", false, "")
	return f
}

func (f *benchFlags) parse(args []string) (err error) {
	f.Command = append([]string{"hone", "bench"}, args...)
	var last []string
	if i := slices.IndexFunc(args, func(a string) bool { return a == "-args" || a == "--args" }); i >= 0 {
		args, last = args[:i], args[i+1:]
	}
	if f.Packages, err = parseArgs(f.fs, args); err != nil {
		return err
	}
	f.Args = append(f.Args, last...)
	given := make(map[string]bool)
	f.fs.Visit(func(g *flag.Flag) { given[g.Name] = true })
	usage := func(format string, args ...any) error {
		return &shell.UsageError{Verb: f.fs.Name(), Err: fmt.Errorf(format, args...)}
	}
	switch {
	case given["count"] && f.Count < 1:
		return usage("invalid -count %d: use at least 1", f.Count)
	case given["timeout"] && f.Timeout <= 0, given["profiletime"] && f.ProfileTime <= 0:
		return usage("-timeout and -profiletime must be above 0")
	case given["for"] && f.For <= 0:
		return usage("invalid -for %v: use a time above 0, such as 3m", f.For)
	case f.Wait < 0:
		return usage("invalid -wait %v: use 0 or more", f.Wait)
	case given["for"] && given["count"]:
		return usage("-for and -count can't be combined: give the time or the number of samples")
	case given["for"] && f.against == "":
		return usage("-for needs -against REF")
	case !slices.Contains(layoutNames, f.layouts):
		return usage("invalid -layouts %q: use %s", f.layouts, strings.Join(layoutNames, ", "))
	case !slices.Contains(testNames, f.tests):
		return usage("invalid -tests %q: use %s", f.tests, strings.Join(testNames, ", "))
	case given["tests"] && f.against == "":
		return usage("-tests needs -against REF")
	case given["layouts"] && f.against == "":
		return usage("-layouts needs -against REF")
	case f.PreCheck < 0:
		return usage("invalid -precheck %d: use 0 or more", f.PreCheck)
	case given["against"] && f.against == "":
		return usage("-against is empty: give a branch, tag or commit")
	case given["precheck"] && f.against == "":
		return usage("-precheck needs -against REF")
	case given["measure-unchanged"] && f.against == "":
		return usage("-measure-unchanged needs -against REF")
	}
	if f.PreCheck == 0 {
		f.PreCheck = -1
	}
	if given["wait"] && f.Wait == 0 {
		f.Wait = -1
	}
	if f.CPU, err = parseNumbers(f.cpu, 1); err != nil {
		return usage("-cpu: %w", err)
	}
	f.Layouts = bench.Layouts(slices.Index(layoutNames, f.layouts))
	f.TestFiles = bench.TestFiles(slices.Index(testNames, f.tests))
	if f.Pin, err = parseNumbers(f.pin, 0); err != nil {
		return usage("-pin: %w", err)
	}
	if f.profile != "none" && f.profile != "" {
		for _, kind := range strings.Split(f.profile, ",") {
			if !slices.Contains(bench.ProfileKinds(), kind) {
				return usage("invalid -profile %q: use %s, separated by commas, or none", f.profile, strings.Join(bench.ProfileKinds(), ", "))
			}
			if !slices.Contains(f.Profiles, kind) {
				f.Profiles = append(f.Profiles, kind)
			}
		}
	}
	f.ProfileAll = given["profile"]
	f.Store = cmp.Or(f.Store, runsRoot())
	return nil
}

// useBudgets takes budgets from objectives. If they have bounds too, hone check will
// need numbers and profiles of unchanged benchmarks as well.
func (f *benchFlags) useBudgets(objectives []objective.Objective) {
	f.Budget, f.Gated = objective.BudgetOf(objectives), objective.GatedBy(objectives)
	for _, o := range objectives {
		f.MeasureUnchanged = f.MeasureUnchanged || o.Max != nil || o.Min != nil
		f.ProfileAll = f.ProfileAll || o.Profile != nil
	}
}
