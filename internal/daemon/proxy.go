package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/hone-go/hone/internal/ingest/cloudprofiler"
	"github.com/hone-go/hone/internal/server/auth"
)

// proxyDrain is how long requests through the proxy have at the end.
const proxyDrain = 5 * time.Second

// startProxy starts the proxy for agents of Cloud Profiler, if it is wanted, and
// returns what ends it.
func (d *daemon) startProxy(ctx context.Context) (func(), error) {
	addr := d.cfg.CloudProfiler.Proxy
	if addr == "" {
		return func() {}, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, d.cfg.Blame("cloud_profiler.proxy", err)
	}
	cfg := d.cfg.cloudProfilerProxy()
	cfg.Addr, cfg.Log = l.Addr().String(), d.log.With("part", "proxy")
	if d.auth != nil {
		cfg.Authenticate = func(_ context.Context, token string) error {
			p, err := d.auth.OfToken(token)
			if err == nil && !p.Roles.Has(auth.Write) {
				err = fmt.Errorf("%s needs the role write to profile", p.Name)
			}
			return err
		}
		cfg.Forwarded = d.auditForwarded
	}
	p, err := cloudprofiler.NewProxy(d.server, cfg)
	if err != nil {
		l.Close()
		return nil, d.cfg.Blame("cloud_profiler.proxy", err)
	}
	hs := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelDebug)}
	go hs.Serve(l)
	fmt.Fprint(d.o.Stdout, p.Instructions())
	return func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), proxyDrain)
		defer cancel()
		l.Close()
		if err := p.Shutdown(stop); err != nil {
			d.log.Warn("requests through the proxy were cut off at the end", "error", err)
		}
		hs.Close()
	}, nil
}

// auditForwarded tells the audit log of a connection that the proxy was asked for.
func (d *daemon) auditForwarded(r *http.Request, token, target string, refused error) {
	e := auth.EventOf(r, auth.ProxyConnect, auth.OK)
	e.Target, e.By = target, auth.ByToken
	if p, err := d.auth.OfToken(token); err == nil {
		e.Who = p.Name
	}
	if refused != nil {
		e.Result, e.Detail = auth.Denied, refused.Error()
	}
	d.auth.Audit.Log(e)
}
