package reports

import (
	"context"
	"net/url"
	"time"

	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// New adds the service to a server. ctx ends the loading of profiles.
func New(ctx context.Context, srv *server.Server, cfg Config) *Service {
	s := &Service{
		srv: srv, cfg: cfg,
		opener:  opener{srv.Cache, newProfiles(ctx, &cfg, srv), cfg.Opener},
		maker:   maker{srv.Cache, cfg.Env, cfg.Graphs, code{cfg.Build, cfg.TextAt}},
		uploads: make(chan struct{}, srv.Limits().Parallel),
	}
	views := &views{file: cfg.ViewsFile}
	srv.Handle("GET /api/v1/profiles", auth.Read, s.listProfiles)
	srv.Handle("POST /api/v1/profiles", auth.Read, s.uploadProfile)
	srv.Handle("GET /api/v1/profiles/{id}", auth.Read, s.profileInfo)
	srv.Handle("GET /api/v1/profiles/{id}/build", auth.Read, s.profileBuild)
	srv.Handle("GET /api/v1/report/{name...}", auth.Read, s.report)
	srv.Handle("GET /api/v1/views", auth.Read, views.list)
	srv.Handle("PUT /api/v1/views/{name}", auth.Read, views.save)
	srv.Handle("DELETE /api/v1/views/{name}", auth.Read, views.remove)
	s.pprofAddresses()
	return s
}

// settled is how long after the first view's tree the page is taken to be shown.
const settled = 3 * time.Second

// Prepare computes ahead of the first request what it will need, while the
// browser starts, and then gets the layout of call graphs going, whose program
// takes seconds to compile. It returns early when ctx is done.
func (s *Service) Prepare(ctx context.Context) {
	if len(s.cfg.Shown) == 0 {
		return
	}
	values, err := url.ParseQuery(s.Start())
	if err != nil {
		return
	}
	if q, err := s.newQuery(ctx, kindOf("flame"), values); err == nil {
		s.maker.index(ctx, q) // an error is for those who ask
	}
	select {
	case <-time.After(settled):
		s.maker.graphs.Place(ctx, []byte("digraph { a }"))
	case <-ctx.Done():
	}
}

// PrepareFlame computes the flame graph of a profile by its id, as it is asked for
// first.
func (s *Service) PrepareFlame(ctx context.Context, id string) error {
	q, err := s.newQuery(ctx, kindOf("flame"), url.Values{"profile": {id}})
	if err == nil {
		_, err = s.answer(ctx, q)
	}
	return err
}
