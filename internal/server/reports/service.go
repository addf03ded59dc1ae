// Package reports answers the query API's requests about profiles: the list of open
// profiles, information on each, and all reports.
//
//	routes      routes and construction
//	service     state that all answers share
//	opened      opened profiles
//	query       a request's parameters, checked and in canonical form
//	open        from ids to profiles; part, to the parts of one
//	kinds       one function per report, from a query to an answer
//	flame       flame graphs, and their visible parts; flame_query, flame_file
//	sums        profiles added up and compared
//	grid        what the values of a label cost
//	source_diff the code of both sides of a comparison
//	profiles    the open profiles and their ids; loading and uploads
//	info        information on a profile
//	views       saved sets of options
//
// A request goes one way: route, query, answer. The server's cache computes costly
// values once.
package reports

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
)

// Service answers questions about profiles.
type Service struct {
	srv     *server.Server
	cfg     Config
	opener  opener
	maker   maker
	uploads chan struct{} // one per upload being decoded
}

// Open returns the profile with an id. Times in it are relative to now.
func (s *Service) Open(ctx context.Context, id string, now time.Time) (Opened, error) {
	return s.opener.id(ctx, id, now)
}

// A maker makes what reports need from a query's profiles. Concurrent requests share
// the work and the results.
type maker struct {
	cache  *server.Cache
	env    report.Env
	graphs graphviz.Engine
	code   code
}
