package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/scrape"
	"github.com/hone-go/hone/internal/notify"
	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/server/findings"
	"github.com/hone-go/hone/internal/server/mcp"
	"github.com/hone-go/hone/internal/server/regressions"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/server/stored"
	"github.com/hone-go/hone/web"
)

// Run runs a server until ctx is done.
func Run(ctx context.Context, cfg *Config, o Options) (err error) {
	d := &daemon{cfg: cfg, o: o, level: new(slog.LevelVar), metrics: prometheus.NewRegistry(), memory: ingest.NewMemory(int64(cfg.Server.InFlight))}
	d.log = newLog(o.Stderr, cfg, d.level)
	l, reach, err := d.listen(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return cfg.Blame("data", err)
	}
	if exposed(cfg.Data) {
		d.log.Warn("other users of this machine can read the profiles: chmod 700 the data directory", "data", cfg.Data)
	}
	cfg.limitMemory(o.Getenv)
	d.store, err = openStore(ctx, l, cfg, d.log)
	if err != nil || d.store == nil {
		return err
	}
	defer func() {
		if cerr := d.store.Close(); cerr != nil && err == nil {
			err = cerr
		}
	}()
	if cfg.needsLogin(!reach.Public) {
		if d.auth, err = d.newAuth(); err != nil {
			return err
		}
		defer d.auth.Audit.Close()
	}
	// What the server computes and fetches ends after its last answer.
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	if err := d.assemble(work, reach); err != nil {
		return err
	}
	defer d.markers.Close()
	go d.followMemory(work)
	return d.serve(ctx, work, l, reach)
}

// assemble makes the server of a daemon whose store is open, with all of its routes.
func (d *daemon) assemble(work context.Context, reach server.Reach) (err error) {
	markers, err := stored.OpenMarkers(work, filepath.Join(d.cfg.Data, "markers.json"), d.store, d.warn)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			markers.Close()
		}
	}()
	d.markers = markers
	d.hub = d.newHub()
	d.scraper = scrape.New(d.hub, d.log.With("part", "scrape"))
	d.metrics.MustRegister(d.hub, d.scraper, d.store)
	protocols, err := d.protocols()
	if err != nil {
		return err
	}
	if d.server, err = d.newServer(work, protocols, reach); err != nil {
		return err
	}
	d.functions = d.newFunctionMetrics()
	if err := d.applyFunctionMetrics(d.cfg); err != nil {
		return err
	}
	d.kept = stored.New(d.server, stored.Config{
		Store: d.store, Markers: d.markers, Functions: d.functions, Env: d.o.Site.Env, Status: d.status, Backup: d.store.backup, Version: d.o.Version,
	})
	module, err := d.cfg.module(reach.Public)
	if err != nil {
		return err
	}
	site := storedSite(d.o.Site, d.kept, d.cfg.Data)
	site.Offers.Advice = module != nil
	d.profiles = reports.New(work, d.server, site)
	runs.Absent(d.server)
	// Whoever reaches it from this machine alone is the one who runs hone fix here.
	findings.New(work, d.server, findings.Config{Module: module, Keep: !reach.Public, Open: d.profiles.Open})
	found := regress.NewState(filepath.Join(d.cfg.Data, "regressions.json"), d.warn)
	d.watching = regress.NewWatch(regress.Config{
		Store: d.store, State: found, Every: time.Duration(d.cfg.Regressions.Every), Budget: d.cfg.Regressions.Budget, Limits: d.cfg.Regressions.Limits, Log: d.warn,
	})
	if d.notifier, err = notify.New(notify.Config{
		Targets: d.cfg.Notify, Page: d.page(reach), File: filepath.Join(d.cfg.Data, "notifications.json"), List: found.List, Log: d.warn,
	}); err != nil {
		return d.cfg.Blame("notify", err)
	}
	d.metrics.MustRegister(regressions.New(d.server, found, d.watching), regressions.NewNotifications(d.server, d.notifier))
	mcp.Mount(d.server, d.o.Version)
	d.server.Operate(d.ready)
	return nil
}

// listen opens the server's address, unless others could reach it who are not to.
func (d *daemon) listen(ctx context.Context) (net.Listener, server.Reach, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.cfg.Listen)
	if server.InUse(err) {
		return nil, server.Reach{}, fmt.Errorf("%s is in use, perhaps by another hone serve: choose another address with -listen", d.cfg.Listen)
	} else if err != nil {
		return nil, server.Reach{}, d.cfg.Blame("listen", err)
	}
	host, _, _ := net.SplitHostPort(d.cfg.Listen)
	reach := server.Reachable(host, l.Addr())
	if err := d.cfg.exposure(!reach.Public); err != nil {
		l.Close()
		return nil, server.Reach{}, err
	}
	return l, reach, nil
}

// newAuth returns who may do what.
func (d *daemon) newAuth() (*auth.Auth, error) {
	// What can't be read lets nobody in. It stays where it is: without it, a later start
	// might take it that nobody has to log in.
	tokens, err := auth.OpenTokens(d.cfg.Auth.Tokens)
	if err != nil {
		d.log.Error("no token is accepted: the file of tokens can't be read; mend it, or move it away and add tokens again", "file", d.cfg.Auth.Tokens, "error", err)
	}
	secure := d.cfg.TLS.Cert != "" || strings.HasPrefix(d.cfg.PublicURL, "https:")
	sessions, err := auth.NewSessions(d.cfg.SessionsFile(), filepath.Join(d.cfg.Data, "session.key"), secure, d.warn)
	if err != nil {
		return nil, err
	}
	const auditSize = 64 << 20
	audit, err := auth.OpenAudit(filepath.Join(d.cfg.Data, "audit.log"), auditSize, func(err error) { d.log.Error(err.Error()) })
	if err != nil {
		return nil, err
	}
	out := &auth.Auth{Tokens: tokens, Sessions: sessions, Audit: audit}
	if d.cfg.Auth.OIDC != nil {
		of, err := d.cfg.oidc()
		if err != nil {
			return nil, err
		}
		if out.OIDC, err = auth.NewOIDC(of); err != nil {
			return nil, err
		}
	}
	if tokens.Err() == nil && len(tokens.List()) == 0 && out.OIDC == nil {
		d.log.Warn("no one can log in: there are no tokens; create one with hone token add", "file", d.cfg.Auth.Tokens)
	}
	return out, nil
}

// newHub returns what takes profiles in. New versions among them become markers.
func (d *daemon) newHub() *ingest.Hub {
	cfg := d.cfg.Limits
	cfg.Memory = d.memory
	cfg.Store, cfg.Log, cfg.Allow = d.markers.Observe(d.store), d.log.With("part", "ingest"), server.MayWrite
	return ingest.New(cfg)
}

// newServer returns the server without its services.
func (d *daemon) newServer(ctx context.Context, protocols *http.ServeMux, reach server.Reach) (*server.Server, error) {
	cfg := d.serverConfig(reach)
	cfg.Pages = web.Files()
	cfg.Agents = &server.Agents{Protocols: protocols, Receiver: d.hub, Memory: d.memory}
	cfg.Limits = server.Limits{
		CacheBytes: int64(d.cfg.Queries.Cache), Parallel: d.cfg.Queries.Parallel, Queue: d.cfg.Queries.Waiting,
		Push: d.cfg.Limits.MaxMemory, Work: d.memory.Total() / 2, Answer: int64(d.cfg.Queries.MaxAnswer), Rate: int64(d.cfg.Server.MinRate),
	}
	return server.New(ctx, cfg)
}

// serverConfig says how a server is reached, and by whom.
func (d *daemon) serverConfig(reach server.Reach) server.Config {
	cfg := server.Config{
		Hosts: append(reach.Hosts, d.cfg.Hosts...), AnyAddress: reach.AnyAddress, PublicURL: d.cfg.PublicURL, Auth: d.auth, Metrics: d.metrics, Log: d.warn,
		Refused: func(address string, err error) {
			d.log.Warn("requests from this address are refused; logged once per hour", "address", address, "error", err)
		},
	}
	if u, err := url.Parse(d.cfg.PublicURL); err == nil && u.Host != "" {
		cfg.Hosts = append([]string{u.Host}, cfg.Hosts...)
	}
	return cfg
}

// secure has connections encrypted if the configuration has a certificate, and
// returns the scheme of addresses.
func (d *daemon) secure(of *server.Listening) (scheme string, err error) {
	if d.cfg.TLS.Cert == "" {
		return "http", nil
	}
	cert, err := openCertificate(d.cfg.TLS.Cert, d.cfg.TLS.Key, d.log)
	if err != nil {
		return "", d.cfg.Blame("tls", err)
	}
	of.TLS = cert.config()
	return "https", nil
}

// page returns the address of the web UI.
func (d *daemon) page(reach server.Reach) string {
	switch {
	case d.cfg.PublicURL != "":
		return d.cfg.PublicURL
	case d.cfg.TLS.Cert != "":
		return "https://" + reach.Hosts[0] + "/"
	}
	return "http://" + reach.Hosts[0] + "/"
}

// startNotifier starts notifications. stop ends them, and waits for requests under way.
func (d *daemon) startNotifier(work context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(work)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.notifier.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// storedSite returns how profiles are shown, with those of a store, whose selections
// opener opens. Views are kept in the data directory.
func storedSite(site reports.Config, opener reports.Opener, data string) reports.Config {
	site.Opener, site.Offers.Continuous, site.Shared = opener, true, true
	site.ViewsFile = filepath.Join(data, "views.json")
	return site
}

// started describes the server in the log. The store has an address of its own if it isn't
// in the data directory.
func (d *daemon) started(address string, tls bool) []any {
	fields := []any{"address", address, "data", d.cfg.Data}
	if d.cfg.Store.URL != "" {
		fields = append(fields, "store", d.cfg.Keeps())
	}
	return append(fields, "login", d.auth != nil, "tls", tls, "version", d.o.Version)
}

// prepareTime is how long a start may take for the sake of the first questions.
const prepareTime = 250 * time.Millisecond

// serve answers connections until ctx is done. What works in the background works in
// the context work.
func (d *daemon) serve(ctx, work context.Context, l net.Listener, reach server.Reach) error {
	if err := d.scraper.Apply(d.cfg.Scrape); err != nil {
		return d.cfg.Blame("scrape", err)
	}
	scraped := make(chan struct{})
	scraping, stopScraping := context.WithCancel(auth.With(work, auth.Anyone))
	go func() {
		defer close(scraped)
		d.scraper.Run(scraping)
	}()
	defer func() {
		stopScraping()
		<-scraped
	}()
	of := server.Listening{
		Connections: d.cfg.connections(), Body: time.Duration(d.cfg.Server.BodyTimeout), Drain: time.Duration(d.cfg.Server.Shutdown),
		Ending: func() {
			d.log.Info("ending: no new connections, requests under way are finished")
			// A second ^C ends at once: what was acknowledged is on the disk.
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			d.cloudProfiler.Close()
			stopScraping()
		},
	}
	if _, err := d.secure(&of); err != nil {
		return err
	}
	stopProxy, err := d.startProxy(work)
	if err != nil {
		return err
	}
	defer stopProxy()
	d.reloadOnHangup(work)
	// Who connects meanwhile waits.
	preparing, prepared := context.WithTimeout(ctx, prepareTime)
	go func() {
		defer prepared()
		d.kept.Prepare(preparing, d.profiles.PrepareFlame)
	}()
	<-preparing.Done()
	// A start leaves as much dead memory as live. Collected now, the first questions use it again,
	// which is faster than memory that the kernel has to map first.
	go runtime.GC()
	fmt.Fprintf(d.o.Stdout, "Serving on %s, profiles in %s; ^C ends it\n", d.page(reach), d.cfg.Keeps())
	d.log.Info("started", d.started(l.Addr().String(), of.TLS != nil)...)
	if d.auth == nil && reach.Public {
		d.log.Warn("anyone who can connect reads and writes all profiles")
	}
	go d.watch(work)
	if d.cfg.Regressions.Budget > 0 {
		go d.watching.Run(work)
	}
	defer d.startNotifier(work)()
	go d.functions.Run(work)
	if err := d.server.ServeContinuous(ctx, l, of); err != nil {
		if ctx.Err() == nil {
			return err
		}
		d.log.Warn(err.Error())
	}
	d.log.Info("ended")
	return nil
}
