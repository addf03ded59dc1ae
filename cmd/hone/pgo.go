package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
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
	made, err := makePGO(ctx, a, f, sources, module, file)
	if err != nil {
		return err
	}
	out := pgoJSON{File: file, Changed: made.Changed, Before: made.Before, After: made.After}
	if out.Fresh, err = pgo.Fresh(made.Profile, module); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if !f.json {
		if err := tellPGO(a.stdout, &out, module, f.verify == ""); err != nil {
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
func makePGO(ctx context.Context, a *app, f *pgoFlags, sources []string, module pgo.Module, file string) (*pgo.Made, error) {
	f.fetcher.Progress, f.fetcher.Stdin = a.stderr, a.stdin
	f.fetcher.MaxBytes = profile.DefaultLimits().Bytes
	var inputs []pgo.Input
	var err error
	switch {
	case f.service != "":
		inputs, err = pgoOfServices(ctx, a, f)
	case len(sources) > 0:
		inputs, err = pgoReader(a, f).Inputs(ctx, sources)
	default:
		return pgo.Existing(file)
	}
	if err != nil {
		return nil, err
	}
	made, err := pgo.Make(inputs, pgo.Weights(f.weights), module, file)
	for _, left := range made.LeftOut {
		a.warn("hone: left out: " + compare.OneLine(left))
	}
	return made, err
}

// pgoReader reads the sources of the command line.
func pgoReader(a *app, f *pgoFlags) *pgo.Reader {
	loader := &capture.Loader{Fetcher: &f.fetcher, Limits: profile.DefaultLimits(), Warn: func(err error) { a.warn(compare.OneLine(err)) }}
	return &pgo.Reader{
		Runs:    runsRoot(),
		Skipped: a.warnAll,
		Load: func(ctx context.Context, file string) (*profile.Profile, error) {
			return loader.Load(ctx, []string{file})
		},
		Profile: func(ctx context.Context, source string) (*pgo.RunProfile, error) {
			found, err := findRunSource(ctx, source)
			if found == nil {
				return nil, err
			}
			return &pgo.RunProfile{Name: found.name, File: found.file, Skipped: found.skipped}, err
		},
	}
}

// pgoOfServices asks hone serve for the profiles of services.
func pgoOfServices(ctx context.Context, a *app, f *pgoFlags) ([]pgo.Input, error) {
	client, err := f.client(ctx, a, "pgo", &f.fetcher)
	if err != nil {
		return nil, err
	}
	server := &pgo.Server{
		Name: client.base.String(),
		Series: func(ctx context.Context, query url.Values) (*api.OverTime, error) {
			over := new(api.OverTime)
			return over, client.json(ctx, "/api/v1/series", query, over)
		},
		Profile: func(ctx context.Context, selection url.Values) (*profile.Profile, error) {
			return client.profile(ctx, selection, profile.DefaultLimits())
		},
	}
	inputs, err := server.Inputs(ctx, f.service, f.last, time.Now())
	if errors.As(err, new(*pgo.LastError)) {
		err = &shell.UsageError{Verb: "pgo", Err: err}
	}
	return inputs, err
}

// verifyPGO compares benchmarks without the profile and with it.
func verifyPGO(ctx context.Context, a *app, f *pgoFlags, file string, out *pgoJSON) error {
	b := newBenchFlags()
	if err := b.parse(append(strings.Fields(f.verify), "-bench", f.bench, "-pin", f.pin)); err != nil {
		return err
	}
	b.against, b.json = bench.WithoutPGO, f.json
	b.Command = append([]string{"hone", "pgo"}, f.args...)
	b.Count, b.Benchtime = f.count, f.benchtime
	progress := newProgress(a)
	b.Events = progress.event
	report, overall, err := pgo.Verify(ctx, b.Bench, file)
	progress.end()
	if err != nil {
		return err
	}
	out.Overall = overall
	var text bytes.Buffer
	to := *a
	to.stdout = &text
	if err := tellBench(ctx, &to, b, report); err != nil {
		return err
	}
	if f.json {
		out.Verify = text.Bytes()
	} else if err := tellVerified(a.stdout, text.Bytes(), file, overall); err != nil {
		return err
	}
	return benchGate(report)
}
