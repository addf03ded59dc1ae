// Package otlp takes OpenTelemetry profiles: the Export call through gRPC,
// gRPC-Web and Connect, and POST /v1development/profiles in protobuf and JSON.
//
// The protocol is in development, and its fields were renumbered more than once.
// hone reads opentelemetry-proto 1.10 and newer, as long as its messages have
// development version 1. It recognizes messages of older senders and refuses them.
package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"mime"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/wire"
)

// Protocol is the name of this protocol for the Receiver.
const Protocol = "otlp"

const procedure = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

// Mount serves the protocol on mux.
func Mount(mux *http.ServeMux, recv ingest.Receiver) {
	o := otlp{recv}
	options := []connect.HandlerOption{connect.WithCodec(codec{"proto"}), connect.WithCodec(codec{"json"}), connect.WithCodec(codec{"json; charset=utf-8"})}
	if n := recv.Limits().BodyBytes; n > 0 {
		options = append(options, connect.WithReadMaxBytes(int(min(n, math.MaxInt))))
	}
	call := connect.NewUnaryHandlerSimple(procedure, func(ctx context.Context, req *request) (*response, error) {
		res, err := o.export(ctx, req)
		if err != nil {
			return nil, wire.ConnectError(err)
		}
		return res, nil
	}, options...)
	mux.Handle(procedure, versioned(call, options...))
	mux.HandleFunc("POST /v1development/profiles", o.serveHTTP)
	for _, signal := range []string{"logs.v1.Logs", "metrics.v1.Metrics", "trace.v1.Trace"} {
		wire.Unimplemented(mux, "opentelemetry.proto.collector."+signal+"Service", "hone takes only profiles: send logs, metrics and traces to another server")
	}
	for _, version := range []string{"v1experimental", "v1"} {
		wire.Unimplemented(mux, "opentelemetry.proto.collector.profiles."+version+".ProfilesService", "hone takes profiles of the version v1development: send them to "+procedure)
	}
}

type otlp struct{ recv ingest.Receiver }

// A response is an ExportProfilesServiceResponse.
type response struct {
	rejected int64 // profiles
	message  string
}

// encode returns
//
//	ExportProfilesServiceResponse {
//	  ExportProfilesPartialSuccess partial_success = 1 { int64 rejected_profiles = 1; string error_message = 2 }
//	}
func (r *response) encode() []byte {
	if r.message == "" {
		return nil
	}
	partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(r.rejected))
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), r.message)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
}

func (r *response) encodeJSON() []byte {
	if r.message == "" {
		return []byte("{}")
	}
	type partial struct {
		Rejected int64  `json:"rejectedProfiles,string"`
		Message  string `json:"errorMessage"`
	}
	b, err := json.Marshal(map[string]partial{"partialSuccess": {r.rejected, r.message}})
	if err != nil {
		panic(err) // can't happen: these are numbers and text
	}
	return b
}

func (o otlp) export(ctx context.Context, req *request) (*response, error) {
	req.share = ingest.ShareOf(ctx)
	pushes, rejected, err := convert(req, o.recv.Limits())
	sent := len(req.data)
	req.data = nil // the garbage collector may free it now
	if err != nil {
		return nil, err
	}
	if rejected != nil && len(pushes) == 0 {
		return nil, rejected.err
	}
	if len(pushes) > 0 {
		ingest.DivideSent(pushes, sent)
		if err := o.recv.Receive(ctx, Protocol, pushes...); err != nil {
			return nil, err
		}
	}
	if rejected == nil {
		return &response{}, nil
	}
	return &response{rejected.profiles, rejected.err.Error()}, nil
}

// codec passes messages on without decoding them.
type codec struct{ name string }

func (c codec) Name() string   { return c.name }
func (c codec) IsBinary() bool { return c.name == "proto" }

func (c codec) Unmarshal(data []byte, v any) error {
	req, ok := v.(*request)
	if !ok {
		return fmt.Errorf("unexpected type %T of a request", v)
	}
	if c.IsBinary() {
		req.data = bytes.Clone(data) // Connect reuses the buffer
		return nil
	}
	return req.unmarshalJSON(data)
}

func (c codec) Marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case *response:
		if c.IsBinary() {
			return m.encode(), nil
		}
		return m.encodeJSON(), nil
	case proto.Message: // the status of an error
		if c.IsBinary() {
			return proto.Marshal(m)
		}
		return protojson.Marshal(m)
	}
	return nil, fmt.Errorf("unexpected type %T of a response", v)
}

func (c codec) MarshalStable(v any) ([]byte, error) { return c.Marshal(v) }

func (o otlp) serveHTTP(w http.ResponseWriter, r *http.Request) {
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	inJSON := mediaType == "application/json"
	answer := func(status int, encoded []byte) {
		if inJSON {
			w.Header().Set("Content-Type", "application/json")
		} else {
			w.Header().Set("Content-Type", "application/x-protobuf")
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.WriteHeader(status)
		_, _ = w.Write(encoded) // the client is gone if this fails
	}
	res, err := o.receiveHTTP(w, r, mediaType)
	if err != nil {
		e := wire.Error(err)
		if after := wire.RetryAfter(e); after != "" {
			w.Header().Set("Retry-After", after)
		}
		status := e.Reason.HTTP()
		if e == errMediaType {
			status = http.StatusUnsupportedMediaType
		}
		answer(status, encodeStatus(e, inJSON))
		return
	}
	if inJSON {
		answer(http.StatusOK, res.encodeJSON())
	} else {
		answer(http.StatusOK, res.encode())
	}
}

var errMediaType = ingest.Errorf(ingest.Malformed, "unsupported Content-Type: use application/x-protobuf or application/json")

func (o otlp) receiveHTTP(w http.ResponseWriter, r *http.Request, mediaType string) (*response, error) {
	if mediaType != "application/json" && mediaType != "application/x-protobuf" {
		return nil, errMediaType
	}
	if err := checkVersion(r.Header); err != nil {
		return nil, err
	}
	body, err := wire.Body(w, r, o.recv.Limits().BodyBytes)
	if err != nil {
		return nil, err
	}
	req := &request{data: body}
	if mediaType == "application/json" {
		if err := wire.TakeBuilt(r, body); err != nil {
			return nil, err
		}
		if err := req.unmarshalJSON(body); err != nil {
			return nil, ingest.Errorf(ingest.Malformed, "the request is not an ExportProfilesServiceRequest in JSON: %w", err)
		}
	}
	return o.export(r.Context(), req)
}

// encodeStatus returns google.rpc.Status { int32 code = 1; string message = 2 }.
func encodeStatus(e *ingest.Error, inJSON bool) []byte {
	if inJSON {
		b, err := json.Marshal(map[string]any{"code": e.Reason.GRPC(), "message": e.Error()})
		if err != nil {
			panic(err) // can't happen: these are a number and text
		}
		return b
	}
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(e.Reason.GRPC()))
	return protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), e.Error())
}
