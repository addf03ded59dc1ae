// Package reports answers the query API's questions about profiles: which are
// open, what each is, and every report of them.
//
//	service     what the service is made of, its routes
//	query       the request's parameters, checked and made canonical; ids become profiles
//	kinds       one function per report, from a query to an answer
//	flame       flame graphs, and what is cut from them
//	sums        profiles added up and compared
//	profiles    which profiles are open, their ids; loading and uploads
//	info        what is known of a profile
//	views       saved sets of options
//
// A question goes one way: route, query, answer. What is costly is made once, by
// the cache of the server.
package reports

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/server"
)

// Service answers questions about profiles.
type Service struct {
	srv     *server.Server
	cfg     Config
	open    *profiles
	views   *views
	uploads chan struct{} // one per upload being decoded
}

// Open returns the profile with an id. Times in it are relative to now.
func (s *Service) Open(ctx context.Context, id string, now time.Time) (Opened, error) {
	return s.openID(ctx, id, now)
}
