package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/findings"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/server/stored"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
	"github.com/hone-go/hone/web"
)

const uiHelp = `usage: hone ui [flags] [PROGRAM] [SOURCE...]

Explore profiles and runs in a browser: flame graph, tables, call graph, source, changes.

Examples:

  hone ui cpu.pb.gz
  hone ui latest~1 latest
  hone ui -seconds 10 http://localhost:6060/debug/pprof/profile

Flags:

  -http [HOST]:[PORT]
                  address of the web server (localhost and a free port)
  -no_browser     don't open a browser
  -view NAME      view to open: flame, top, sandwich, graph, source, disasm, peek,
                  traces, tags, raw, diff or advice (flame; diff with -base)
  -runs DIR       where runs are kept (.hone/runs of this module)
  -max-answer SIZE
                  refuse larger answers (128MiB, at most a quarter of -max-memory)

All flags that select a sample type, filter and fetch work as in hone pprof, and
are what the page starts with; see "hone help pprof".

Exit codes: 0 success, 1 failure, 2 wrong usage.

Several sources are merged, and listed one by one too. A directory means the profiles in
it. A run is shown with its benchmarks, and two runs are compared. Without a source, the
page lists the runs of this module, or waits for a file that you drop on it. The page's
address has all settings, so a link shows the same view again.

With -base or -diff_base, flame graphs and tables show both values. Give several
profiles of the same program per side to tell changes from noise. In the folder of a
module, the page gives advice on its code too; see doc/advise.md.

Only this machine can reach the page, unless you set HOST. Anyone who can connect can
read the profiles and the source code of their functions. doc/api.md describes the API.
^C stops the server.
`

// uiFlags are the flags of hone ui that other verbs don't have.
type uiFlags struct {
	view, runs string
	maxAnswer  int64  // bytes
	runsLater  bool   // runs are expected, even if there are none yet
	module     string // a folder of the module that there is advice on; "" for the current one
}

func (f *uiFlags) define(fs *flag.FlagSet) {
	fs.StringVar(&f.view, "view", "", "")
	fs.StringVar(&f.runs, "runs", "", "")
	fs.Func("max-answer", "", func(s string) (err error) {
		f.maxAnswer, err = shell.ParseBytes(s)
		return err
	})
}

func runUI(ctx context.Context, a *app, args []string) error {
	var f uiFlags
	inv, err := shell.ParseVerb("ui", args, a.stderr, f.define)
	if err != nil {
		return err
	}
	if f.view != "" && !slices.Contains(server.Views(), f.view) {
		return &shell.UsageError{Verb: "ui", Err: fmt.Errorf("invalid -view %q: use %s", f.view, strings.Join(server.Views(), ", "))}
	}
	if inv.Output != "" {
		return &shell.UsageError{Verb: "ui", Err: errors.New("-o can't be used with the web UI: download pages in the browser")}
	}
	if f.runs != "" {
		// Replace the names of runs in this folder by their directories.
		for i, source := range inv.Sources {
			if dirs, skipped, _ := uiRunDirs(ctx, f.runs, []string{source}); len(dirs) > 0 {
				a.warnAll(skipped)
				inv.Sources[i] = dirs[0]
			}
		}
	}
	return serveUI(ctx, a, inv, f, false)
}

// serveUI shows the profiles of a command line in a browser until ctx is done.
func serveUI(ctx context.Context, a *app, inv *shell.Invocation, f uiFlags, compat bool) error {
	verb := "ui"
	if compat {
		verb = "pprof"
	}
	host, port, err := splitHTTP(inv.HTTP)
	if err != nil {
		return &shell.UsageError{Verb: verb, Err: err}
	}
	// The address comes first, because it fails fast if it is in use; then the profiles.
	listener, err := listenUI(ctx, host, port)
	if err != nil {
		return err
	}
	defer listener.Close()
	site, err := siteOfProfiles(ctx, a, inv, compat)
	if err != nil {
		return err
	}
	root := cmp.Or(f.runs, runsRoot())
	kept, err := keptRuns(ctx, a, inv, compat, root)
	if err != nil {
		return err
	}
	reach := server.Reachable(host, listener.Addr())
	srv, profiles, err := uiServer(ctx, a, inv, f, site, kept, reach)
	if err != nil {
		return err
	}
	if reach.Public {
		a.warn("Warning: anyone who can connect to this address can read the profiles and source code.")
	}
	page := "http://" + reach.Hosts[0] + "/"
	start := profiles.Start()
	switch runs := runsPage(ctx, root, inv); {
	case f.view == "" && runs != "" && !kept.Empty():
		page += runs
	case start != "":
		usual := "flame"
		if len(site.Base) > 0 {
			usual = "diff" // comparisons begin with the list of what changed
		}
		page += cmp.Or(f.view, usual) + "?" + start
	default:
		page += f.view
	}
	fmt.Fprintf(a.stdout, "Serving on %s; ^C ends it\n", page)
	if !inv.NoBrowser {
		if err := shell.OpenBrowser(page, a.getenv, a.stderr); err != nil {
			a.warn("Can't start a browser: open the address above.")
		}
	}
	go profiles.Prepare(ctx)
	return srv.Serve(ctx, listener)
}

// uiServer returns the server of a web UI.
func uiServer(ctx context.Context, a *app, inv *shell.Invocation, f uiFlags, site reports.Config, kept *runs.Kept, reach server.Reach) (*server.Server, *reports.Service, error) {
	srv, err := server.New(ctx, server.Config{
		Hosts: reach.Hosts, AnyAddress: reach.AnyAddress, Pages: web.Files(), Log: a.warn,
		Limits: server.Limits{Body: inv.MaxBytes, Sending: profileLimits(inv).Memory, Answer: f.maxAnswer},
	})
	if err != nil {
		return nil, nil, err
	}
	if kept.Empty() && !f.runsLater {
		runs.Absent(srv)
	} else {
		runs.New(srv, kept)
		site.Lookup, site.Offers.Runs = kept.Profile, true
	}
	if !reach.Public {
		serveRecorded(&site, inv)
		site.Build = buildOf
	}
	site.Opener = stored.None{}
	// Advice needs the source of a module. Without one, pages say so.
	module, err := advisor.ModuleOf(cmp.Or(f.module, "."))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	site.Offers.Advice = module != nil
	profiles := reports.New(ctx, srv, site)
	findings.New(ctx, srv, findings.Config{Module: module, Keep: true, Open: profiles.Open, Run: kept.Find})
	return srv, profiles, nil
}

// siteOfProfiles returns what the web UI shows of a command line's profiles.
func siteOfProfiles(ctx context.Context, a *app, inv *shell.Invocation, compat bool) (reports.Config, error) {
	entries, err := findUIEntries(ctx, a, inv, compat)
	if err != nil {
		return reports.Config{}, err
	}
	site := uiConfig(a, inv)
	site.Profiles, site.Shown, site.Base = entries.all, entries.shown, entries.base
	site.Decode = func(ctx context.Context, data []byte) (*profile.Profile, error) {
		return newUIOpener(a, inv, compat).uploaded(ctx, data)
	}
	if dir, err := os.UserConfigDir(); err == nil {
		site.ViewsFile = filepath.Join(dir, "hone", "views.json")
	}
	return site, nil
}

// uiConfig returns how to show profiles that others may have made. Source text comes only
// from modules, GOROOT, and the folders that the user named; see serveRecorded.
func uiConfig(a *app, inv *shell.Invocation) reports.Config {
	env := reportEnv(context.Background(), a, inv.Options) // each request has its own context
	source := srcfind.New(srcfind.Config{SearchPath: inv.SourcePath, TrimPath: inv.TrimPath, Confined: true})
	env.Text = source.Find
	return reports.Config{Options: inv.Config, Env: env, TextAt: source.At, Graphs: graphEngine(a)}
}

// uploaded decodes a profile that a page sent.
func (l *opener) uploaded(ctx context.Context, data []byte) (*profile.Profile, error) {
	if share := ingest.ShareOf(ctx); share != nil {
		l.loader.Limits.Budget = share
	}
	p, err := l.loader.Decode(bytes.NewReader(data), &capture.Source{Name: "upload", Size: int64(len(data))})
	if err != nil {
		return nil, err
	}
	return l.completed(ctx, p)
}

// splitHTTP reads the value of -http: HOST:PORT, either of which may be missing.
func splitHTTP(value string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(value)
	if err != nil {
		if _, numeric := strconv.Atoi(value); numeric == nil {
			host, port = "", value
		} else if !strings.Contains(value, ":") || net.ParseIP(strings.Trim(value, "[]")) != nil {
			host, port = strings.Trim(value, "[]"), ""
		} else {
			return "", "", fmt.Errorf("invalid -http %q: use HOST:PORT, such as localhost:8080", value)
		}
	}
	if host == "" {
		host = "localhost"
	}
	if port == "" {
		port = "0"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", "", fmt.Errorf("invalid -http %q: invalid port %q, use a number from 0 to 65535", value, port)
	}
	return host, port, nil
}

// listenUI opens the address of the web UI.
func listenUI(ctx context.Context, host, port string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if server.InUse(err) {
		return nil, fmt.Errorf("port %s of %s is in use, perhaps by another hone: choose another port with -http=%s:PORT, or leave out -http to use a free one", port, host, host)
	}
	if server.NotPermitted(err) {
		return nil, fmt.Errorf("this user can't use port %s of %s: choose a port above 1023 with -http=%s:PORT", port, host, host)
	}
	if err != nil {
		return nil, fmt.Errorf("-http: %w", err)
	}
	if host == "localhost" && !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		l.Close()
		return nil, fmt.Errorf("localhost is %s here, which other machines may reach: give an address with -http=HOST:PORT, such as 127.0.0.1:%s", l.Addr(), port)
	}
	return l, nil
}
