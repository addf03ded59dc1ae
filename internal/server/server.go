package server

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log"
	"net/http"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server/auth"
)

// Config is what a server is made of. Hosts has no useful zero value.
type Config struct {
	// Hosts are the values of the Host header that are answered: names or
	// addresses with a port. AnyAddress accepts all numeric addresses too, for
	// a server that listens on all of them.
	Hosts      []string
	AnyAddress bool
	// PublicURL is how browsers reach the server where that is not as it listens:
	// through a proxy. "" otherwise.
	PublicURL string

	// Pages is the web UI; nil for the API alone.
	Pages fs.FS
	// Auth tells who asks; nil lets everyone do everything.
	Auth *auth.Auth
	// Agents is what programs send; nil takes nothing in.
	Agents *Agents
	// Metrics gets the server's own figures; nil has none.
	Metrics *prometheus.Registry
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
	Sending     int64 // bytes of memory of pushes at a time, sent, decompressed and decoded, and of answers: 1 GB
	Push        int64 // of one of them: 320 MiB
	Answer      int64 // bytes of an answer: 128 MB
	Work        int64 // bytes of memory, of Sending, that one computation takes; 0 is no limit
	Rate        int64 // bytes per second that a push comes in with, after Grace, or is ended: 1 kB; negative is no bound
	Grace       time.Duration
}

// DefaultLimits returns the limits that hold where zeros stand.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

func (l Limits) withDefaults() Limits {
	return Limits{
		Body:        cmp.Or(l.Body, 256<<20),
		Uploads:     cmp.Or(l.Uploads, 32),
		UploadBytes: cmp.Or(l.UploadBytes, 2<<30),
		CacheBytes:  cmp.Or(l.CacheBytes, 512<<20),
		Parallel:    cmp.Or(l.Parallel, runtime.GOMAXPROCS(0)),
		Queue:       cmp.Or(l.Queue, 256),
		Sending:     cmp.Or(l.Sending, ingest.DefaultMemory),
		Push:        cmp.Or(l.Push, ingest.DefaultCallMemory),
		Answer:      cmp.Or(l.Answer, ingest.DefaultAnswer),
		Work:        l.Work,
		Rate:        cmp.Or(l.Rate, 1000),
		Grace:       cmp.Or(l.Grace, sendingGrace),
	}
}

// Server answers requests. Make one with [New], and have services add their
// routes to it before it serves.
type Server struct {
	// Cache is where services keep what they compute.
	Cache *Cache

	cfg      Config
	mux      *http.ServeMux
	patterns []string // of mux
	handler  http.Handler

	memory   *ingest.Memory // of what comes in and goes out
	answers  *ingest.Answers
	bodyTime atomic.Int64 // what a body may take in all, in ns; 0 is no bound
	metrics  *metrics     // nil counts nothing
	started  time.Time
	ending   atomic.Bool
	ready    func() error // of Operate

	connections atomic.Pointer[gate] // nil before ServeContinuous
}

// New returns a server that has no services yet. ctx ends all computations.
func New(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Log == nil {
		cfg.Log = func(line string) { log.Print(line) }
	}
	cfg.Limits = cfg.Limits.withDefaults()
	s := &Server{cfg: cfg, mux: http.NewServeMux(), started: time.Now(), ready: func() error { return nil }}
	s.memory = ingest.NewMemory(cfg.Limits.Sending)
	if cfg.Agents != nil && cfg.Agents.Memory != nil {
		s.memory = cfg.Agents.Memory
	}
	// Making an answer takes some times what it has.
	s.answers = &ingest.Answers{Memory: s.memory, Most: min(cfg.Limits.Answer, s.memory.Total()/4)}
	s.Cache = newCache(ingest.WithAnswers(ctx, s.answers), cfg.Limits, cfg.Log)
	if cfg.Limits.Work > 0 {
		s.Cache.memory, s.Cache.most = s.memory, cfg.Limits.Work
	}
	pages, err := newPages(cfg.Pages)
	if err != nil {
		return nil, fmt.Errorf("web UI: %w", err)
	}
	if cfg.Metrics != nil {
		s.metrics = newMetrics(cfg.Metrics, s)
	}
	if cfg.Auth != nil {
		cfg.Auth.Mount(func(pattern string, h http.HandlerFunc) { s.HandleHTTP(pattern, Everyone, h) })
	}
	s.HandleHTTP("/", auth.Read, pages)
	s.Handle("/api/", auth.Read, func(_ http.ResponseWriter, r *http.Request) error {
		return NotFound("there is no %s %s: see doc/api.md", r.Method, r.URL.Path)
	})
	s.handler = s.observed(s.guard(s.identify(s.onConnection(s.dispatch()))))
	return s, nil
}

// A HandlerFunc answers a request, or returns why it can't.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Handle adds a route for those with the roles. A pattern is one of
// [http.ServeMux].
func (s *Server) Handle(pattern string, roles auth.Roles, h HandlerFunc) {
	s.HandleHTTP(pattern, roles, s.answering(h))
}

// HandleHTTP is Handle for what answers its errors itself.
func (s *Server) HandleHTTP(pattern string, roles auth.Roles, h http.Handler) {
	s.patterns = append(s.patterns, pattern)
	s.mux.Handle(pattern, s.needs(roles, h))
}

// Patterns returns all routes but those of agents' protocols, for tests that need a case for
// each.
func (s *Server) Patterns() []string { return slices.Clone(s.patterns) }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handler.ServeHTTP(w, r.WithContext(ingest.WithAnswers(r.Context(), s.answers)))
}

// Limits returns the limits that hold.
func (s *Server) Limits() Limits { return s.cfg.Limits }

// Log tells what the user of a page can't be told.
func (s *Server) Log(line string) { s.cfg.Log(line) }
