package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/pgo"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

const pgoHelp = `usage: hone pgo [flags] SOURCE...
       hone pgo -service NAME [-last 7d] [flags]
       hone pgo -verify PACKAGES [flags]

Merge CPU profiles into default.pgo, the profile that the compiler optimizes with.

Examples:

  hone pgo http://localhost:6060/debug/pprof/profile
  hone pgo -service api -last 7d
  hone pgo -verify ./... -bench Parse

Flags:

  -o FILE         write FILE, for go build -pgo=FILE (default.pgo next to the main
                  package in the current folder)
  -weights equal|cpu
                  equal: all sources and services have the same weight, and so do all
                  versions of a service, however many instances it has; cpu: each
                  second of CPU time has the same weight (equal)
  -seconds N      how long to profile URLs
  -json           print everything as JSON

Flags for profiles that hone serve has collected:

  -service NAME,...
                  services, or a selector such as '{zone="a"}'
  -last D         how far to look back, such as 12h or 7d (7d)
` + serverHelp + `  -tls_ca FILE, -tls_cert FILE, -tls_key FILE
                  certificates for https, as in hone pprof

Flags for measuring the gain:

  -verify PACKAGES
                  build the benchmarks of PACKAGES without the profile and with it, and
                  compare them like hone bench -against. Without SOURCE, measure the
                  existing file
  -bench RE, -count N, -benchtime T, -pin LIST
                  as in hone bench

Exit codes: 0 success; 1 failure; 2 wrong usage; 3 with -verify, the profile makes
something slower, and a second measurement agreed.

SOURCE is a file, a URL, a run (latest: all its CPU profiles) or one profile of a run,
RUN:Benchmark/cpu. Profiles from production are best. hone leaves out what the compiler
doesn't use, and the same profiles always give the same bytes.

The compiler finds calls by function name and line. "fresh" is the share of the hot
calls that are still where the profile saw them. Below 80 %, make a new profile.
`

// pgoFlags are the flags of hone pgo.
type pgoFlags struct {
	serverFlags
	out, weights, service, last string
	verify, bench, pin          string
	benchtime                   bench.Length
	count                       int
	json                        bool
	fetcher                     capture.Fetcher
	given                       map[string]bool
	args                        []string
}

func (f *pgoFlags) parse(args []string) (sources []string, err error) {
	fs := newFlags("pgo")
	fs.StringVar(&f.out, "o", "", "")
	fs.StringVar(&f.weights, "weights", string(pgo.Equal), "")
	fs.StringVar(&f.service, "service", "", "")
	fs.StringVar(&f.last, "last", "7d", "")
	f.define(fs)
	fs.IntVar(&f.fetcher.Seconds, "seconds", 0, "")
	tlsFlags(fs, &f.fetcher)
	fs.StringVar(&f.verify, "verify", "", "")
	fs.StringVar(&f.bench, "bench", ".", "")
	fs.IntVar(&f.count, "count", 0, "")
	fs.Func("benchtime", "", func(s string) (err error) { f.benchtime, err = parseBenchTime(s); return err })
	fs.StringVar(&f.pin, "pin", "", "")
	fs.BoolVar(&f.json, "json", false, "")
	singleFlags(fs)
	if sources, err = parseArgs(fs, args); err != nil {
		return nil, err
	}
	f.args, f.given = args, make(map[string]bool)
	fs.Visit(func(g *flag.Flag) { f.given[g.Name] = true })
	usage := func(format string, args ...any) error {
		return &shell.UsageError{Verb: "pgo", Err: fmt.Errorf(format, args...)}
	}
	anyOf := func(names ...string) string {
		for _, name := range names {
			if f.given[name] {
				return name
			}
		}
		return ""
	}
	switch w := pgo.Weights(f.weights); {
	case w != pgo.Equal && w != pgo.CPU:
		return nil, usage("invalid -weights %q: use equal or cpu", f.weights)
	case len(sources) > 0 && f.service != "":
		return nil, usage("-service can't be combined with sources: profiles come from one of them")
	case len(sources) == 0 && f.service == "" && f.verify == "":
		return nil, usage("missing profile: give a file, a URL, latest for the newest run, or -service NAME")
	case f.service == "" && anyOf("last", "server", "token-file") != "":
		return nil, usage("-%s needs -service", anyOf("last", "server", "token-file"))
	case f.verify == "" && anyOf("verify", "bench", "count", "benchtime", "pin") != "":
		return nil, usage("-%s needs -verify PACKAGES, such as -verify ./...", anyOf("verify", "bench", "count", "benchtime", "pin"))
	case f.given["count"] && f.count < 1:
		return nil, usage("invalid -count %d: use at least 1", f.count)
	}
	return sources, nil
}

// pgoJSON is the output of hone pgo -json.
type pgoJSON struct {
	File    string          `json:"file"`
	Changed bool            `json:"changed"`
	Before  *pgo.Summary    `json:"before,omitempty"`
	After   *pgo.Summary    `json:"after"`
	Fresh   *pgo.Freshness  `json:"fresh"`
	Verify  json.RawMessage `json:"verify,omitempty"` // the output of hone bench -against -json
	Overall *pgoOverall     `json:"overall,omitempty"`
}

// A pgoOverall is the geometric mean, over all benchmarks, of the time with the profile
// divided by the time without.
type pgoOverall struct {
	Ratio      float64 `json:"ratio"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Benchmarks int     `json:"benchmarks"`
}

func runPGO(ctx context.Context, a *app, args []string) error {
	f := new(pgoFlags)
	sources, err := f.parse(args)
	if err != nil {
		return err
	}
	module, file, err := pgo.Find(ctx, ".", f.out)
	if err != nil {
		return err
	}
	var out pgoJSON
	p, err := makePGO(ctx, a, f, sources, module, file, &out)
	if err != nil {
		return err
	}
	if out.Fresh, err = pgo.Fresh(p, module); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var b bytes.Buffer
	if !f.json {
		tellPGO(&b, &out, module)
		if f.verify == "" {
			tellPGONext(&b, module, file)
		}
		if _, err := a.stdout.Write(b.Bytes()); err != nil {
			return err
		}
	}
	if out.Fresh.Share < pgo.StaleBelow {
		a.warn(fmt.Sprintf("hone: %s is stale: the source has changed since; make a new profile", compare.Printable(file)))
	}
	if f.verify != "" {
		err = verifyPGO(ctx, a, f, file, &out)
	}
	if f.json && (err == nil || errors.Is(err, errMissed)) {
		err = errors.Join(err, writeJSON(a.stdout, out))
	}
	return err
}

// makePGO writes the profile, or reads the existing one if there are no inputs.
func makePGO(ctx context.Context, a *app, f *pgoFlags, sources []string, module pgo.Module, file string, out *pgoJSON) (*profile.Profile, error) {
	out.File = file
	if len(sources) == 0 && f.service == "" {
		p, s, err := pgo.Read(file)
		if err == nil && p == nil {
			err = fmt.Errorf("%s doesn't exist: make it first, with hone pgo PROFILE", file)
		}
		out.After = s
		return p, err
	}
	inputs, err := pgoInputs(ctx, a, f, sources)
	if err != nil {
		return nil, err
	}
	made, err := pgo.Make(inputs, pgo.Weights(f.weights), module, file)
	for _, left := range made.LeftOut {
		a.warn("hone: left out: " + compare.OneLine(left))
	}
	out.Before, out.After, out.Changed = made.Before, made.After, made.Changed
	return made.Profile, err
}

// pgoInputs reads the profiles that the command line names.
func pgoInputs(ctx context.Context, a *app, f *pgoFlags, sources []string) ([]pgo.Input, error) {
	f.fetcher.Progress, f.fetcher.Stdin = a.stderr, a.stdin
	limits := profile.DefaultLimits()
	f.fetcher.MaxBytes = limits.Bytes
	if f.service != "" {
		return servicePGO(ctx, a, f)
	}
	loader := &capture.Loader{Fetcher: &f.fetcher, Limits: limits, Warn: func(err error) { a.warn(compare.OneLine(err)) }}
	var inputs []pgo.Input
	for _, s := range sources {
		if run := wholeRun(ctx, a, s); run != nil {
			some, err := pgo.OfRun(run, func(file string) (*profile.Profile, error) { return loader.Load(ctx, []string{file}) })
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, some...)
			continue
		}
		found, err := findRunSource(ctx, s)
		if err != nil {
			return nil, err
		}
		file, source := s, s
		if found != nil {
			file, source = found.file, found.name
			a.warnAll(found.skipped)
		} else if !strings.Contains(s, "://") {
			source = filepath.Base(s) // the same on another machine
		}
		p, err := loader.Load(ctx, []string{file})
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, pgo.Input{Profile: p, Source: source})
	}
	return inputs, nil
}

// wholeRun returns the run that a source names, or nil if it names something else.
func wholeRun(ctx context.Context, a *app, source string) *experiment.Run {
	if source == "-" || strings.Contains(source, "://") || infile.Exists(source) && !experiment.IsRun(source) {
		return nil
	}
	run, err := experiment.Find(ctx, runsRoot(), strings.TrimSuffix(source, ":"), pgo.FromRun)
	if err != nil {
		return nil
	}
	a.warnAll(run.Skipped)
	return run
}

// servicePGO asks hone serve for the profiles of services, one per version.
func servicePGO(ctx context.Context, a *app, f *pgoFlags) ([]pgo.Input, error) {
	client, err := f.client(ctx, a, "pgo", &f.fetcher)
	if err != nil {
		return nil, err
	}
	last, err := api.ParseDuration(f.last)
	if err != nil || last <= 0 {
		return nil, &shell.UsageError{Verb: "pgo", Err: fmt.Errorf("invalid -last %q: use a duration such as 12h or 7d", f.last)}
	}
	selectors := []string{f.service}
	if !strings.HasPrefix(f.service, "{") {
		selectors = nil
		for _, name := range splitList(f.service) {
			selectors = append(selectors, "{service="+strconv.Quote(name)+"}")
		}
	}
	end := time.Now().Truncate(time.Second).Add(time.Second)
	var inputs []pgo.Input
	for _, selector := range selectors {
		query := url.Values{
			"q": {"cpu" + selector}, "by": {"service,version"}, "points": {"1"}, "limit": {"1000"},
			"from": {strconv.FormatInt(end.Add(-last).UnixMilli(), 10)}, "to": {strconv.FormatInt(end.UnixMilli(), 10)},
		}
		var over api.OverTime
		if err := client.json(ctx, "/api/v1/series", query, &over); err != nil {
			return nil, err
		}
		if len(over.Series) == 0 {
			return nil, fmt.Errorf("%s has no CPU profiles of %s in the last %s: try a longer -last; hone query -labels '{}' lists what the server has", client.base, selector, f.last)
		}
		for _, s := range over.Series {
			selection, err := url.ParseQuery(strings.TrimPrefix(s.Profile, "sel:"))
			if err != nil {
				return nil, err
			}
			p, err := client.profile(ctx, selection, profile.DefaultLimits())
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, pgo.Input{Profile: p, Source: s.Labels["service"], Version: s.Labels["version"]})
		}
	}
	return inputs, nil
}

// verifyPGO compares benchmarks without the profile and with it.
func verifyPGO(ctx context.Context, a *app, f *pgoFlags, file string, out *pgoJSON) error {
	b := newBenchFlags()
	if err := b.parse(append(strings.Fields(f.verify), "-bench", f.bench, "-pin", f.pin, "-profile", "cpu")); err != nil {
		return err
	}
	b.ProfileAll, b.against, b.json = false, bench.WithoutPGO, f.json
	b.Command = append([]string{"hone", "pgo"}, f.args...)
	b.Count, b.Benchtime = f.count, f.benchtime
	progress := newProgress(a)
	b.Events = progress.event
	report, err := b.AgainstPGO(ctx, file)
	progress.end()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	to := *a
	to.stdout = &text
	if err := tellBench(ctx, &to, b, report); err != nil {
		return err
	}
	if report.Family != nil {
		ratio, interval, n := report.Family.Overall("ns/op")
		out.Overall = &pgoOverall{ratio, interval.Lo, interval.Hi, n}
	}
	if f.json {
		out.Verify = text.Bytes()
	} else {
		switch o := out.Overall; {
		case o == nil:
		case o.Benchmarks == 0:
			fmt.Fprintf(&text, "\ntoo few samples for the confidence interval of a geometric mean: use -count 6 or more\n")
		default:
			fmt.Fprintf(&text, "\nwith the profile %s: time of %s, geometric mean %+.1f %%, [%+.1f %%, %+.1f %%]\n",
				compare.Printable(file), compare.Counted(o.Benchmarks, "benchmark"), 100*(o.Ratio-1), 100*(o.Lo-1), 100*(o.Hi-1))
		}
		if _, err := a.stdout.Write(append([]byte("\n"), text.Bytes()...)); err != nil {
			return err
		}
	}
	return benchGate(report)
}

// tellPGO prints what was made, what is new, and how fresh it is.
func tellPGO(w io.Writer, out *pgoJSON, module pgo.Module) {
	switch {
	case out.Before == nil && !out.Changed:
		fmt.Fprintf(w, "%s\n  is   %s\n", compare.Printable(out.File), summaryText(out.After))
	case out.Before == nil:
		fmt.Fprintf(w, "%s, new\n  now  %s\n", compare.Printable(out.File), summaryText(out.After))
	case !out.Changed:
		fmt.Fprintf(w, "%s, not changed\n  is   %s\n", compare.Printable(out.File), summaryText(out.After))
	default:
		fmt.Fprintf(w, "%s, replaced\n  was  %s\n  now  %s\n", compare.Printable(out.File), summaryText(out.Before), summaryText(out.After))
	}
	const parts = 10
	for i, p := range out.After.Parts {
		if i == parts {
			fmt.Fprintf(w, "  … and %d more\n", len(out.After.Parts)-parts)
			break
		}
		fmt.Fprintf(w, "  %5.1f %%  %s, %s\n", 100*p.Weight, compare.Printable(strings.TrimSpace(p.Source+" "+p.Version)), compare.Counted(int(p.Samples), "sample"))
	}
	fresh := out.Fresh
	if fresh.Calls == 0 {
		fmt.Fprintf(w, "fresh: unknown, because the profile has no hot call in functions of %s\n", module.Path)
		return
	}
	fmt.Fprintf(w, "fresh %.0f %%, based on %s in functions of %s, which have %.0f %% of the weight of all calls\n", 100*fresh.Share, compare.Counted(fresh.Calls, "hot call"), module.Path, 100*fresh.Own)
	const most = 5
	for i, c := range fresh.Gone {
		if i == most {
			fmt.Fprintf(w, "  … and %d more\n", len(fresh.Gone)-most)
			break
		}
		fmt.Fprintf(w, "  gone  %4.1f %%  %s +%d calls %s: %s\n", 100*c.Weight, compare.Printable(c.Caller), c.Offset, compare.Printable(c.Callee), c.Why)
	}
}

// summaryText is "12.3 kB, 1234 stacks of 567 functions, from api v1, api v2".
func summaryText(s *pgo.Summary) string {
	text := fmt.Sprintf("%.1f kB, %s of %s", float64(s.Bytes)/1000, compare.Counted(s.Stacks, "stack"), compare.Counted(s.Functions, "function"))
	if sources, versions := s.Names(); len(sources) > 0 {
		const most = 4
		names := sources
		if len(sources) == 1 && len(versions) > 0 {
			names = nil
			for _, v := range versions {
				names = append(names, sources[0]+" "+v)
			}
		}
		if len(names) > most {
			names = append(names[:most:most], fmt.Sprintf("%d more", len(names)-most))
		}
		text += ", from " + compare.Printable(strings.Join(names, ", "))
	}
	return text
}

// tellPGONext prints how to use the profile.
func tellPGONext(w io.Writer, module pgo.Module, file string) {
	flag := ""
	if whole, err := filepath.Abs(file); err != nil || whole != filepath.Join(module.Main, pgo.FileName) {
		flag = "go build -pgo=" + compare.CommandLine([]string{file}) + " uses it"
	} else {
		flag = "go build uses it automatically; commit it with the source"
	}
	fmt.Fprintf(w, "\n%s\n", flag)
	verify := "hone pgo -verify ./..."
	if filepath.Base(file) != pgo.FileName || filepath.Dir(file) != "." {
		verify += " -o " + compare.CommandLine([]string{file})
	}
	fmt.Fprintf(w, "  %s\n", verify)
}
