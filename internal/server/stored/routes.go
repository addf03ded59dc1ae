package stored

import (
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// New adds the service to a server.
func New(srv *server.Server, cfg Config) *Service {
	s := &Service{srv: srv, cfg: cfg, selections: selections{auth.Scoped(cfg.Store), srv.Cache, srv.Log}}
	srv.Handle("GET /api/v1/pprof", auth.Read, s.mergedProfile)
	srv.Handle("GET /api/v1/labels", auth.Read, s.labels)
	srv.Handle("GET /api/v1/services", auth.Read, s.services)
	srv.Handle("GET /api/v1/overview", auth.Read, s.overview)
	srv.Handle("GET /api/v1/changes", auth.Read, s.changes)
	srv.Handle("DELETE /api/v1/services", auth.Admin, s.deleteService)
	srv.Handle("GET /api/v1/records", auth.Read, s.records)
	srv.Handle("GET /api/v1/series", auth.Read, s.series)
	srv.Handle("GET /api/v1/heat", auth.Read, s.heat)
	srv.Handle("GET /api/v1/endpoints", auth.Read, s.endpoints)
	srv.Handle("GET /api/v1/exemplars", auth.Read, s.exemplars)
	srv.Handle("GET /api/v1/history", auth.Read, s.history)
	srv.Handle("GET /metrics/profiles", auth.Read, s.exposeMetrics)
	srv.Handle("GET /api/v1/function-metrics", auth.Read, s.listMetrics)
	srv.Handle("GET /api/v1/function-metrics/{name}", auth.Read, s.metricHistory)
	srv.Handle("GET /api/v1/markers", auth.Read, s.listMarkers)
	srv.Handle("POST /api/v1/markers", auth.Write, s.postMarker)
	srv.Handle("DELETE /api/v1/markers/{id}", auth.Write, s.removeMarker)
	srv.Handle("GET /api/v1/status", auth.Read, s.status)
	srv.Handle("POST /api/v1/backup", auth.Admin, s.backup)
	return s
}
