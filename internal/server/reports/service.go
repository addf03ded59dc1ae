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
	"net/url"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// Config is what the service is made of. Options has no useful zero value.
type Config struct {
	// Profiles are listed in this order.
	Profiles []Source
	// Shown and Base are the places in Profiles of what is shown at first, and
	// of what it is compared with.
	Shown, Base []int
	// Options are the options of the first view. Their SourcePath and TrimPath
	// hold for all.
	Options shell.Config

	// Opener opens profiles by the ids that it knows, before those above are
	// looked at; nil knows none.
	Opener Opener
	// Lookup finds a profile of a kept run by its name, RUN:Benchmark/kind. An
	// error that is fs.ErrNotExist says that there is none. nil finds none.
	Lookup func(ctx context.Context, name string) (Source, error)
	// Offers is what else there is to look at.
	Offers api.Offers

	// Decode opens what was uploaded. It fails with a *profile.LimitError if
	// that is too large. nil refuses uploads.
	Decode func(ctx context.Context, data []byte) (*profile.Profile, error)
	// Env gives reports source and binaries. Its functions are called from
	// several goroutines at a time; Warn is not used.
	Env       report.Env
	Graphs    graphviz.Engine // lays out call graphs; the zero engine does in this process
	ViewsFile string          // where saved views are kept, "" for nowhere
	// Shared bounds what a pattern may cost: who has the profile on a machine of
	// their own may wait as long as they like.
	Shared bool
}

// An Opener opens profiles by ids. Its methods are called from several goroutines
// at a time.
type Opener interface {
	// Opens reports whether an id is one of this opener's, valid or not.
	Opens(id string) bool
	// Open returns the profile with an id. Times in it are relative to now. An
	// error about the id blames the parameter "profile".
	Open(ctx context.Context, id string, now time.Time) (Opened, error)
}

// Opened is a profile that can be asked for. Its content is told by ID and Version:
// what is made of it holds as long as those do. Until Load is called it may hold the
// profile, which no limit of the cache counts: it is not to be kept.
type Opened struct {
	ID, Name string
	Version  string // "" where the ID alone tells
	Load     func(context.Context) (*profile.Profile, error)
	// Selection returns what a store says of a selection; nil for other profiles.
	Selection func() *api.SelectionInfo
}

// key tells opened profiles with different content apart.
func (o *Opened) key() string { return o.ID + o.Version }

// perSecond reports whether its values are rates.
func (o *Opened) perSecond() bool { return o.Selection != nil && o.Selection().Per == api.PerSecond }

// Service answers questions about profiles.
type Service struct {
	srv     *server.Server
	cfg     Config
	open    *profiles
	views   *views
	uploads chan struct{} // one per upload being decoded
}

// New adds the service to a server. ctx ends the loading of profiles.
func New(ctx context.Context, srv *server.Server, cfg Config) *Service {
	s := &Service{srv: srv, cfg: cfg, views: &views{file: cfg.ViewsFile}, uploads: make(chan struct{}, srv.Limits().Parallel)}
	s.open = newProfiles(ctx, &s.cfg, srv)
	srv.Handle("GET /api/v1/profiles", auth.Read, s.listProfiles)
	srv.Handle("POST /api/v1/profiles", auth.Read, s.uploadProfile)
	srv.Handle("GET /api/v1/profiles/{id}", auth.Read, s.profileInfo)
	srv.Handle("GET /api/v1/report/{name...}", auth.Read, s.report)
	srv.Handle("GET /api/v1/views", auth.Read, s.listViews)
	srv.Handle("PUT /api/v1/views/{name}", auth.Read, s.saveView)
	srv.Handle("DELETE /api/v1/views/{name}", auth.Read, s.removeView)
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
		s.index(ctx, q) // an error is for those who ask
	}
	select {
	case <-time.After(settled):
		s.cfg.Graphs.Place(ctx, []byte("digraph { a }"))
	case <-ctx.Done():
	}
}

// Open returns the profile with an id. Times in it are relative to now.
func (s *Service) Open(ctx context.Context, id string, now time.Time) (Opened, error) {
	return s.openID(ctx, id, now)
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
