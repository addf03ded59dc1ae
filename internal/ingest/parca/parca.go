// Package parca accepts profiles that agents send to Parca, over gRPC, gRPC-Web
// and Connect: pprof profiles in the call WriteRaw, which is also available as
// REST, and Arrow records in the calls WriteArrow and Write.
package parca

import (
	"context"
	"encoding/json"
	"net/http"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/parca/parcapb"
	"github.com/hone-go/hone/internal/ingest/wire"
)

// Mount serves the protocol on mux.
func Mount(mux *http.ServeMux, recv ingest.Receiver) {
	p := rawService{recv}
	const depth = 2 // depth of nested messages: request, series, label sets and samples
	options := wire.PushOptions(recv.Limits(), depth)
	mux.Handle(service+"WriteRaw", connect.NewUnaryHandlerSimple(service+"WriteRaw", p.writeRaw, options...))
	arrowService{recv, patience}.mount(mux)
	rest := http.HandlerFunc(p.writeRawREST)
	mux.Handle("POST /api/profiles/writeraw", rest)
	mux.Handle("POST /profiles/writeraw", rest)
	for _, s := range []struct{ name, why string }{
		{"parca.profilestore.v1alpha1.ProfileStoreService", "hone does not support this call: send profiles with WriteArrow, Write or WriteRaw"},
		{"parca.profilestore.v1alpha1.AgentsService", "hone keeps no list of agents"},
		{"parca.debuginfo.v1alpha1.DebuginfoService", "hone keeps no debug information: send profiles with the names of functions"},
		{"parca.telemetry.v1alpha1.TelemetryService", "hone takes no crash reports of agents: see the agent's log"},
		{"parca.query.v1alpha1.QueryService", "hone doesn't have Parca's query API: use hone query, or Grafana with a data source for Pyroscope"},
		{"parca.scrape.v1alpha1.ScrapeService", "hone doesn't have Parca's API of scrape targets"},
	} {
		wire.Unimplemented(mux, s.name, s.why)
	}
}

// A rawService accepts pprof profiles: the call WriteRaw, over gRPC and as REST.
type rawService struct{ recv ingest.Receiver }

func (p rawService) writeRaw(ctx context.Context, req *parcapb.WriteRawRequest) (*parcapb.WriteRawResponse, error) {
	if err := p.write(ctx, req); err != nil {
		return nil, wire.ConnectError(err)
	}
	return &parcapb.WriteRawResponse{}, nil
}

func (p rawService) write(ctx context.Context, req *parcapb.WriteRawRequest) error {
	var pushes []ingest.Push
	for _, series := range req.GetSeries() {
		labels, kind, err := translate(series.GetLabels().GetLabels())
		var refused *ingest.Error // the profiles of other series are kept
		if err != nil {
			refused = wire.Error(err)
		}
		for _, sample := range series.GetSamples() {
			pushes = append(pushes, ingest.Push{Data: sample.GetRawProfile(), Labels: labels, Kind: kind, Err: refused})
		}
	}
	if len(pushes) == 0 {
		return nil // an empty request succeeds
	}
	return p.recv.Receive(ctx, Protocol, pushes...)
}

// writeRawREST is writeRaw as Parca's gateway maps it to JSON.
func (p rawService) writeRawREST(w http.ResponseWriter, r *http.Request) {
	lim := p.recv.Limits()
	var req parcapb.WriteRawRequest
	if err := wire.ReadJSON(w, r, lim.BodyBytes, &req, wire.Objects(lim)); err != nil {
		refuse(w, err)
		return
	}
	if err := p.write(r.Context(), &req); err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("{}")) // the client is gone if this fails
}

// refuse answers as Parca's gateway does: with a google.rpc.Status in JSON.
func refuse(w http.ResponseWriter, err error) {
	e := wire.Error(err)
	if after := wire.RetryAfter(e); after != "" {
		w.Header().Set("Retry-After", after)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(e.Reason.HTTP())
	_ = json.NewEncoder(w).Encode(map[string]any{"code": e.Reason.GRPC(), "message": e.Error(), "details": []string{}})
}
