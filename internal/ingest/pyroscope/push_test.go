package pyroscope

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
)

const pushPath = "/push.v1.PusherService/Push"

func series(pairs ...string) *pyroscopepb.RawProfileSeries {
	s := &pyroscopepb.RawProfileSeries{}
	for i := 0; i < len(pairs); i += 2 {
		s.Labels = append(s.Labels, &pyroscopepb.LabelPair{Name: pairs[i], Value: pairs[i+1]})
	}
	return s
}

func TestPush(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	h2c := &http.Transport{Protocols: new(http.Protocols)} // gRPC wants HTTP/2
	h2c.Protocols.SetUnencryptedHTTP2(true)
	defer h2c.CloseIdleConnections()
	cpu := ingesttest.Profile(t, "cpu.labels.pb.gz")
	one := series("__name__", "process_cpu", "service_name", "api", "service_version", "v1", "pod", "p-1", "__delta__", "false")
	one.Samples = []*pyroscopepb.RawSample{{RawProfile: cpu, ID: "11111111-2222-3333-4444-555555555555"}}
	two := series("__name__", "memory", "service_name", "api", "instance", "i")
	two.Samples = []*pyroscopepb.RawSample{{RawProfile: ingesttest.Profile(t, "allocs.templates.pb.gz")}, {RawProfile: ingesttest.Profile(t, "cpu.uncompressed.pb")}}
	for name, options := range map[string][]connect.ClientOption{
		"connect":         nil,
		"connect, gzip":   {connect.WithSendGzip()},
		"connect in JSON": {connect.WithProtoJSON()},
		"gRPC-Web":        {connect.WithGRPCWeb()},
		"gRPC":            {connect.WithGRPC()},
	} {
		client := connect.NewClient[pyroscopepb.PushRequest, pyroscopepb.PushResponse](&http.Client{Transport: h2c}, server.URL+pushPath, options...)
		if _, err := client.CallUnary(context.Background(), connect.NewRequest(&pyroscopepb.PushRequest{Series: []*pyroscopepb.RawProfileSeries{one, two}})); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := recv.Pushes()
		if len(got) != 3 {
			t.Errorf("%s: %d pushes", name, len(got))
			continue
		}
		if want := labels(t, "service", "api", "version", "v1", "instance", "p-1", "pod", "p-1"); !reflect.DeepEqual(got[0].Labels, want) {
			t.Errorf("%s: labels %v, want %v", name, got[0].Labels, want)
		}
		if p := got[0]; p.Kind != "cpu" || p.Key != "process_cpu/11111111-2222-3333-4444-555555555555" || string(p.Data) != string(cpu) {
			t.Errorf("%s: kind %q, key %q, %d bytes", name, p.Kind, p.Key, len(p.Data))
		}
		if p := got[2]; p.Kind != "" || p.Key != "" || p.Labels.Get("instance") != "i" {
			t.Errorf("%s: kind %q, key %q, labels %v", name, p.Kind, p.Key, p.Labels)
		}
	}
}

func TestPushRefused(t *testing.T) {
	recv := &ingesttest.Recorder{Lim: ingest.Limits{BodyBytes: 1 << 20, Pushes: 10}}
	server := ingesttest.Serve(t, recv, Mount)
	cpu := ingesttest.Profile(t, "cpu.labels.pb.gz")
	with := func(data []byte, pairs ...string) []byte {
		s := series(pairs...)
		s.Samples = []*pyroscopepb.RawSample{{RawProfile: data}}
		b, _ := proto.Marshal(&pyroscopepb.PushRequest{Series: []*pyroscopepb.RawProfileSeries{s}})
		return b
	}
	ok := with(cpu, "__name__", "process_cpu", "service_name", "a")
	var hollow []byte // half a million series in a megabyte
	for len(hollow) < 1<<20-2 {
		hollow = protowire.AppendBytes(protowire.AppendTag(hollow, 1, protowire.BytesType), nil)
	}
	many := &pyroscopepb.PushRequest{}
	for range 11 {
		s := series("__name__", "process_cpu", "service_name", "a")
		s.Samples = []*pyroscopepb.RawSample{{RawProfile: cpu}}
		many.Series = append(many.Series, s)
	}
	tooMany, _ := proto.Marshal(many)
	for name, test := range map[string]struct {
		body           []byte
		contentType    string
		encoding       string
		status         int
		code, contains string
	}{
		"truncated":       {ok[:len(ok)/2], "application/proto", "", 400, "invalid_argument", ""},
		"no message":      {[]byte("<html>"), "application/proto", "", 400, "invalid_argument", ""},
		"no JSON":         {[]byte("<html>"), "application/json", "", 400, "invalid_argument", ""},
		"truncated pprof": {with(cpu[:len(cpu)/2], "__name__", "process_cpu", "service_name", "a"), "application/proto", "", 400, "invalid_argument", "profile"},
		"no name":         {with(cpu, "service_name", "a"), "application/proto", "", 400, "invalid_argument", "__name__"},
		"twice":           {with(cpu, "__name__", "process_cpu", "service_name", "a", "b", "c", "b", "d"), "application/proto", "", 400, "invalid_argument", "twice"},
		"bad label":       {with(cpu, "__name__", "process_cpu", "service_name", "a", "b\x07", "c"), "application/proto", "", 400, "invalid_argument", "label"},
		"oversize":        {make([]byte, 2<<20), "application/proto", "", 429, "resource_exhausted", ""},
		"bomb":            {ingesttest.Bomb(64 << 20), "application/proto", "gzip", 429, "resource_exhausted", ""},
		"mislabelled":     {ok, "application/proto", "gzip", 400, "invalid_argument", ""},
		"unknown type":    {ok, "text/plain", "", 415, "", ""},
		"hollow series":   {hollow, "application/proto", "", 400, "invalid_argument", "too many"},
		"hollow JSON":     {[]byte(`{"series":[` + strings.Repeat("{},", 1<<18) + `{}]}`), "application/json", "", 400, "invalid_argument", "too many"},
		"many profiles":   {tooMany, "application/proto", "", 429, "resource_exhausted", "11"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, text := post(t, server.URL+pushPath, test.contentType, test.body, "Content-Encoding", test.encoding)
			if resp.StatusCode != test.status || !strings.Contains(text, test.code) || !strings.Contains(text, test.contains) {
				t.Errorf("%s %s; want %d %s with %q", resp.Status, text, test.status, test.code, test.contains)
			}
			if got := recv.Pushes(); len(got) != 0 {
				t.Errorf("%d pushes arrived", len(got))
			}
		})
	}
}

// TestRetryInfo: a client learns in both ways when to try again.
func TestRetryInfo(t *testing.T) {
	recv := &ingesttest.Recorder{Err: &ingest.Error{Reason: ingest.Limited, RetryAfter: 2500 * time.Millisecond, Err: fmt.Errorf("too fast")}}
	server := ingesttest.Serve(t, recv, Mount)
	s := series("__name__", "process_cpu", "service_name", "a")
	s.Samples = []*pyroscopepb.RawSample{{}}
	body, _ := proto.Marshal(&pyroscopepb.PushRequest{Series: []*pyroscopepb.RawProfileSeries{s}})
	resp, text := post(t, server.URL+pushPath, "application/proto", body)
	// retry_delay {seconds: 2, nanos: 500000000}
	info := base64.RawStdEncoding.EncodeToString([]byte{0x0a, 8, 0x08, 2, 0x10, 0x80, 0xca, 0xb5, 0xee, 0x01})
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "3" || !strings.Contains(text, "google.rpc.RetryInfo") || !strings.Contains(text, info) {
		t.Errorf("%s, Retry-After %q, %s\nwant %s inside", resp.Status, resp.Header.Get("Retry-After"), text, info)
	}
}
