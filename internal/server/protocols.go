package server

import (
	"net/http"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/pprofhttp"
	"github.com/hone-go/hone/internal/server/auth"
)

// protocols are those of agents and other tools, on a server.
type protocols struct {
	agents *Agents
	access access
	intake intake
	cache  *Cache
}

// before leads agents' requests to their protocols, and others to the routes of
// services. Of POST /api/v1/profiles what is of a service is a push, and the rest
// for whoever opens profiles to look at them.
func (p protocols) before(services http.Handler) http.Handler {
	push := p.access.needs(auth.Write, p.intake.limited(p.agents, pprofhttp.Handler(p.agents.Receiver)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case p.agents.ofProtocol(r):
			p.answer(w, r)
		case p.agents.isPush(r):
			push.ServeHTTP(w, r)
		default:
			services.ServeHTTP(w, r)
		}
	})
}

// answer answers requests of agents and of other tools' queries.
func (p protocols) answer(w http.ResponseWriter, r *http.Request) {
	if err := mayUse(r, protocolRole(r)); err != nil {
		p.access.deny(w, r, err)
		return
	}
	switch {
	case isPoll(r):
		p.agents.Protocols.ServeHTTP(w, r)
	case protocolRole(r) == auth.Read:
		// Queries of other tools are computations as our own are.
		ctx, free, err := p.cache.Slot(r.Context())
		if err != nil {
			refuse(w, r, &ingest.Error{Reason: ingest.Unavailable, RetryAfter: time.Second, Err: err})
			return
		}
		defer free()
		if p.intake.limits.Work > 0 {
			share := p.intake.memory.Share(ctx, p.intake.limits.Work)
			defer share.Close()
			ctx = ingest.WithShare(ctx, share)
		}
		p.agents.Protocols.ServeHTTP(w, r.WithContext(ctx))
	default:
		p.intake.limited(p.agents, p.agents.Protocols).ServeHTTP(w, r)
	}
}
