package server

import (
	"net/http"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/pprofhttp"
	"github.com/hone-go/hone/internal/ingest/wire"
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

// ofProtocol reports whether a request is one of another tool's protocol.
func (a *Agents) ofProtocol(r *http.Request) bool {
	if a == nil {
		return false
	}
	_, pattern := a.Protocols.Handler(r)
	return pattern != ""
}

// isPush reports whether a request is one of an agent's.
func (a *Agents) isPush(r *http.Request) bool {
	return a.ofProtocol(r) || r.URL.Path == "/api/v1/profiles" && r.Method == http.MethodPost && pprofhttp.IsPush(r)
}

// refuse tells an agent in its own protocol that its push is refused.
func refuse(w http.ResponseWriter, r *http.Request, err *ingest.Error) {
	if errs := connect.NewErrorWriter(); isRPC(r) && errs.IsSupported(r) {
		errs.Write(w, r, wire.ConnectError(err)) // an error means that the client is gone
		return
	}
	wire.Refuse(w, err, 0)
}
