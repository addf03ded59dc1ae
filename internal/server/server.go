package server

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server/auth"
)

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
	refused  refused      // senders that the operator was told of
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
		s.metrics = newMetrics(cfg.Metrics, s.Cache, &s.connections)
	}
	if cfg.Auth != nil {
		cfg.Auth.Mount(func(pattern string, h http.HandlerFunc) { s.HandleHTTP(pattern, Everyone, h) })
	}
	s.HandleHTTP("/", auth.Read, pages)
	s.Handle("/api/", auth.Read, func(_ http.ResponseWriter, r *http.Request) error {
		return NotFound("unknown path: %s %s (see doc/reference/api.md)", r.Method, r.URL.Path)
	})
	muxes := []*http.ServeMux{s.mux}
	routes := http.Handler(s.mux)
	if cfg.Agents != nil {
		muxes = []*http.ServeMux{cfg.Agents.Protocols, s.mux}
		routes = protocols{cfg.Agents, s.access(), s.intake(), s.Cache}.before(s.mux)
	}
	from := func(r *http.Request) netip.Addr { return sender(&s.connections, r) }
	s.handler = s.metrics.observed(muxes, guard(&s.cfg, identify(cfg.Auth, from, onConnection(cfg.Agents, routes))))
	return s, nil
}

// Handle adds a route for those with the roles. A pattern is one of
// [http.ServeMux].
func (s *Server) Handle(pattern string, roles auth.Roles, h HandlerFunc) {
	s.HandleHTTP(pattern, roles, answering(s.cfg.Log, h))
}

// HandleHTTP is Handle for what answers its errors itself.
func (s *Server) HandleHTTP(pattern string, roles auth.Roles, h http.Handler) {
	s.patterns = append(s.patterns, pattern)
	s.mux.Handle(pattern, s.access().needs(roles, h))
}

func (s *Server) access() access {
	return access{s.cfg.Auth, s.cfg.Agents, s.metrics, &s.refused, s.cfg.Refused}
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

// Share makes the body of a request one that takes memory as it comes, at most
// so much unless that is 0, and ends when it comes too slowly. The caller closes
// what it returns when nothing of the body is needed any more.
func (s *Server) Share(w http.ResponseWriter, r *http.Request, most int64) *ingest.Share {
	return s.intake().share(w, r, most)
}

func (s *Server) intake() intake { return intake{s.memory, s.cfg.Limits, &s.bodyTime} }

// Audit adds an event of a request to the audit log, if there is one.
func (s *Server) Audit(r *http.Request, action, target, result string) {
	if s.cfg.Auth == nil {
		return
	}
	e := auth.EventOf(r, action, result)
	e.Target = target
	s.cfg.Auth.Audit.Log(e)
}

// Queries counts computations.
func (s *Server) Queries() api.Queries { return s.Cache.queries() }

// Strained returns the limits of the server that were hit, with the connections.
func (s *Server) Strained() []api.Limit {
	var all []api.Limit
	if q := s.Queries(); q.Refused > 0 {
		all = append(all, api.Limit{Name: "queries waiting", Limit: int64(s.cfg.Limits.Queue), Used: &q.Waiting, Hits: q.Refused})
	}
	if c := s.connections.Load(); c != nil {
		used := int64(c.used())
		all = append(all, api.Limit{Name: "connections", Limit: int64(c.of.Most), Used: &used, Hits: c.forced.Load() + c.waited.Load()})
		if n := c.over.Load(); n > 0 {
			all = append(all, api.Limit{Name: "connections of an address", Limit: int64(c.of.PerAddress), Hits: n})
		}
	}
	if n := s.memory.Refused(); n > 0 {
		used := s.memory.Used()
		all = append(all, api.Limit{Name: "bytes of pushes in memory", Limit: s.memory.Total(), Used: &used, Hits: n})
	}
	return all
}

// Started is when the server was made.
func (s *Server) Started() time.Time { return s.started }
