// Package stored serves the query API of stored profiles: lists of profiles, sums by
// time, version and labels, functions over time, and markers.
//
//	service     configuration and routes
//	params      the parameters of a request about the store
//	selection   what package reports calls to open the selection with an id
//	open        opens it: what the store has for it now, and how to load its profile
//	load        the profile of a selection: its sum, divided
//	sum         asks the store for the sum or the total of a selection
//	pprof       the sum as a file
//	prepare     flame graphs that are made when the server starts
//	records     labels, services, single profiles
//	series      totals over time
//	history     functions over time and by version
//	rank        the order of functions, and when their shares changed
//	markers     deployments, and events that people mark
//	status      the state of the server, and backups
package stored

import (
	"context"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
)

// Config configures the service. Store and Markers are required.
type Config struct {
	// Store is read through auth.Scoped. The service doesn't close it.
	Store   store.Store
	Markers *Markers
	// Env gives reports access to source and binaries, as in package reports.
	Env report.Env
	// Status returns the parts of the status that this service doesn't know; may be nil.
	Status func() api.Status
	// Backup copies the current store under a name, and returns the path of the copy.
	// It is nil if the store has no backups.
	Backup  func(ctx context.Context, name string) (where string, err error)
	Version string
}

// Service serves the query API of stored profiles.
type Service struct {
	srv        *server.Server
	cfg        Config
	selections selections
}

// New adds the service to a server.
func New(srv *server.Server, cfg Config) *Service {
	s := &Service{srv: srv, cfg: cfg, selections: selections{auth.Scoped(cfg.Store), srv.Cache, srv.Log}}
	srv.Handle("GET /api/v1/pprof", auth.Read, s.mergedProfile)
	srv.Handle("GET /api/v1/labels", auth.Read, s.labels)
	srv.Handle("GET /api/v1/services", auth.Read, s.services)
	srv.Handle("DELETE /api/v1/services", auth.Admin, s.deleteService)
	srv.Handle("GET /api/v1/records", auth.Read, s.records)
	srv.Handle("GET /api/v1/series", auth.Read, s.series)
	srv.Handle("GET /api/v1/history", auth.Read, s.history)
	srv.Handle("GET /api/v1/markers", auth.Read, s.listMarkers)
	srv.Handle("POST /api/v1/markers", auth.Write, s.postMarker)
	srv.Handle("DELETE /api/v1/markers/{id}", auth.Admin, s.removeMarker)
	srv.Handle("GET /api/v1/status", auth.Read, s.status)
	srv.Handle("POST /api/v1/backup", auth.Admin, s.backup)
	return s
}
