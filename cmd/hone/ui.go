package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
	"github.com/hone-go/hone/web"
)

const uiHelp = `usage: hone ui [flags] [PROGRAM] [SOURCE...]

Show profiles in a web browser: flame graph, tables, call graph, source, machine
code, labels, and what changed between two. What is shown, and how, is in the
page's address: a link shows the same again. ^C ends it.

Several sources are added up, and each can be looked at alone. A directory
stands for the profiles in it. Runs that hone bench kept (see hone help runs) are
shown with their benchmarks: one alone, two compared. Without a source, the page
lists the runs of this module; where there are none, drop a file on it.

  -http [HOST]:[PORT]
                  serve it there; localhost and a free port by default
  -no_browser     do not open a browser
  -view NAME      what to show first: flame, top, sandwich, graph, source,
                  disasm, peek, traces, tags, raw or diff
  -runs DIR       where runs are kept; .hone/runs of this module by default

With -base or -diff_base, the profiles are compared: flame graphs and tables
have both values. Several on each side are runs of the same program, so that
changes can be told from noise.

Only this machine can reach the page, unless HOST says otherwise: whoever can
connect can read the profiles, and source code of the functions in them.
doc/api.md describes what else the address answers.

Examples:

  hone ui cpu.pb.gz
  hone ui -seconds 10 http://localhost:6060/debug/pprof/profile
  hone ui -base before.pb.gz after.pb.gz
  hone ui latest
  hone ui latest~1 latest
  hone ui -http localhost:8080 -no_browser profiles/

All flags that select a sample type, filter and fetch work as in hone pprof, and
are what the page starts with; see "hone help pprof".
`

// uiFlags are the flags of hone ui that other verbs don't have.
type uiFlags struct{ view, runs string }

func (f *uiFlags) define(fs *flag.FlagSet) {
	fs.StringVar(&f.view, "view", "", "")
	fs.StringVar(&f.runs, "runs", "", "")
}

func runUI(ctx context.Context, a *app, args []string) error {
	var f uiFlags
	inv, err := shell.ParseVerb("ui", args, a.stderr, f.define)
	if err != nil {
		return err
	}
	if f.view != "" && !slices.Contains(server.Views(), f.view) {
		return &shell.UsageError{Verb: "ui", Err: fmt.Errorf("unknown -view %q: it is one of %s", f.view, strings.Join(server.Views(), ", "))}
	}
	if inv.Output != "" {
		return &shell.UsageError{Verb: "ui", Err: errors.New("-o makes no sense with a web UI, whose pages can be downloaded")}
	}
	if f.runs != "" {
		// Sources that name runs there are their directories from here on.
		for i, source := range inv.Sources {
			if dirs, _ := uiRunDirs(f.runs, []string{source}); len(dirs) > 0 {
				inv.Sources[i] = dirs[0]
			}
		}
	}
	return a.serve(ctx, inv, f, false)
}

// serve shows a command line's profiles in a browser until ctx is done.
func (a *app) serve(ctx context.Context, inv *shell.Invocation, f uiFlags, compat bool) error {
	verb := "ui"
	if compat {
		verb = "pprof"
	}
	host, port, err := splitHTTP(inv.HTTP)
	if err != nil {
		return &shell.UsageError{Verb: verb, Err: err}
	}
	// First the address, which is quickly told to be taken, then the profiles.
	listener, err := listen(ctx, host, port)
	if err != nil {
		return err
	}
	defer listener.Close()
	cfg, err := a.uiConfig(ctx, inv, compat)
	if err != nil {
		return err
	}
	kept, err := a.newKeptRuns(inv, compat, cmp.Or(f.runs, runsRoot()))
	if err != nil {
		return err
	}
	if kept != nil {
		cfg.Runs = kept
	}
	reach := reachable(host, listener.Addr())
	cfg.Hosts, cfg.AnyAddress = reach.hosts, reach.anyAddress
	srv, err := server.New(ctx, cfg)
	if err != nil {
		return err
	}
	if reach.public {
		a.warn("Warning: anyone who can connect to this address can read the profiles and source code.")
	}
	page := "http://" + reach.hosts[0] + "/"
	start := srv.Start()
	switch runs := kept.startPage(inv); {
	case f.view == "" && runs != "":
		page += runs
	case start != "":
		page += cmp.Or(f.view, "flame") + "?" + start
	default:
		page += f.view
	}
	fmt.Fprintf(a.stdout, "Serving on %s; ^C ends it\n", page)
	if !inv.NoBrowser {
		if err := shell.OpenBrowser(page, a.getenv, a.stderr); err != nil {
			a.warn("No browser could be started: open the address above.")
		}
	}
	go srv.Prepare(ctx)
	return srv.Serve(ctx, listener)
}

// uiConfig returns what a server of a command line's profiles is made of, but
// for its names.
func (a *app) uiConfig(ctx context.Context, inv *shell.Invocation, compat bool) (server.Config, error) {
	entries, err := a.uiEntries(ctx, inv, compat)
	if err != nil {
		return server.Config{}, err
	}
	finder := srcfind.New(srcfind.Config{SearchPath: inv.SourcePath, TrimPath: inv.TrimPath, Confined: true})
	env := a.env(inv.Options)
	env.Source, env.Text = finder.Lines, finder.Find
	cfg := server.Config{
		Profiles: entries.all, Shown: entries.shown, Base: entries.base,
		Options: inv.Config,
		Env:     env,
		Pages:   web.Files(),
		Log:     a.warn,
		Limits:  server.Limits{Body: inv.MaxBytes},
		Decode: func(ctx context.Context, data []byte) (*profile.Profile, error) {
			l := a.newUILoad(inv, compat)
			p, err := l.loader.Decode(bytes.NewReader(data), &capture.Source{Name: "upload", Size: int64(len(data))})
			if err != nil {
				return nil, err
			}
			return l.completed(ctx, p)
		},
	}
	if dir, err := os.UserConfigDir(); err == nil {
		cfg.ViewsFile = filepath.Join(dir, "hone", "views.json")
	}
	return cfg, nil
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
			return "", "", fmt.Errorf("-http %s: want HOST:PORT, such as localhost:8080", value)
		}
	}
	if host == "" {
		host = "localhost"
	}
	if port == "" {
		port = "0"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", "", fmt.Errorf("-http %s: %q is no port", value, port)
	}
	return host, port, nil
}

// listen opens the address of the web UI.
func listen(ctx context.Context, host, port string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if errors.Is(err, syscall.EADDRINUSE) || isWindowsError(err, 10048) {
		return nil, fmt.Errorf("port %s of %s is in use, perhaps by another hone: choose another with -http=%s:PORT, or leave it out for a free one", port, host, host)
	}
	if errors.Is(err, syscall.EACCES) || isWindowsError(err, 10013) {
		return nil, fmt.Errorf("port %s of %s may not be used by this user: choose one above 1023 with -http=%s:PORT", port, host, host)
	}
	if err != nil {
		return nil, fmt.Errorf("-http: %w", err)
	}
	if host == "localhost" && !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		l.Close()
		return nil, fmt.Errorf("localhost is %s here, which others may reach: name an address with -http=HOST:PORT, such as 127.0.0.1:%s", l.Addr(), port)
	}
	return l, nil
}

// isWindowsError reports whether an error is one of Windows' for sockets, which
// are not those of package syscall.
func isWindowsError(err error, number syscall.Errno) bool {
	return runtime.GOOS == "windows" && errors.Is(err, number)
}

// reach tells under which names a server is reached.
type reach struct {
	hosts      []string // the first is for the user
	anyAddress bool     // under all numeric addresses of this machine
	public     bool     // by other machines
}

func reachable(host string, addr net.Addr) reach {
	tcp := addr.(*net.TCPAddr)
	port := strconv.Itoa(tcp.Port)
	r := reach{hosts: []string{net.JoinHostPort(host, port)}, anyAddress: tcp.IP.IsUnspecified(), public: !tcp.IP.IsLoopback()}
	if r.anyAddress {
		r.hosts = []string{net.JoinHostPort("localhost", port)}
		if name, err := os.Hostname(); err == nil {
			r.hosts = append(r.hosts, net.JoinHostPort(name, port))
		}
	}
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		if h := net.JoinHostPort(name, port); !slices.Contains(r.hosts, h) {
			r.hosts = append(r.hosts, h)
		}
	}
	return r
}
