package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler"
	"github.com/hone-go/hone/internal/ingest/otlp"
	"github.com/hone-go/hone/internal/ingest/parca"
	"github.com/hone-go/hone/internal/ingest/pyroscope"
	"github.com/hone-go/hone/internal/ingest/scrape"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk"
)

const serveHelp = `usage: hone serve [flags]

Collect profiles of programs all the time, keep them, and show them: what each
service spends, over time, by version, zone, instance or any label, and what
changed. Programs send profiles with hone's agent or with those of Cloud
Profiler, Pyroscope, Parca and OpenTelemetry, or hone fetches them. ^C ends it.

  -listen HOST:PORT
                  where to listen; 127.0.0.1:4600 by default
  -data DIR       where profiles are kept; by default $STATE_DIRECTORY, or
                  $XDG_STATE_HOME/hone, or ~/.local/state/hone
  -retention AGE  how long profiles are kept, such as 30d, which is the default;
                  0 is for ever
  -max-size SIZE  how much disk they may take, such as 100GB: the oldest go first
  -config FILE    read settings from a file; flags have the last word
  -check          check settings and the files they name, and end
  -log-format text|json, -log-level debug|info|warn|error
                  what is logged on standard error

Others can reach the server only if it asks them to log in and has TLS:

  -tls-cert FILE, -tls-key FILE
                  the certificate; it is read again when the files change
  -tokens FILE    the tokens that programs and people log in with, made by
                  hone token; DIR/tokens.json by default
  -public-url URL the address that browsers know the server by
  -allow-anyone   let everyone who can connect read and write all profiles
  -allow-plaintext
                  let tokens and profiles go over the network unencrypted

  -cloud-profiler-proxy[=HOST:PORT]
                  serve programs with the agent of Cloud Profiler that can't be
                  told of another server, at 127.0.0.1:4601 by default
  -source-path DIRS
                  where source code is looked for, besides GOROOT and modules

doc/serve.md has the settings of the file, doc/security.md who may do what,
doc/api.md what the address answers.

Examples:

  hone serve
  hone serve -data /srv/hone -retention 90d -max-size 200GB
  hone token add -role write -service 'shop-*' agents
  hone serve -listen :4600 -tls-cert cert.pem -tls-key key.pem
  hone serve -config hone-serve.toml -check
`

func runServe(ctx context.Context, a *app, args []string) error {
	flags, err := parseServeFlags(args)
	if err != nil {
		return err
	}
	cfg, err := flags.resolved(a.getenv)
	if err != nil {
		return err
	}
	if flags.check {
		return a.checkServe(ctx, cfg)
	}
	return a.serveContinuous(ctx, cfg, flags)
}

// checkServe tells whether a server would start, as far as that can be told
// without one.
func (a *app) checkServe(ctx context.Context, cfg *serveConfig) error {
	log := slog.New(slog.DiscardHandler)
	if cfg.TLS.Cert != "" {
		if _, err := openCertificate(cfg.TLS.Cert, cfg.TLS.Key, log); err != nil {
			return cfg.blame("tls", err)
		}
	}
	if _, err := auth.OpenTokens(cfg.Auth.Tokens); err != nil {
		return cfg.blame("auth.tokens", err)
	}
	host, _, _ := net.SplitHostPort(cfg.Listen)
	loopback := host != ""
	if loopback {
		ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
		if err != nil {
			return cfg.blame("listen", err)
		}
		for _, ip := range ips {
			loopback = loopback && ip.IP.IsLoopback()
		}
	}
	if err := cfg.exposure(loopback); err != nil {
		return err
	}
	if host, _, _ := net.SplitHostPort(cfg.CloudProfiler.Proxy); cfg.CloudProfiler.Proxy != "" && !cfg.needsLogin(loopback) && !cloudprofiler.IsLocal(host) {
		return cfg.blame("cloud_profiler.proxy", cloudprofiler.ErrOpenProxy)
	}
	login := "no login"
	if cfg.needsLogin(loopback) {
		login = "login required, tokens in " + cfg.Auth.Tokens
		if cfg.Auth.OIDC != nil {
			login += ", and " + cfg.Auth.OIDC.Issuer
		}
	}
	fmt.Fprintf(a.stdout, "The settings are good: listen on %s, profiles in %s, %s.\n", cfg.Listen, cfg.Data, login)
	return nil
}

// serveContinuous runs the server until ctx is done.
func (a *app) serveContinuous(ctx context.Context, cfg *serveConfig, flags *serveFlags) (err error) {
	level := new(slog.LevelVar)
	log := newLog(a.stderr, cfg, level)
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen)
	if errors.Is(err, syscall.EADDRINUSE) || isWindowsError(err, 10048) {
		return fmt.Errorf("%s is in use, perhaps by another hone serve: choose another address with -listen", cfg.Listen)
	} else if err != nil {
		return cfg.blame("listen", err)
	}
	defer l.Close()
	host, _, _ := net.SplitHostPort(cfg.Listen)
	reach := reachable(host, l.Addr())
	if err := cfg.exposure(!reach.public); err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return cfg.blame("data", err)
	}
	st, err := disk.Open(filepath.Join(cfg.Data, "store"), disk.Options{
		Retention: time.Duration(cfg.Store.Retention), MaxBytes: int64(cfg.Store.MaxSize), MinFree: int64(cfg.Store.MinFree),
		CacheBytes: int64(cfg.Store.Cache), Log: log.With("part", "store"),
	})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := st.Close(); cerr != nil && err == nil {
			err = cerr
		}
	}()
	s := &serving{app: a, cfg: cfg, flags: flags, log: log, level: level, store: st, metrics: prometheus.NewRegistry()}
	if cfg.needsLogin(!reach.public) {
		if s.auth, err = s.newAuth(); err != nil {
			return err
		}
		defer s.auth.Audit.Close()
	}
	return s.run(ctx, l, reach)
}

func newLog(w io.Writer, cfg *serveConfig, level *slog.LevelVar) *slog.Logger {
	if v, err := cfg.logLevel(); err == nil {
		level.Set(v)
	}
	o := &slog.HandlerOptions{Level: level}
	if cfg.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// serving is a server of continuous profiling with its parts.
type serving struct {
	app     *app
	cfg     *serveConfig
	flags   *serveFlags
	log     *slog.Logger
	level   *slog.LevelVar
	store   *disk.Store
	auth    *auth.Auth // nil without login
	metrics *prometheus.Registry

	hub           *ingest.Hub
	scraper       *scrape.Scraper
	hubLimits     ingest.Config
	changes       changes
	cloudProfiler *cloudprofiler.Service
}

// newAuth returns who may do what.
func (s *serving) newAuth() (*auth.Auth, error) {
	tokens, err := auth.OpenTokens(s.cfg.Auth.Tokens)
	if err != nil {
		return nil, err
	}
	secure := s.cfg.TLS.Cert != "" || strings.HasPrefix(s.cfg.PublicURL, "https:")
	sessions, err := auth.NewSessions(filepath.Join(s.cfg.Data, "session.key"), secure)
	if err != nil {
		return nil, err
	}
	const auditSize = 64 << 20
	audit, err := auth.OpenAudit(filepath.Join(s.cfg.Data, "audit.log"), auditSize, func(err error) { s.log.Error(err.Error()) })
	if err != nil {
		return nil, err
	}
	out := &auth.Auth{Tokens: tokens, Sessions: sessions, Audit: audit}
	if s.cfg.Auth.OIDC != nil {
		of, err := s.cfg.oidc()
		if err != nil {
			return nil, err
		}
		if out.OIDC, err = auth.NewOIDC(of); err != nil {
			return nil, err
		}
	}
	if len(tokens.List()) == 0 && out.OIDC == nil {
		s.log.Warn("nobody can log in: there are no tokens; make one with hone token add", "file", s.cfg.Auth.Tokens)
	}
	return out, nil
}

// run answers connections until ctx is done.
func (s *serving) run(ctx context.Context, l net.Listener, reach reach) error {
	// What the server computes and fetches ends after its last answer.
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	srv, err := s.newServer(work, reach)
	if err != nil {
		return err
	}
	defer srv.Close()
	if err := s.scraper.Apply(s.cfg.Scrape); err != nil {
		return s.cfg.blame("scrape", err)
	}
	scraped := make(chan struct{})
	scraping, stopScraping := context.WithCancel(auth.With(work, auth.Anyone))
	go func() {
		defer close(scraped)
		s.scraper.Run(scraping)
	}()
	defer func() {
		stopScraping()
		<-scraped
	}()
	of := server.Listening{
		Connections: s.cfg.Server.Connections, Body: time.Duration(s.cfg.Server.BodyTimeout), Drain: time.Duration(s.cfg.Server.Shutdown),
		Ending: func() {
			s.log.Info("ending: no new connections, requests under way are finished")
			// A second ^C ends at once: what was acknowledged is on the disk.
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			s.cloudProfiler.Close()
			stopScraping()
		},
	}
	scheme := "http"
	if s.cfg.TLS.Cert != "" {
		cert, err := openCertificate(s.cfg.TLS.Cert, s.cfg.TLS.Key, s.log)
		if err != nil {
			return s.cfg.blame("tls", err)
		}
		of.TLS, scheme = cert.config(), "https"
	}
	stopProxy, err := s.startProxy(work, srv)
	if err != nil {
		return err
	}
	defer stopProxy()
	s.reloadOnHangup(work)
	page := scheme + "://" + reach.hosts[0] + "/"
	if s.cfg.PublicURL != "" {
		page = s.cfg.PublicURL
	}
	// Who connects meanwhile waits.
	preparing, prepared := context.WithTimeout(ctx, prepareTime)
	go func() {
		defer prepared()
		srv.Prepare(preparing)
	}()
	<-preparing.Done()
	fmt.Fprintf(s.app.stdout, "Serving on %s, profiles in %s; ^C ends it\n", page, s.cfg.Data)
	s.log.Info("started", "address", l.Addr().String(), "data", s.cfg.Data, "login", s.auth != nil, "tls", of.TLS != nil, "version", honeVersion())
	if s.auth == nil && reach.public {
		s.log.Warn("anyone who can connect reads and writes all profiles")
	}
	go s.watch(work)
	if err := srv.ServeContinuous(ctx, l, of); err != nil {
		if ctx.Err() == nil {
			return err
		}
		s.log.Warn(err.Error())
	}
	s.log.Info("ended")
	return nil
}

func honeVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(devel)"
}

// newServer puts the parts together.
func (s *serving) newServer(ctx context.Context, reach reach) (*server.Server, error) {
	args := []string{}
	if s.cfg.SourcePath != "" {
		args = append(args, "-source_path", s.cfg.SourcePath)
	}
	inv, err := shell.ParseVerb("ui", args, io.Discard)
	if err != nil {
		return nil, err
	}
	cfg, err := s.app.uiConfig(ctx, inv, false)
	if err != nil {
		return nil, err
	}
	cfg.Hosts, cfg.AnyAddress = append(reach.hosts, s.cfg.Hosts...), reach.anyAddress
	if u, err := url.Parse(s.cfg.PublicURL); err == nil && u.Host != "" {
		cfg.Hosts = append([]string{u.Host}, cfg.Hosts...)
	}
	cfg.Log = func(line string) { s.log.Warn(line) }
	cfg.ViewsFile = filepath.Join(s.cfg.Data, "views.json")
	cfg.Limits = server.Limits{
		CacheBytes: int64(s.cfg.Queries.Cache), Parallel: s.cfg.Queries.Parallel, Queue: s.cfg.Queries.Waiting, Sending: int64(s.cfg.Server.InFlight),
	}
	cfg.Continuous = &server.Continuous{
		Store:       s.store,
		Receiver:    s.newReceiver,
		Protocols:   s.mount,
		Auth:        s.auth,
		MarkersFile: filepath.Join(s.cfg.Data, "markers.json"),
		Status:      s.status,
		Ready:       s.ready,
		Metrics:     s.metrics,
		Backup:      s.backup,
		Version:     honeVersion(),
	}
	return server.New(ctx, cfg)
}

// withDefaultLimits returns the limits in force.
func withDefaultLimits(c ingest.Config) ingest.Config {
	d := ingest.DefaultConfig()
	c.MaxSeries, c.DeltaBytes = cmp.Or(c.MaxSeries, d.MaxSeries), cmp.Or(c.DeltaBytes, d.DeltaBytes)
	c.MaxBody, c.MaxValue = cmp.Or(c.MaxBody, d.MaxBody), cmp.Or(c.MaxValue, d.MaxValue)
	return c
}

func (s *serving) newReceiver(st store.Store) ingest.Receiver {
	cfg := s.cfg.Limits
	cfg.Store, cfg.Log, cfg.Allow = st, s.log.With("part", "ingest"), server.MayWrite
	s.hub, s.hubLimits = ingest.New(cfg), withDefaultLimits(cfg)
	s.scraper = scrape.New(s.hub, s.log.With("part", "scrape"))
	s.metrics.MustRegister(s.hub, s.scraper, storeMetrics{s.store})
	return s.hub
}

// mount adds the wire protocols of agents and other tools.
func (s *serving) mount(mux *http.ServeMux, recv ingest.Receiver, st store.Store) error {
	pyroscope.Mount(mux, recv)
	pyroscope.MountQueries(mux, st, func(ctx context.Context) string { return auth.From(ctx).Scope() })
	parca.Mount(mux, recv)
	otlp.Mount(mux, recv)
	key, err := cloudprofiler.LoadKey(filepath.Join(s.cfg.Data, "cloud-profiler.key"))
	if err != nil {
		return err
	}
	allow := func(may func(context.Context, string) *ingest.Error) func(context.Context, string) error {
		return func(ctx context.Context, service string) error {
			if err := may(ctx, service); err != nil {
				return err
			}
			return nil
		}
	}
	cfg := s.cfg.cloudProfiler()
	cfg.Key, cfg.Log = key, s.log.With("part", "cloudprofiler")
	cfg.MayWrite, cfg.MayRead = allow(server.MayWrite), allow(server.MayRead)
	s.cloudProfiler, err = cloudprofiler.New(recv, st, cfg)
	if err != nil {
		return s.cfg.blame("cloud_profiler", err)
	}
	s.cloudProfiler.Mount(mux)
	return nil
}

// prepareTime is how long a start may take for the sake of the first questions.
const prepareTime = 250 * time.Millisecond

// proxyDrain is how long requests through the proxy have at the end.
const proxyDrain = 5 * time.Second

// backup writes a copy of the store into a folder of the data directory.
func (s *serving) backup(ctx context.Context, name string) (string, error) {
	dir := filepath.Join(s.cfg.Data, "backups")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dir = filepath.Join(dir, name)
	return dir, s.store.Backup(ctx, dir)
}

// startProxy starts the proxy for agents of Cloud Profiler, if it is wanted, and
// returns what ends it.
func (s *serving) startProxy(ctx context.Context, srv http.Handler) (func(), error) {
	addr := s.cfg.CloudProfiler.Proxy
	if addr == "" {
		return func() {}, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, s.cfg.blame("cloud_profiler.proxy", err)
	}
	cfg := s.cfg.cloudProfilerProxy()
	cfg.Addr, cfg.Log = l.Addr().String(), s.log.With("part", "proxy")
	if s.auth != nil {
		cfg.Authenticate = func(_ context.Context, token string) error {
			_, err := s.auth.Tokens.Find(token)
			return err
		}
	}
	p, err := cloudprofiler.NewProxy(srv, cfg)
	if err != nil {
		l.Close()
		return nil, s.cfg.blame("cloud_profiler.proxy", err)
	}
	hs := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
	go hs.Serve(l)
	fmt.Fprint(s.app.stdout, p.Instructions())
	return func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), proxyDrain)
		defer cancel()
		l.Close()
		if err := p.Shutdown(stop); err != nil {
			s.log.Warn("requests through the proxy were cut off at the end", "error", err)
		}
		hs.Close()
	}, nil
}

// reloadOnHangup reads the configuration again when the process is told to. What
// can change while the server runs does; the rest is for the next start.
func (s *serving) reloadOnHangup(ctx context.Context) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hangup)
		for {
			select {
			case <-hangup:
				s.reload()
			case <-ctx.Done():
				return
			}
		}
	}()
}

func (s *serving) reload() {
	event := auth.Event{Action: "config.reload", Result: auth.OK, Target: s.cfg.file}
	err := func() error {
		cfg, err := s.flags.resolved(s.app.getenv)
		if err != nil {
			return err
		}
		if s.auth != nil && s.auth.OIDC != nil && cfg.Auth.OIDC != nil {
			of, err := cfg.oidc()
			if err != nil {
				return err
			}
			s.auth.OIDC.SetRules(of.Rules)
		}
		if err := s.scraper.Apply(cfg.Scrape); err != nil {
			return cfg.blame("scrape", err)
		}
		level, err := cfg.logLevel()
		s.level.Set(level)
		return err
	}()
	if err != nil {
		event.Result, event.Detail = auth.Failed, err.Error()
		s.log.Error("the configuration can't be read again, the one before stays in force", "error", err)
	} else {
		s.log.Info("read the configuration again")
	}
	if s.auth != nil {
		s.auth.Audit.Log(event)
	}
}
