package otlp

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	pb "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
)

// versions are the values of the header, and whether a request with them is read.
var versions = map[string]struct {
	sent []string
	ok   bool
}{
	"missing": {nil, true}, "1": {[]string{"1"}, true},
	"2": {[]string{"2"}, false}, "0": {[]string{"0"}, false}, "leading zero": {[]string{"01"}, false}, "empty": {[]string{""}, false}, "text": {[]string{"v1"}, false},
	"repeated": {[]string{"1", "1"}, false}, "joined": {[]string{"1, 1"}, false},
}

// TestVersionOverHTTP: only development version 1 is read. Others are refused with 400
// without looking at the body, which is no message here.
func TestVersionOverHTTP(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	w := newWriter()
	m := w.request(attributes("service.name", "api"), w.profiles(load(t, "cpu.labels.pb.gz"))...)
	inJSON, err := protojson.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for contentType, good := range map[string][]byte{"application/x-protobuf": encoded(t, m), "application/json": inJSON} {
		for name, test := range versions {
			body := good
			if !test.ok {
				body = []byte("no message")
			}
			req, err := http.NewRequest("POST", server.URL+"/v1development/profiles", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", contentType)
			req.Header[http.CanonicalHeaderKey(versionHeader)] = test.sent
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			arrived := len(recv.Pushes())
			if test.ok && (resp.StatusCode != 200 || arrived != 1) {
				t.Errorf("%s, version %s: %s %q, %d profiles", contentType, name, resp.Status, text, arrived)
			}
			if !test.ok && (resp.StatusCode != 400 || arrived != 0 || !bytes.Contains(text, []byte(versionHeader)) || resp.Header.Get("Content-Type") != contentType) {
				t.Errorf("%s, version %s: %s %q, %d profiles; want 400 that names the header", contentType, name, resp.Status, text, arrived)
			}
		}
	}
}

// TestVersionOfCalls: gRPC, gRPC-Web and Connect refuse with INVALID_ARGUMENT, before
// they decode the message.
func TestVersionOfCalls(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server, h2c := ingesttest.Serve(t, recv, Mount), ingesttest.H2C(t)
	w := newWriter()
	good := w.request(attributes("service.name", "api"), w.profiles(load(t, "cpu.labels.pb.gz"))...)
	for how, options := range map[string][]connect.ClientOption{"gRPC": {connect.WithGRPC()}, "gRPC-Web": {connect.WithGRPCWeb()}, "Connect": nil, "Connect in JSON": {connect.WithProtoJSON()}} {
		for name, test := range versions {
			options := options
			if !test.ok {
				options = append(options[:len(options):len(options)], connect.WithCodec(noMessage{"proto"}), connect.WithCodec(noMessage{"json"}))
			}
			client := connect.NewClient[pb.ProfilesData, pb.ProfilesData](h2c, server.URL+procedure, options...)
			req := connect.NewRequest(good)
			req.Header()[http.CanonicalHeaderKey(versionHeader)] = test.sent
			_, err := client.CallUnary(t.Context(), req)
			arrived := len(recv.Pushes())
			if test.ok && (err != nil || arrived != 1) {
				t.Errorf("%s, version %s: %v, %d profiles", how, name, err, arrived)
			}
			if !test.ok && (connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), versionHeader) || arrived != 0) {
				t.Errorf("%s, version %s: %v, %d profiles; want INVALID_ARGUMENT that names the header", how, name, err, arrived)
			}
		}
	}
}

// TestOtherSignals: calls with other signals, and other versions of the service, say what hone
// takes.
func TestOtherSignals(t *testing.T) {
	server, h2c := ingesttest.Serve(t, &ingesttest.Recorder{}, Mount), ingesttest.H2C(t)
	for name, want := range map[string]string{
		"logs.v1.LogsService": "only profiles", "metrics.v1.MetricsService": "only profiles", "trace.v1.TraceService": "only profiles",
		"profiles.v1experimental.ProfilesService": "v1development", "profiles.v1.ProfilesService": "v1development",
	} {
		client := connect.NewClient[pb.ProfilesData, pb.ProfilesData](h2c, server.URL+"/opentelemetry.proto.collector."+name+"/Export", connect.WithGRPC())
		if _, err := client.CallUnary(t.Context(), connect.NewRequest(&pb.ProfilesData{})); connect.CodeOf(err) != connect.CodeUnimplemented || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want unimplemented and %q", name, err, want)
		}
	}
}

// noMessage encodes every message as text that isn't one.
type noMessage struct{ name string }

func (n noMessage) Name() string                { return n.name }
func (n noMessage) Marshal(any) ([]byte, error) { return []byte("no message"), nil }
func (n noMessage) Unmarshal(data []byte, v any) error {
	if n.name == "json" {
		return protojson.Unmarshal(data, v.(proto.Message))
	}
	return proto.Unmarshal(data, v.(proto.Message))
}
