package pyroscope

import (
	"context"
	"net/http"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
)

// Mount serves the agents' pushes on mux: POST /ingest and /pyroscope/ingest, and
// push.v1.PusherService.
func Mount(mux *http.ServeMux, recv ingest.Receiver) {
	upload := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveIngest(w, r, recv) })
	mux.Handle("POST /ingest", upload)
	mux.Handle("POST /pyroscope/ingest", upload)

	const procedure = "/push.v1.PusherService/Push"
	const depth = 1 // depth of nested messages: request and series
	mux.Handle(procedure, connect.NewUnaryHandlerSimple(procedure, func(ctx context.Context, req *pyroscopepb.PushRequest) (*pyroscopepb.PushResponse, error) {
		pushes, err := pushesOf(req)
		if err == nil && len(pushes) > 0 {
			err = recv.Receive(ctx, Protocol, pushes...)
		}
		if err != nil {
			return nil, wire.ConnectError(err)
		}
		return &pyroscopepb.PushResponse{}, nil
	}, wire.PushOptions(recv.Limits(), depth)...))
}

func pushesOf(req *pyroscopepb.PushRequest) ([]ingest.Push, error) {
	var pushes []ingest.Push
	for _, series := range req.GetSeries() {
		labels, name, err := translate(series.GetLabels())
		if err != nil {
			return nil, err
		}
		for _, sample := range series.GetSamples() {
			p := ingest.Push{Data: sample.GetRawProfile(), Labels: labels, Kind: kindOf(name)}
			// All profiles that a process sends at once may have the same ID.
			if id := sample.GetID(); id != "" {
				p.Key = name + "/" + id
			}
			pushes = append(pushes, p)
		}
	}
	return pushes, nil
}

// translate returns the labels of a series with hone's names, and Pyroscope's name
// of its kind.
func translate(pairs []*pyroscopepb.LabelPair) (labels []store.Label, name string, err error) {
	labels, name, err = wire.SeriesLabels(pairs)
	return vocabulary.Translate(labels), name, err
}
