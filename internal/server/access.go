package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/pprofhttp"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/server/auth"
)

// everyone is the role of what needs no login.
const everyone auth.Roles = 0

// unknownKey is the key of contexts of requests whose sender is not known: why.
type unknownKey struct{}

// identify finds out who sends a request. What they may is for each route to
// check: see needs.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		// That of this machine itself tells nothing apart.
		if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && !peer.Addr().IsLoopback() {
			ctx = ingest.WithPeer(ctx, peer.Addr().Unmap().String())
		}
		if s.auth == nil {
			ctx = auth.With(ctx, auth.Anyone)
		} else if p, err := s.auth.Identify(r); err != nil {
			ctx = context.WithValue(ctx, unknownKey{}, err)
		} else {
			ctx = auth.With(ctx, p)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// needs lets those with the roles through. Every route of the server has gone
// through it but those for everyone.
func (s *Server) needs(roles auth.Roles, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := mayUse(r, roles); err != nil {
			s.deny(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// A deniedError is why someone may not.
type deniedError struct {
	unknown bool // nobody knows who they are
	err     error
}

func (e *deniedError) Error() string { return e.err.Error() }
func (e *deniedError) Unwrap() error { return e.err }

func mayUse(r *http.Request, roles auth.Roles) *deniedError {
	if roles == everyone {
		return nil
	}
	p := auth.From(r.Context())
	if p == nil {
		err, _ := r.Context().Value(unknownKey{}).(error)
		if err == nil {
			err = auth.ErrNobody
		}
		return &deniedError{true, err}
	}
	if !p.Roles.Has(roles) {
		return &deniedError{false, fmt.Errorf("%s needs the role %s, which %s does not have", describeRequest(r), roles, p.Name)}
	}
	if p.By == auth.BySession && !reads(r) && r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		// Browsers tell where such requests come from. Without that it could be
		// any page's.
		return &deniedError{false, errors.New("a session changes things from hone's own pages alone: send a token instead")}
	}
	return nil
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

func describeRequest(r *http.Request) string { return r.Method + " " + r.URL.Path }

// deny tells a client in its own protocol that it may not, and the audit log.
func (s *Server) deny(w http.ResponseWriter, r *http.Request, err *deniedError) {
	if s.auth != nil && !errors.Is(err, auth.ErrNobody) {
		e := auth.EventOf(r, auth.Denied, auth.Denied)
		e.Target, e.Detail = describeRequest(r), err.Error()
		s.auth.Audit.Log(e)
	}
	reason := ingest.Denied
	if err.unknown {
		reason = ingest.Unauthenticated
		w.Header().Set("WWW-Authenticate", `Bearer realm="hone"`)
	}
	s.countDenied(reason)
	switch {
	case s.isPush(r):
		s.refuse(w, r, &ingest.Error{Reason: reason, Err: err.err})
	case err.unknown && s.auth != nil && r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") && wantsPage(r):
		http.Redirect(w, r, auth.LoginPath+"?"+url.Values{"to": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
	default:
		writeError(w, &requestError{status: reason.HTTP(), err: err})
	}
}

func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// isRPC reports whether a path is one of gRPC and Connect: /package.Service/Method.
func isRPC(r *http.Request) bool {
	service, method, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return ok && strings.Contains(service, ".") && method != "" && !strings.Contains(method, "/")
}

// isPush reports whether a request is one of an agent's.
func (s *Server) isPush(r *http.Request) bool {
	if s.protocols != nil {
		if _, pattern := s.protocols.Handler(r); pattern != "" {
			return true
		}
	}
	return r.URL.Path == "/api/v1/profiles" && r.Method == http.MethodPost && pprofhttp.IsPush(r)
}

// protocol answers requests of agents and of other tools' queries.
func (s *Server) protocol(w http.ResponseWriter, r *http.Request) {
	if err := mayUse(r, protocolRole(r)); err != nil {
		s.deny(w, r, err)
		return
	}
	switch {
	case isPoll(r):
		s.protocols.ServeHTTP(w, r)
	case protocolRole(r) == auth.Read:
		// Queries of other tools are computations as our own are.
		ctx, free, err := s.cache.slot(r.Context())
		if err != nil {
			s.refuse(w, r, &ingest.Error{Reason: ingest.Unavailable, RetryAfter: time.Second, Err: err})
			return
		}
		defer free()
		s.protocols.ServeHTTP(w, r.WithContext(ctx))
	default:
		s.limited(s.protocols).ServeHTTP(w, r)
	}
}

// Pushes wait so long for others to be read, and count as so many bytes if they
// don't tell how many they have.
const (
	sendingWait  = 10 * time.Second
	unknownBytes = 1 << 20
)

// limited bounds how much of pushes is in memory at a time.
func (s *Server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := r.ContentLength
		if n < 0 {
			n = unknownBytes
		}
		n = min(n, s.limits.Sending)
		ctx, cancel := context.WithTimeout(r.Context(), sendingWait)
		defer cancel()
		if err := s.sending.Acquire(ctx, n); err != nil {
			s.sendHits.Add(1)
			s.refuse(w, r, &ingest.Error{Reason: ingest.Unavailable, RetryAfter: time.Second, Err: errors.New("too many profiles are being sent at this moment")})
			return
		}
		defer s.sending.Release(n)
		next.ServeHTTP(w, r)
	})
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

// seesAll returns an error for those who are restricted to services: what is not
// of a service is not for them.
func seesAll(ctx context.Context) error {
	if p := auth.From(ctx); p != nil && p.Services != nil {
		return &requestError{http.StatusForbidden, "", fmt.Errorf("%s may see the profiles of some services, and nothing else", p.Name)}
	}
	return nil
}

// asUser tells who asks.
type asUser struct {
	Name     string   `json:"name"`
	Roles    []string `json:"roles"`
	Services []string `json:"services,omitempty"`
	By       auth.By  `json:"by"`
	Login    string   `json:"login,omitempty"`
}

func (s *Server) userOf(ctx context.Context) asUser {
	u := asUser{Roles: []string{}, By: auth.ByNothing}
	if p := auth.From(ctx); p != nil {
		u.Name, u.Roles, u.Services, u.By = p.Name, p.Roles.Names(), p.Services, p.By
	}
	if s.auth != nil {
		u.Login = auth.LoginPath
	}
	return u
}

func (s *Server) user(w http.ResponseWriter, r *http.Request) error {
	a, err := jsonAnswer(s.userOf(r.Context()))
	if err != nil {
		return err
	}
	return a.write(w, r, http.StatusOK, "no-store")
}
