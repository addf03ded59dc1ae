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

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server/auth"
)

// Everyone is the role of what needs no login.
const Everyone auth.Roles = 0

// unknownKey is the key of contexts of requests whose sender is not known: why.
type unknownKey struct{}

// identify finds out who sends a request. What they may is for each route to
// check: see needs.
func identify(a *auth.Auth, sender func(*http.Request) netip.Addr, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		from := sender(r)
		// That of this machine itself tells nothing apart.
		if from.IsValid() && !from.IsLoopback() {
			ctx = ingest.WithPeer(ctx, from.String())
		}
		ctx = auth.WithAddress(ctx, from)
		if a == nil {
			ctx = auth.With(ctx, auth.Anyone)
		} else if p, err := a.Identify(r); err != nil {
			ctx = context.WithValue(ctx, unknownKey{}, err)
		} else {
			ctx = auth.With(ctx, p)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// access is how those are told who may not do something.
type access struct {
	auth    *auth.Auth // nil lets everyone do everything
	agents  *Agents
	metrics *metrics
	refused *refused
	tell    func(address string, err error) // Config.Refused
}

// needs lets those with the roles through. Every route of the server has gone
// through it but those for everyone.
func (a access) needs(roles auth.Roles, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := mayUse(r, roles); err != nil {
			a.deny(w, r, err)
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
	if roles == Everyone {
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
		return &deniedError{false, errors.New("a login session can change things only from hone's own pages: send a token instead")}
	}
	return nil
}

// deny tells a client in its own protocol that it may not, and the audit log.
func (a access) deny(w http.ResponseWriter, r *http.Request, err *deniedError) {
	if a.auth != nil && !errors.Is(err, auth.ErrNobody) {
		e := auth.EventOf(r, auth.Denied, auth.Denied)
		e.Target, e.Detail = describeRequest(r), err.Error()
		a.auth.Audit.Log(e)
	}
	// Agents often don't say why nothing arrives. People without a token are sent to the login page.
	if a.auth != nil && a.tell != nil && (a.agents.isPush(r) || errors.Is(err, auth.ErrUnknown) || errors.Is(err, auth.ErrGone)) {
		if from := auth.EventOf(r, auth.Denied, auth.Denied).Address; a.refused.first(from, time.Now()) {
			a.tell(from, err)
		}
	}
	reason := ingest.Denied
	if err.unknown {
		reason = ingest.Unauthenticated
		w.Header().Set("WWW-Authenticate", `Bearer realm="hone"`)
	}
	a.metrics.countDenied(reason)
	switch {
	case a.agents.isPush(r):
		refuse(w, r, &ingest.Error{Reason: reason, Err: err.err})
	case err.unknown && a.auth != nil && r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") && wantsPage(r):
		http.Redirect(w, r, auth.LoginPath+"?"+url.Values{"to": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
	default:
		writeError(w, r, &Error{Status: reason.HTTP(), Err: err})
	}
}
