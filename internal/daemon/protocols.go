package daemon

import (
	"context"
	"net/http"
	"path/filepath"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler"
	"github.com/hone-go/hone/internal/ingest/otlp"
	"github.com/hone-go/hone/internal/ingest/parca"
	"github.com/hone-go/hone/internal/ingest/pyroscope"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// protocols returns the routes of the wire protocols of agents and other tools.
func (d *daemon) protocols() (*http.ServeMux, error) {
	mux, st := http.NewServeMux(), auth.Scoped(d.store)
	pyroscope.Mount(mux, d.hub)
	pyroscope.MountQueries(mux, st, func(ctx context.Context) string { return auth.From(ctx).Scope() })
	parca.Mount(mux, d.hub)
	otlp.Mount(mux, d.hub)
	key, err := cloudprofiler.LoadKey(filepath.Join(d.cfg.Data, "cloud-profiler.key"), d.warn)
	if err != nil {
		return nil, err
	}
	allow := func(may func(context.Context, string) *ingest.Error) func(context.Context, string) error {
		return func(ctx context.Context, service string) error {
			if err := may(ctx, service); err != nil {
				return err
			}
			return nil
		}
	}
	cfg := d.cfg.cloudProfiler()
	cfg.Key, cfg.Log = key, d.log.With("part", "cloudprofiler")
	cfg.MayWrite, cfg.MayRead = allow(server.MayWrite), allow(server.MayRead)
	d.cloudProfiler, err = cloudprofiler.New(d.hub, st, cfg)
	if err != nil {
		return nil, d.cfg.Blame("cloud_profiler", err)
	}
	d.cloudProfiler.Mount(mux)
	return mux, nil
}
