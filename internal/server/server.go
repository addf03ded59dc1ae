package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Config is what a server is made of. Hosts and Options have no useful zero
// values.
type Config struct {
	// Hosts are the values of the Host header that are answered: names or
	// addresses with a port. AnyAddress accepts all numeric addresses too, for
	// a server that listens on all of them.
	Hosts      []string
	AnyAddress bool

	// Profiles are listed in this order.
	Profiles []Source
	// Shown and Base are the places in Profiles of what is shown at first, and
	// of what it is compared with.
	Shown, Base []int
	// Options are the options of the first view. Their SourcePath and TrimPath
	// hold for all.
	Options shell.Config

	// Runs are the kept runs; nil for none.
	Runs Runs
	// Continuous is what hone serve has besides; nil for hone ui.
	Continuous *Continuous

	// Decode opens what was uploaded. It fails with a *profile.LimitError if
	// that is too large. nil refuses uploads.
	Decode func(ctx context.Context, data []byte) (*profile.Profile, error)
	// Env gives reports source and binaries. Its functions are called from
	// several goroutines at a time; Warn is not used.
	Env       report.Env
	Pages     fs.FS  // the web UI; nil for the API alone
	ViewsFile string // where saved views are kept, "" for nowhere

	// Log gets what the user of a page can't be told: a line each, without its
	// end. nil is package log.
	Log func(string)

	Limits Limits
}

// Limits bound what a server uses. A zero is the default.
type Limits struct {
	Body        int64 // bytes of an upload as sent: 256 MB
	Uploads     int   // uploaded profiles kept: 32
	UploadBytes int64 // of their size in memory: 2 GB
	CacheBytes  int64 // of results kept: 512 MB
	Parallel    int   // computations at a time: one per processor
	Queue       int   // computations that wait for those: 256
	Sending     int64 // bytes of bodies of pushes at a time: 256 MB
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Body:        cmp.Or(l.Body, 256<<20),
		Uploads:     cmp.Or(l.Uploads, 32),
		UploadBytes: cmp.Or(l.UploadBytes, 2<<30),
		CacheBytes:  cmp.Or(l.CacheBytes, 512<<20),
		Parallel:    cmp.Or(l.Parallel, runtime.GOMAXPROCS(0)),
		Queue:       cmp.Or(l.Queue, 256),
		Sending:     cmp.Or(l.Sending, 256<<20),
	}
}

// Server answers requests. Make one with [New].
type Server struct {
	cfg      Config
	limits   Limits
	profiles *profiles
	cache    *cache
	views    *views
	uploads  chan struct{} // one per upload being read
	handler  http.Handler

	// Of hone serve; see Continuous.
	store     store.Store // as each principal sees it; nil without one
	auth      *auth.Auth  // nil if no login is needed
	receiver  ingest.Receiver
	protocols *http.ServeMux
	sending   *semaphore.Weighted // bytes of bodies of pushes at a time
	markers   *markers
	metrics   *metrics
	mux       *http.ServeMux
	patterns  []string // of mux, but for those of logging in
	started   time.Time
	ending    atomic.Bool
	sendHits  atomic.Int64 // pushes refused because too much was being sent

	connections atomic.Pointer[limitListener] // nil before ServeContinuous
}

// New returns a server. ctx ends the loading of profiles and all computations.
func New(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Log == nil {
		cfg.Log = func(line string) { log.Print(line) }
	}
	s := &Server{cfg: cfg, limits: cfg.Limits.withDefaults(), views: &views{file: cfg.ViewsFile}}
	s.uploads = make(chan struct{}, s.limits.Parallel)
	s.cache = newCache(ctx, s.limits, cfg.Log)
	s.profiles = newProfiles(ctx, &s.cfg, s.limits)
	pages, err := newPages(cfg.Pages)
	if err != nil {
		return nil, fmt.Errorf("web UI: %w", err)
	}
	mux := http.NewServeMux()
	s.mux, s.started = mux, time.Now()
	if err := s.continuous(ctx, mux); err != nil {
		return nil, err
	}
	s.routes(mux)
	s.handle(mux, "/", auth.Read, pages)
	s.handler = s.observed(s.guard(s.identify(s.dispatch(mux))))
	return s, nil
}

// handle adds a route for those with the roles.
func (s *Server) handle(mux *http.ServeMux, pattern string, roles auth.Roles, h http.Handler) {
	s.patterns = append(s.patterns, pattern)
	mux.Handle(pattern, s.needs(roles, h))
}

// handlerFunc answers a request, or returns why it can't.
type handlerFunc func(w http.ResponseWriter, r *http.Request) error

func (s *Server) routes(mux *http.ServeMux) {
	handle := func(pattern string, h handlerFunc) { s.handle(mux, pattern, auth.Read, s.answering(h)) }
	handle("GET /api/v1/profiles", s.listProfiles)
	s.handle(mux, "POST /api/v1/profiles", everyone, s.postProfile()) // which checks roles by what it is
	handle("GET /api/v1/profiles/{id}", s.profileInfo)
	handle("GET /api/v1/report/{name...}", s.report)
	s.runRoutes(handle)
	handle("GET /api/v1/views", s.listViews)
	handle("PUT /api/v1/views/{name}", s.saveView)
	handle("DELETE /api/v1/views/{name}", s.removeView)
	handle("/api/", func(_ http.ResponseWriter, r *http.Request) error {
		return notFound("there is no %s %s: see doc/api.md", r.Method, r.URL.Path)
	})
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Timeouts of connections. Reports have none: they end when the client leaves.
const (
	headerTimeout   = 10 * time.Second
	readTimeout     = 5 * time.Minute  // of an upload
	writeTimeout    = 10 * time.Minute // from the request to the end of the answer
	idleTimeout     = 2 * time.Minute
	maxHeaderBytes  = 64 << 10 // patterns in URLs may be long
	shutdownTimeout = 2 * time.Second
)

// Serve answers connections of l until ctx is done, which is no error.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	hs := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       log.New(lineWriter(s.cfg.Log), "", 0),
		BaseContext:    func(net.Listener) context.Context { return ctx },
	}
	done := make(chan error, 1)
	go func() { done <- hs.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	// Requests under way are cancelled by ctx; a moment lets them say so.
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := hs.Shutdown(stop); err != nil {
		hs.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// lineWriter makes a writer of a function that takes lines.
type lineWriter func(string)

func (f lineWriter) Write(b []byte) (int, error) {
	f(strings.TrimSuffix(string(b), "\n"))
	return len(b), nil
}
