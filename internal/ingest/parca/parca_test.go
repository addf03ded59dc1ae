package parca

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/ingest/parca/parcapb"
	"github.com/hone-go/hone/internal/store"
)

func post(t *testing.T, target, contentType string, body []byte, encoding string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest("POST", target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Content-Encoding", encoding)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func request(data []byte, pairs ...string) *parcapb.WriteRawRequest {
	s := &parcapb.RawProfileSeries{Labels: &parcapb.LabelSet{}, Samples: []*parcapb.RawSample{{RawProfile: data}}}
	for i := 0; i < len(pairs); i += 2 {
		s.Labels.Labels = append(s.Labels.Labels, &parcapb.Label{Name: pairs[i], Value: pairs[i+1]})
	}
	return &parcapb.WriteRawRequest{Series: []*parcapb.RawProfileSeries{s}}
}

func TestWriteRaw(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server, h2c := ingesttest.Serve(t, recv, Mount), ingesttest.H2C(t)
	cpu := ingesttest.Profile(t, "cpu.labels.pb.gz")
	req := request(cpu, "__name__", "process_cpu", "job", "api", "instance", "10.0.0.1:80", "version", "v1", "kind", "odd", "__meta__", "x")
	want, _ := store.NewLabels(store.Label{Name: "service", Value: "api"}, store.Label{Name: "job", Value: "api"}, store.Label{Name: "version", Value: "v1"},
		store.Label{Name: "instance", Value: "10.0.0.1:80"}, store.Label{Name: "exported_kind", Value: "odd"})
	check := func(name string) {
		t.Helper()
		got := recv.Pushes()
		if len(got) != 1 {
			t.Errorf("%s: %d pushes", name, len(got))
			return
		}
		if p := got[0]; p.Kind != "cpu" || !reflect.DeepEqual(p.Labels, want) || !bytes.Equal(p.Data, cpu) || p.Protocol != Protocol {
			t.Errorf("%s: kind %q, labels %v, want %v", name, p.Kind, p.Labels, want)
		}
	}
	for name, option := range map[string]connect.ClientOption{"gRPC": connect.WithGRPC(), "gRPC-Web": connect.WithGRPCWeb(), "Connect": connect.WithClientOptions(), "gzip": connect.WithSendGzip()} {
		client := connect.NewClient[parcapb.WriteRawRequest, parcapb.WriteRawResponse](h2c, server.URL+service+"WriteRaw", option)
		if _, err := client.CallUnary(context.Background(), connect.NewRequest(req)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		check(name)
	}
	body := fmt.Sprintf(`{"tenant":"","series":[{"labels":{"labels":[{"name":"__name__","value":"process_cpu"},{"name":"job","value":"api"},{"name":"instance","value":"10.0.0.1:80"},
		{"name":"version","value":"v1"},{"name":"kind","value":"odd"}]},"samples":[{"rawProfile":%q,"executableInfo":[]}]}],"normalized":true}`, base64.StdEncoding.EncodeToString(cpu))
	for _, path := range []string{"/api/profiles/writeraw", "/profiles/writeraw"} {
		if resp, text := post(t, server.URL+path, "application/json", []byte(body), ""); resp.StatusCode != 200 || text != "{}" {
			t.Errorf("%s: %s %s", path, resp.Status, text)
		}
		check(path)
	}
}

// TestServiceNames: the label that names the service best is taken.
func TestServiceNames(t *testing.T) {
	for _, test := range []struct{ pairs, want string }{
		{"service_name=a service=b job=c", `{job="c", service="a"}`},
		{"service=b job=c", `{job="c", service="b"}`},
		{"job=c comm=d pod=p", `{comm="d", instance="p", job="c", pod="p", service="c"}`},
		{"comm=d", `{comm="d", service="d"}`},
	} {
		var pairs []*parcapb.Label
		for _, pair := range strings.Fields("__name__=memory " + test.pairs) {
			name, value, _ := strings.Cut(pair, "=")
			pairs = append(pairs, &parcapb.Label{Name: name, Value: value})
		}
		ls, kind, err := translate(pairs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := store.NewLabels(ls...)
		if err != nil || got.String() != test.want || kind != "" {
			t.Errorf("%s: %v, kind %q, %v; want %s", test.pairs, got, kind, err, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	recv := &ingesttest.Recorder{Lim: ingest.Limits{BodyBytes: 1 << 20, Pushes: 10}}
	server, h2c := ingesttest.Serve(t, recv, Mount), ingesttest.H2C(t)
	cpu := ingesttest.Profile(t, "cpu.labels.pb.gz")
	ok := request(cpu, "__name__", "process_cpu", "job", "a")
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprint("l", i), "x")
	}
	for name, test := range map[string]struct {
		req  *parcapb.WriteRawRequest
		code connect.Code
		http int
		says string
	}{
		"no kind":     {request(cpu, "job", "a"), connect.CodeInvalidArgument, 400, "__name__"},
		"twice":       {request(cpu, "__name__", "process_cpu", "job", "a", "job", "b"), connect.CodeInvalidArgument, 400, "twice"},
		"truncated":   {request(cpu[:len(cpu)/2], "__name__", "process_cpu", "job", "a"), connect.CodeInvalidArgument, 400, "profile"},
		"many labels": {request(cpu, append(many, "__name__", "x", "job", "a")...), connect.CodeResourceExhausted, 413, "256"},
		"oversize":    {request(make([]byte, 2<<20), "__name__", "x", "job", "a"), connect.CodeResourceExhausted, 413, ""},
	} {
		client := connect.NewClient[parcapb.WriteRawRequest, parcapb.WriteRawResponse](h2c, server.URL+service+"WriteRaw", connect.WithGRPC())
		if _, err := client.CallUnary(context.Background(), connect.NewRequest(test.req)); connect.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %v with %q", name, err, test.code, test.says)
		}
		body, err := json.Marshal(test.req) // its names are those of the messages
		if err != nil {
			t.Fatal(err)
		}
		resp, text := post(t, server.URL+"/api/profiles/writeraw", "application/json", body, "")
		var status struct {
			Code    int
			Message string
		}
		if err := json.Unmarshal([]byte(text), &status); err != nil || resp.StatusCode != test.http || connect.Code(status.Code) != test.code || !strings.Contains(status.Message, test.says) {
			t.Errorf("%s: %s %s", name, resp.Status, text)
		}
	}
	good, _ := proto.Marshal(ok)
	for name, test := range map[string]struct {
		path, contentType string
		body              []byte
		encoding          string
		status            int
	}{
		"gzip bomb":          {service + "WriteRaw", "application/proto", ingesttest.Bomb(64 << 20), "gzip", 429},
		"gzip bomb, REST":    {"/api/profiles/writeraw", "application/json", ingesttest.Bomb(64 << 20), "gzip", 413},
		"truncated message":  {service + "WriteRaw", "application/proto", good[:len(good)/2], "", 400},
		"truncated JSON":     {"/api/profiles/writeraw", "application/json", []byte(`{"series":[`), "", 400},
		"mislabelled":        {service + "WriteRaw", "application/proto", good, "gzip", 400},
		"mislabelled, REST":  {"/api/profiles/writeraw", "application/json", []byte(`{"series":[]}           `), "gzip", 400},
		"hollow series":      {service + "WriteRaw", "application/proto", bytes.Repeat([]byte{0x12, 0}, 1<<19-8), "", 400},
		"hollow JSON, REST":  {"/api/profiles/writeraw", "application/json", []byte(`{"series":[` + strings.Repeat("{},", 1<<18) + `{}]}`), "", 400},
		"GET":                {"/api/profiles/writeraw/", "application/json", nil, "", 404},
		"protobuf over REST": {"/api/profiles/writeraw", "application/json", good, "", 400},
	} {
		if resp, text := post(t, server.URL+test.path, test.contentType, test.body, test.encoding); resp.StatusCode != test.status {
			t.Errorf("%s: %s %s, want %d", name, resp.Status, text, test.status)
		}
	}
	if got := recv.Pushes(); len(got) != 0 {
		t.Errorf("%d pushes arrived", len(got))
	}
	recv.Err = &ingest.Error{Reason: ingest.Limited, RetryAfter: time.Second, Err: fmt.Errorf("too fast")}
	body, _ := json.Marshal(ok)
	if resp, text := post(t, server.URL+"/api/profiles/writeraw", "application/json", body, ""); resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("limited: %s %s", resp.Status, text)
	}
}

func FuzzWriteRaw(f *testing.F) {
	recv := &ingesttest.Recorder{Lim: ingest.Limits{BodyBytes: 1 << 20, Pushes: 10}}
	mux := http.NewServeMux()
	Mount(mux, recv)
	good, _ := proto.Marshal(request([]byte("x"), "__name__", "process_cpu", "job", "a"))
	f.Add(good, false)
	f.Add([]byte(`{"series":[{"labels":{"labels":[{"name":"__name__","value":"a"},{"name":"job","value":"b"}]},"samples":[{"rawProfile":"eA=="}]}]}`), true)
	f.Fuzz(func(t *testing.T, body []byte, rest bool) {
		r := httptest.NewRequest("POST", service+"WriteRaw", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/proto")
		if rest {
			r = httptest.NewRequest("POST", "/api/profiles/writeraw", bytes.NewReader(body))
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
