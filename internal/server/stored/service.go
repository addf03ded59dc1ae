// Package stored serves the query API of stored profiles: lists of profiles, sums by
// time, version and labels, functions over time, and markers.
//
//	routes      adds the service to a server
//	service     its configuration
//	params      the parameters of a request about the store
//	selection   what package reports calls to open the selection with an id
//	open        opens it: what the store has for it now, and how to load its profile
//	load        the profile of a selection: its sum, divided
//	sum         asks the store for the sum or the total of a selection
//	pprof       the sum as a file
//	parts       the parts of a selection by a label
//	prepare     flame graphs that are made when the server starts
//	records     labels, services, single profiles
//	series      totals over time
//	requests    the requests of a selection's processes, for values per request
//	endpoints   what requests cost, by endpoint and over time
//	spans       the samples of a selection that were taken in a span of a trace
//	exemplars   single profiles for points of a timeline, with their spans
//	heat        totals by time and label, and single profiles by time and value
//	overview    what services use now: usage asks the store for it, release tells which version runs
//	changes     what changed in a service since its version before and since yesterday
//	history     functions over time and by version: history_query, the request;
//	            functions, those of a window or version; growth, by how much they grew;
//	            rank, their order
//	functionmetrics
//	            metrics of functions: scrapes, the rules, and values over time
//	markers     deployments, and events that people mark; marker_requests, requests for them
//	status      the state of the server, and backups
package stored

import (
	"context"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
)

// Config configures the service. Store and Markers are required.
type Config struct {
	// Store is read through auth.Scoped. The service doesn't close it.
	Store   store.Store
	Markers *Markers
	// Functions measures function metrics; nil is none.
	Functions *fnmetrics.Watch
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
