package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/rules"
	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/testprofile"
	"github.com/hone-go/hone/internal/tune"
	"github.com/hone-go/hone/profile"
)

const adviseHelp = `usage: hone advise [flags] [RUN|SOURCE...]
       hone advise [flags] [-tests] PACKAGES...
       hone advise [flags] -service NAME
       hone advise -gen [-write] PACKAGES...
       hone advise -explain RULE

Suggest changes to hot lines: what each line costs, how much a change can gain, and why.

Examples:

  hone advise ./...
  hone advise latest
  hone advise -service checkout -last 24h
  hone advise -gen ./... | git apply

Flags for all profiles:

  -min SHARE      skip lines with less of the time or memory (0.01)
  -hot SHARE      report lines without a known pattern from this share on (0.03)
  -all            report everything: also findings that gain less than 1 %, several per
                  line, and all hot lines, not one each of the 5 hottest functions
  -counts         count how often hot lines of benchmarks run: builds and runs them once more
  -compiler=false don't recompile hot packages to get the compiler's diagnostics
  -format F       text, json, sarif for code scanning, github for annotations of a pull
                  request, or markdown for a job's summary (text)
  -json           same as -format json
  -explain RULE   explain a rule, also by a finding's id; without a name, list all rules

Flags for packages, whose benchmarks are profiled first:

  -bench RE       benchmarks to profile (all)
  -profiletime T  time per profile (2s)
  -tests          profile the tests instead, for packages without benchmarks
  -tags LIST, -vet LIST
                  as in hone bench

` + genHelp + `
Flags for services, whose profiles hone serve has collected:

  -service NAME   a service, or a selector: '{service="x", version="2"}'
  -last T         how far to look back, such as 24h or 7d (1h)
` + serverHelp + `
Exit codes: 0 success, 1 failure, 2 wrong usage.

Without arguments, the newest run is used. hone matches the profiles with the source of
the module in the current folder. ^C during a measurement gives advice on the benchmarks
profiled so far.

Findings have classes. A: the rewrite behaves the same for every input. B: review the
rewrite. C: advice only. look: facts about a hot line that no rule knows a pattern for;
they promise no gain. Findings overlap, so their gains don't add up. "hone fix" applies
one rewrite and proves it; "hone tune" tries them all.
`

// adviseFlags are the flags of hone advise.
type adviseFlags struct {
	fs       *flag.FlagSet
	min      float64
	hot      float64
	all      bool
	counts   bool
	tests    bool
	bench    bench.Bench
	service  string
	last     string
	server   serverFlags
	explain  bool
	compiler bool
	format   string
	json     bool
	gen      genFlags
}

func newAdviseFlags() *adviseFlags {
	f := &adviseFlags{fs: newFlags("advise")}
	fs := f.fs
	fs.Float64Var(&f.min, "min", advice.DefaultMinShare, "")
	fs.Float64Var(&f.hot, "hot", advice.DefaultMinHotLine, "")
	fs.BoolVar(&f.all, "all", false, "")
	fs.BoolVar(&f.counts, "counts", false, "")
	fs.BoolVar(&f.tests, "tests", false, "")
	f.gen.define(fs)
	fs.StringVar(&f.bench.Pattern, "bench", ".", "")
	fs.DurationVar(&f.bench.ProfileTime, "profiletime", 0, "")
	buildFlags(fs, &f.bench.BuildFlags, "tags", "vet")
	fs.StringVar(&f.service, "service", "", "")
	fs.StringVar(&f.last, "last", "1h", "")
	f.server.define(fs)
	fs.BoolVar(&f.explain, "explain", false, "")
	fs.BoolVar(&f.compiler, "compiler", true, "")
	fs.StringVar(&f.format, "format", "text", "")
	fs.BoolVar(&f.json, "json", false, "")
	return f
}

// adviceFormats are the values of -format of hone advise.
var adviceFormats = []string{"text", "json", "sarif", "github", "markdown"}

func runAdvise(ctx context.Context, a *app, args []string) error {
	f := newAdviseFlags()
	rest, err := parseArgs(f.fs, args)
	if err != nil {
		return err
	}
	usage := func(format string, args ...any) error {
		return &shell.UsageError{Verb: "advise", Err: fmt.Errorf(format, args...)}
	}
	if f.json {
		f.format = "json"
	}
	switch {
	case !slices.Contains(adviceFormats, f.format):
		return usage("invalid -format %q: use %s", f.format, strings.Join(adviceFormats, ", "))
	case !(f.min > 0 && f.min < 1):
		return usage("invalid -min %v: use a share between 0 and 1, such as 0.01", f.min)
	case !(f.hot > 0 && f.hot <= 1):
		return usage("invalid -hot %v: use a share above 0 and up to 1, such as 0.03", f.hot)
	case f.service != "" && len(rest) > 0:
		return usage("-service can't be combined with %s: use one of them", rest[0])
	case f.explain:
		return explainRules(a, rest)
	case f.tests && !slices.ContainsFunc(rest, isPattern):
		return usage("-tests needs packages, such as ./...")
	}
	if err := f.gen.check("advise"); err != nil {
		return err
	}
	sweep()
	if f.gen.gen {
		return f.gen.run(ctx, a, f.bench.BuildFlags, rest)
	}
	f.bench.Command = append([]string{"hone", "advise"}, args...)
	p, err := profilesToAdviseOn(ctx, a, f, rest)
	if p == nil {
		return err
	}
	if err != nil { // of measuring, which was interrupted; the next ^C ends this
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	p.counts = f.counts
	report, adviceErr := advise(ctx, a, p, f.options())
	if adviceErr != nil {
		return adviceErr
	}
	return errors.Join(f.write(a.stdout, report), err)
}

// options are those of the advice that is asked for.
func (f *adviseFlags) options() advice.Options {
	o := advice.Options{MinShare: f.min, MinHotLine: f.hot, Compiler: f.compiler, BuildFlags: bench.ListFlags(f.bench.BuildFlags)}
	if f.all {
		o.MaxHotLines = -1
	}
	return o
}

// write writes a report in the format asked for.
func (f *adviseFlags) write(w io.Writer, report *advice.Report) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	switch f.format {
	case "json":
		shown := *report
		shown.Findings = report.Shown()
		return writeJSON(w, &shown)
	case "sarif":
		return report.WriteSARIF(w, dir, rules.All())
	case "github":
		return report.WriteGitHub(w, dir)
	case "markdown":
		return report.WriteMarkdown(w, dir)
	}
	return report.WriteText(w, dir)
}

// explainRules prints the documentation of rules.
func explainRules(a *app, names []string) error {
	all := rules.All()
	if len(names) == 0 {
		for _, r := range all {
			fmt.Fprintf(a.stdout, "%-24s %s  %s\n", r.ID, r.Class, r.Title)
		}
		return nil
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(r *advice.Rule) bool { return r.ID == name || strings.HasPrefix(name, r.ID+"-") })
		if i < 0 {
			return fmt.Errorf("unknown rule %q: hone advise -explain lists all rules", name)
		}
		r := all[i]
		class := r.Class.String()
		if r.Class == advice.Safe {
			class += " at best"
		}
		fmt.Fprintf(a.stdout, "%s: %s (class %s)\n\n%s", r.ID, r.Title, class, r.Explanation())
	}
	return nil
}

// toAdvise is the input for advice.
type toAdvise struct {
	inputs     []advice.Input
	benchmarks map[string]tune.Benchmark // by subject
	counts     bool                      // count how often hot lines of benchmarks run
}

// advise joins profiles with the source here, and keeps the findings for hone fix.
func advise(ctx context.Context, a *app, p *toAdvise, o advice.Options) (*advice.Report, error) {
	m, err := thisModule()
	if err != nil {
		return nil, err
	}
	m.Cache = advisor.CacheFolder()
	progress := newProgress(a)
	defer progress.end()
	o.Stage = func(stage string) { progress.event(bench.Event{Stage: "advise", What: stage}) }
	if p.counts {
		m.CountRuns(p.inputs, p.benchmarks, &o)
	}
	return m.Advise(ctx, p.inputs, p.benchmarks, o)
}

// isPattern reports whether an argument is a pattern of packages: ., ./x, or anything
// with "..." in it.
func isPattern(arg string) bool {
	return arg == "." || arg == ".." || strings.HasPrefix(arg, "./") && !isFile(arg) || strings.HasPrefix(arg, "../") && !isFile(arg) || strings.Contains(arg, "...")
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && (info.Mode().IsRegular() || experiment.IsRun(name))
}

// profilesToAdviseOn opens the profiles that a command line names, or measures its
// packages; see measureOrPart.
func profilesToAdviseOn(ctx context.Context, a *app, f *adviseFlags, args []string) (*toAdvise, error) {
	switch {
	case f.service != "":
		return profilesOfService(ctx, a, f)
	case f.tests:
		return profilesOfTests(ctx, a, f, args)
	case len(args) == 0:
		p, err := profilesOfRun(ctx, a, "latest")
		if err != nil {
			return nil, fmt.Errorf("%w; run hone advise ./... to measure first", err)
		}
		return p, nil
	case slices.ContainsFunc(args, isPattern):
		f.bench.Packages, f.bench.Store = args, runsRoot()
		return measureOrPart(ctx, a, f.bench)
	}
	all := &toAdvise{benchmarks: make(map[string]tune.Benchmark)}
	for _, arg := range args {
		p, err := profilesOfSource(ctx, a, arg)
		if err != nil {
			return nil, err
		}
		all.inputs = append(all.inputs, p.inputs...)
		for subject, b := range p.benchmarks {
			all.benchmarks[subject] = b
		}
	}
	return all, nil
}

// profilesOfTests profiles the tests of packages.
func profilesOfTests(ctx context.Context, a *app, f *adviseFlags, packages []string) (*toAdvise, error) {
	progress := newProgress(a)
	defer progress.end()
	profiler := testprofile.Profiler{
		Flags: bench.ListFlags(f.bench.BuildFlags), Packages: packages, Time: f.bench.ProfileTime,
		Stage: func(stage string) { progress.event(bench.Event{Stage: "advise", What: stage}) },
	}
	profiles, err := profiler.Profile(ctx)
	if len(profiles) == 0 {
		return nil, err
	}
	if err != nil && ctx.Err() == nil {
		a.warn("hone: " + err.Error())
		err = nil
	}
	p := new(toAdvise)
	for _, of := range profiles {
		subject := "the tests of " + of.Package
		p.inputs = append(p.inputs, advice.Input{Profile: of.CPU, Subject: subject, Kind: "cpu"}, advice.Input{Profile: of.Mem, Subject: subject, Kind: "mem"})
	}
	return p, err
}

// measureForAdvice profiles benchmarks, and measures each once.
func measureForAdvice(ctx context.Context, a *app, b bench.Bench) (*toAdvise, error) {
	dir, err := profileBenchmarks(ctx, a, b)
	if err != nil {
		return nil, err
	}
	return profilesOfRun(ctx, a, dir)
}

// measureOrPart is like measureForAdvice, but if it is interrupted, it returns the profiles
// taken so far, if any, together with the error.
func measureOrPart(ctx context.Context, a *app, b bench.Bench) (*toAdvise, error) {
	dir, err := profileBenchmarks(ctx, a, b)
	if err == nil {
		return profilesOfRun(ctx, a, dir)
	}
	if ctx.Err() == nil || dir == "" {
		return nil, err
	}
	p, none := profilesOfRun(context.WithoutCancel(ctx), a, dir)
	if none != nil {
		return nil, err
	}
	a.warn("hone: interrupted: this advice covers the " + compare.Counted(len(p.benchmarks), "benchmark") + " profiled so far")
	return p, err
}

// profileBenchmarks profiles benchmarks, measures each once, and returns the folder of
// the run, "" if there is none. After an error it is a partial one.
func profileBenchmarks(ctx context.Context, a *app, b bench.Bench) (dir string, err error) {
	b.Count, b.Profiles = 1, []string{"cpu", "mem"}
	report, err := measureBenchmarks(ctx, a, &benchFlags{Bench: b})
	if report != nil {
		dir = report.Dir
	}
	return dir, err
}

// profilesOfRun opens the profiles of a run's head.
func profilesOfRun(ctx context.Context, a *app, name string) (*toAdvise, error) {
	run, p, err := openRun(ctx, a, runsRoot(), name)
	if run != nil {
		a.warnAll(run.Skipped)
	}
	return p, err
}

// openRun finds a run below root, and opens the profiles of its head.
func openRun(ctx context.Context, a *app, root, name string) (*experiment.Run, *toAdvise, error) {
	run, err := experiment.Find(ctx, root, name, experiment.Need{
		What: "profiles of time, memory or waiting", In: func(r *experiment.Run) bool {
			subjects, _ := advisor.OfRun(r)
			return len(subjects) > 0
		},
	})
	if err != nil {
		return nil, nil, err
	}
	subjects, benchmarks := advisor.OfRun(run)
	p := &toAdvise{benchmarks: benchmarks}
	for _, of := range subjects {
		if err := openProfile(ctx, a, p, of.Path, advice.Input{Subject: of.Name, Kind: of.Kind, OpTime: of.OpTime}); err != nil {
			return run, nil, err
		}
	}
	if len(p.inputs) == 0 {
		return run, nil, fmt.Errorf("run %s has no profiles of time, memory or waiting: record them with hone bench -profile cpu,mem (runs of hone fix and hone tune have none)", run.ID)
	}
	return run, p, nil
}

// profilesOfSource opens a run, one profile of a run, a file or a URL.
func profilesOfSource(ctx context.Context, a *app, source string) (*toAdvise, error) {
	if experiment.IsRun(source) || !infile.Exists(source) && !strings.Contains(source, "://") {
		if _, _, err := experiment.Resolve(ctx, runsRoot(), source); err == nil || compare.IsRunName(source) {
			return profilesOfRun(ctx, a, source)
		}
	}
	p := &toAdvise{benchmarks: make(map[string]tune.Benchmark)}
	return p, openProfile(ctx, a, p, source, advice.Input{})
}

// openProfile adds a profile; as says what it is of.
func openProfile(ctx context.Context, a *app, p *toAdvise, source string, as advice.Input) error {
	inv := &shell.Invocation{Config: shell.DefaultConfig(), Seconds: -1, Timeout: -1}
	l := newOpener(a, inv)
	opened, err := l.merged(ctx, []string{source})
	if err == nil {
		opened, err = l.completed(ctx, opened)
	}
	if err != nil {
		return err
	}
	as.Profile, as.Kind = opened, advisor.Kind(as.Kind)
	p.inputs = append(p.inputs, as)
	return nil
}

// profilesOfService asks hone serve for the merged profiles of a service.
func profilesOfService(ctx context.Context, a *app, f *adviseFlags) (*toAdvise, error) {
	client, err := f.server.client(ctx, a, "advise", &capture.Fetcher{})
	if err != nil {
		return nil, err
	}
	selector := f.service
	if !strings.HasPrefix(selector, "{") {
		selector = "{service=" + strconv.Quote(selector) + "}"
	}
	p := new(toAdvise)
	var failed error
	for _, kind := range advisor.ServiceKinds {
		from := f.last
		if !strings.HasPrefix(from, "-") {
			from = "-" + from
		}
		got, err := client.profile(ctx, url.Values{"q": {kind + selector}, "from": {from}}, profile.DefaultLimits())
		var status *statusError
		switch {
		case errors.As(err, &status) && status.status == http.StatusNotFound:
			failed = err // it may have other kinds
			continue
		case err != nil:
			return nil, err
		}
		p.inputs = append(p.inputs, advice.Input{Profile: got, Subject: f.service, Kind: advisor.Kind(kind)})
	}
	if len(p.inputs) == 0 {
		return nil, failed
	}
	advisor.CountOnce(p.inputs)
	return p, nil
}
