package server

import (
	"net/http"
	"strings"
	"time"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/pprofhttp"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/server/auth"
)

// Agents is what programs and other tools send to a server, in their protocols.
type Agents struct {
	// Protocols has the routes of the protocols: pushes, polls, and queries of
	// other tools.
	Protocols *http.ServeMux
	// Receiver takes what comes in by hone's own protocol.
	Receiver ingest.Receiver
	// Memory is what pushes share with the Receiver; nil is one of Limits.Sending.
	Memory *ingest.Memory
}

// dispatch leads agents' requests to their protocols, and others to the routes of
// services. Of POST /api/v1/profiles what is of a service is a push, and the rest
// for whoever opens profiles to look at them.
func (s *Server) dispatch() http.Handler {
	if s.cfg.Agents == nil {
		return s.mux
	}
	push := s.needs(auth.Write, s.limited(pprofhttp.Handler(s.cfg.Agents.Receiver)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.ofProtocol(r):
			s.protocol(w, r)
		case s.isPush(r):
			push.ServeHTTP(w, r)
		default:
			s.mux.ServeHTTP(w, r)
		}
	})
}

// ofProtocol reports whether a request is one of another tool's protocol.
func (s *Server) ofProtocol(r *http.Request) bool {
	if s.cfg.Agents == nil {
		return false
	}
	_, pattern := s.cfg.Agents.Protocols.Handler(r)
	return pattern != ""
}

// isRPC reports whether a path is one of gRPC and Connect: /package.Service/Method.
func isRPC(r *http.Request) bool {
	service, method, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return ok && strings.Contains(service, ".") && method != "" && !strings.Contains(method, "/")
}

// isPush reports whether a request is one of an agent's.
func (s *Server) isPush(r *http.Request) bool {
	return s.ofProtocol(r) || r.URL.Path == "/api/v1/profiles" && r.Method == http.MethodPost && pprofhttp.IsPush(r)
}

// protocol answers requests of agents and of other tools' queries.
func (s *Server) protocol(w http.ResponseWriter, r *http.Request) {
	if err := mayUse(r, protocolRole(r)); err != nil {
		s.deny(w, r, err)
		return
	}
	switch {
	case isPoll(r):
		s.cfg.Agents.Protocols.ServeHTTP(w, r)
	case protocolRole(r) == auth.Read:
		// Queries of other tools are computations as our own are.
		ctx, free, err := s.Cache.Slot(r.Context())
		if err != nil {
			s.refuse(w, r, &ingest.Error{Reason: ingest.Unavailable, RetryAfter: time.Second, Err: err})
			return
		}
		defer free()
		if s.cfg.Limits.Work > 0 {
			share := s.memory.Share(ctx, s.cfg.Limits.Work)
			defer share.Close()
			ctx = ingest.WithShare(ctx, share)
		}
		s.cfg.Agents.Protocols.ServeHTTP(w, r.WithContext(ctx))
	default:
		s.limited(s.cfg.Agents.Protocols).ServeHTTP(w, r)
	}
}

// refuse tells an agent in its own protocol that its push is refused.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err *ingest.Error) {
	if errs := connect.NewErrorWriter(); isRPC(r) && errs.IsSupported(r) {
		errs.Write(w, r, wire.ConnectError(err)) // an error means that the client is gone
		return
	}
	wire.Refuse(w, err, 0)
}

// isPoll reports whether a request is that of an agent of Cloud Profiler for
// work: by gRPC, or POST /v2/projects/PROJECT/profiles.
func isPoll(r *http.Request) bool {
	return r.Method == http.MethodPost && (strings.HasSuffix(r.URL.Path, ".ProfilerService/CreateProfile") ||
		strings.HasPrefix(r.URL.Path, "/v2/") && strings.HasSuffix(r.URL.Path, "/profiles"))
}

// protocolRole returns the role that a request of another tool's protocol needs:
// queries look, everything else sends.
func protocolRole(r *http.Request) auth.Roles {
	service, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case reads(r):
		return auth.Read
	case service == "querier.v1.QuerierService", service == "google.devtools.cloudprofiler.v2.ExportService":
		return auth.Read
	}
	return auth.Write
}
