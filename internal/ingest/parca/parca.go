// Package parca takes what agents write to Parca, through gRPC, gRPC-Web and
// Connect: pprof in the call WriteRaw, which has a REST form too, and Arrow
// records in the calls WriteArrow and Write.
package parca

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/parca/parcapb"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
)

// Protocol is what the Receiver is told.
const Protocol = "parca"

const service = "/parca.profilestore.v1alpha1.ProfileStoreService/"

// Mount serves the protocol on mux.
func Mount(mux *http.ServeMux, recv ingest.Receiver) {
	parca{recv, patience}.mount(mux)
}

type parca struct {
	recv     ingest.Receiver
	patience time.Duration // how long a stream may take
}

func (p parca) mount(mux *http.ServeMux) {
	recv := p.recv
	const depth = 2 // request, series, label sets and samples
	options := wire.Options(recv.Limits(), depth)
	mux.Handle(service+"WriteRaw", connect.NewUnaryHandlerSimple(service+"WriteRaw", p.writeRaw, options...))
	p.mountArrow(mux, wire.Options(recv.Limits(), 0))
	rest := http.HandlerFunc(p.writeRawREST)
	mux.Handle("POST /api/profiles/writeraw", rest)
	mux.Handle("POST /profiles/writeraw", rest)
}

func (p parca) writeRaw(ctx context.Context, req *parcapb.WriteRawRequest) (*parcapb.WriteRawResponse, error) {
	if err := p.write(ctx, req); err != nil {
		return nil, wire.ConnectError(err)
	}
	return &parcapb.WriteRawResponse{}, nil
}

func (p parca) write(ctx context.Context, req *parcapb.WriteRawRequest) error {
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
		return nil // nothing to keep is kept
	}
	return p.recv.Receive(ctx, Protocol, pushes...)
}

// writeRawREST is writeRaw as Parca's gateway maps it to JSON.
func (p parca) writeRawREST(w http.ResponseWriter, r *http.Request) {
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

// vocabulary has the labels that Parca's agents and scrape configurations use:
// Parca has no name of its own for a service.
var vocabulary = wire.Vocabulary{
	Service:  []string{"service_name", "service", "job", "app", "container", "comm"},
	Version:  []string{"version", "service_version", "app_kubernetes_io_version"},
	Zone:     []string{"zone", "availability_zone", "topology_kubernetes_io_zone"},
	Instance: []string{"instance", "pod", "node", "hostname"},
	Synonyms: []string{"service_name", "service_version", "availability_zone"},
	Dropped:  func(name string) bool { return strings.HasPrefix(name, "__") },
}

// ofProcess reports whether a label of an Arrow record identifies a process:
// those of the vocabulary do, and those by which fleets are divided. Others are
// labels of samples: the thread, the CPU, and what programs label their work with,
// of which there can be any number.
func ofProcess(name string) bool {
	switch name {
	case "namespace", "cluster", "region", "environment", "env", "team", store.LabelKind:
		return true
	}
	return vocabulary.Names(name) || strings.HasPrefix(name, "app_kubernetes_io_")
}

// kinds are the names of profiles of Parca's agents and scraper in hone's words.
// Others are kinds as they are.
var kinds = map[string]string{
	"process_cpu": "cpu", "parca_agent_cpu": "cpu", "parca_agent": "cpu",
	"goroutines": "goroutine",
	"fgprof":     "wall",
	"memory":     "", // told by the sample types
}

// translate returns the labels of a series in hone's words, and its kind.
func translate(pairs []*parcapb.Label) (labels []store.Label, kind string, err error) {
	if len(pairs) > wire.MaxLabels {
		return nil, "", ingest.Errorf(ingest.TooLarge, "a series has %d labels, at most %d are allowed", len(pairs), wire.MaxLabels)
	}
	for _, l := range pairs {
		if slices.ContainsFunc(labels, func(m store.Label) bool { return m.Name == l.GetName() }) {
			return nil, "", ingest.Errorf(ingest.Malformed, "label %.60q is given twice", l.GetName())
		}
		if l.GetName() == "__name__" {
			kind = l.GetValue()
		}
		labels = append(labels, store.Label{Name: l.GetName(), Value: l.GetValue()})
	}
	if kind == "" {
		return nil, "", ingest.Errorf(ingest.Malformed, "a series has no label __name__, which tells the kind of its profiles")
	}
	if known, ok := kinds[kind]; ok {
		kind = known
	}
	return vocabulary.Translate(labels), kind, nil
}
