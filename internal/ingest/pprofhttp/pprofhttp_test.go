package pprofhttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store"
)

func post(t *testing.T, target string, body []byte, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest("POST", target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
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

func TestPush(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	query := "?service=api&kind=cpu&version=v1.2&zone=eu&instance=a-1&label.team=core&label.k8s.node=n%201" +
		"&time=2026-01-02T03:04:05.5Z&duration=10s&key=k1"
	for _, name := range []string{"cpu.labels.pb.gz", "cpu.uncompressed.pb", "block.channels.debug1.txt"} {
		data := ingesttest.Profile(t, name)
		resp, text := post(t, server.URL+"/api/v1/profiles"+query, data)
		if resp.StatusCode != http.StatusNoContent || text != "" {
			t.Fatalf("%s: %s %s", name, resp.Status, text)
		}
		got := recv.Pushes()
		if len(got) != 1 {
			t.Fatalf("%s: %d pushes", name, len(got))
		}
		p := got[0]
		labels, _ := store.NewLabels(store.Label{Name: "service", Value: "api"}, store.Label{Name: "version", Value: "v1.2"}, store.Label{Name: "zone", Value: "eu"},
			store.Label{Name: "instance", Value: "a-1"}, store.Label{Name: "team", Value: "core"}, store.Label{Name: "k8s.node", Value: "n 1"})
		if !reflect.DeepEqual(p.Labels, labels) || p.Kind != "cpu" || p.Key != "k1" || p.Protocol != Protocol {
			t.Errorf("%s: %v, kind %q, key %q, protocol %q", name, p.Labels, p.Kind, p.Key, p.Protocol)
		}
		if want := time.Date(2026, 1, 2, 3, 4, 5, 5e8, time.UTC).UnixNano(); p.Time != want || p.Duration != 10e9 {
			t.Errorf("%s: time %d, want %d; duration %d", name, p.Time, want, p.Duration)
		}
		if !bytes.Equal(p.Data, data) {
			t.Errorf("%s: other bytes arrived", name)
		}
	}
}

func TestTimes(t *testing.T) {
	for in, want := range map[string]int64{
		"1700000000123456789":       1700000000123456789,
		"2023-11-14T22:13:20Z":      1700000000e9,
		"2023-11-14T23:13:20+01:00": 1700000000e9,
	} {
		p, err := parsePush(url.Values{"service": {"a"}, "time": {in}})
		if err != nil || p.Time != want {
			t.Errorf("%s: %d, %v; want %d", in, p.Time, err, want)
		}
	}
}

func TestContentEncoding(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	data := ingesttest.Profile(t, "cpu.uncompressed.pb")
	z, _ := zstd.NewWriter(nil)
	for encoding, body := range map[string][]byte{"gzip": ingesttest.Gzip(data), "zstd": z.EncodeAll(data, nil), "identity": data, "GZIP": ingesttest.Gzip(data)} {
		if resp, text := post(t, server.URL+"/api/v1/profiles?service=a", body, "Content-Encoding", encoding); resp.StatusCode != 204 {
			t.Errorf("%s: %s %s", encoding, resp.Status, text)
			continue
		}
		if got := recv.Pushes(); len(got) != 1 || !bytes.Equal(got[0].Data, data) {
			t.Errorf("%s: other bytes arrived", encoding)
		}
	}
}

func TestRefused(t *testing.T) {
	recv := &ingesttest.Recorder{Lim: ingest.Limits{BodyBytes: 1 << 20}}
	server := ingesttest.Serve(t, recv, Mount)
	cpu := ingesttest.Profile(t, "cpu.labels.pb.gz")
	z, _ := zstd.NewWriter(nil)
	for name, test := range map[string]struct {
		query   string
		body    []byte
		headers []string
		status  int
		says    string
	}{
		"no service":         {"", cpu, nil, 400, "service is missing"},
		"empty service":      {"?service=", cpu, nil, 400, "service is missing"},
		"slip of the pen":    {"?service=a&verison=1", cpu, nil, 400, "verison"},
		"twice":              {"?service=a&service=b", cpu, nil, 400, "2 times"},
		"bad label":          {"?service=a&label.%1Bb=1", cpu, nil, 400, "invalid label name"},
		"label of its own":   {"?service=a&label.service=1", cpu, nil, 400, "of its own"},
		"bad time":           {"?service=a&time=yesterday", cpu, nil, 400, "yesterday"},
		"far time":           {"?service=a&time=9999-01-02T03:04:05Z", cpu, nil, 400, "9999"},
		"bad duration":       {"?service=a&duration=10", cpu, nil, 400, "duration"},
		"negative duration":  {"?service=a&duration=-10s", cpu, nil, 400, "negative"},
		"bad query":          {"?service=%zz", cpu, nil, 400, "query"},
		"empty":              {"?service=a", nil, nil, 400, "empty"},
		"truncated":          {"?service=a", cpu[:len(cpu)/2], nil, 400, "profile"},
		"mislabelled":        {"?service=a", cpu, []string{"Content-Encoding", "zstd"}, 400, "zstd"},
		"unknown encoding":   {"?service=a", cpu, []string{"Content-Encoding", "br"}, 400, "br"},
		"truncated encoding": {"?service=a", ingesttest.Gzip(cpu)[:len(cpu)/2], []string{"Content-Encoding", "gzip"}, 400, "ended early"},
		"form":               {"?service=a", cpu, []string{"Content-Type", "multipart/form-data; boundary=x"}, 400, "form"},
		"oversize":           {"?service=a", make([]byte, 2<<20), nil, 413, "1048576 bytes"},
		"gzip bomb":          {"?service=a", ingesttest.Bomb(64 << 20), []string{"Content-Encoding", "gzip"}, 413, "decompressed"},
		"zstd bomb":          {"?service=a", z.EncodeAll(make([]byte, 64<<20), nil), []string{"Content-Encoding", "zstd"}, 413, "decompressed"},
		"no profile":         {"?service=a", []byte("<html>"), nil, 400, "profile"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, text := post(t, server.URL+"/api/v1/profiles"+test.query, test.body, test.headers...)
			var e struct{ Error, Reason string }
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.Fatalf("%s: %s: %v", resp.Status, text, err)
			}
			if resp.StatusCode != test.status || !strings.Contains(e.Error, test.says) || e.Reason == "" {
				t.Errorf("%s %s; want %d with %q", resp.Status, text, test.status, test.says)
			}
			if got := recv.Pushes(); len(got) != 0 {
				t.Errorf("%d pushes arrived", len(got))
			}
		})
	}
}

// TestReceiverErrors: what a Receiver says becomes a status, and what failed
// inside the server stays there.
func TestReceiverErrors(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	for _, test := range []struct {
		err    error
		status int
		after  string
		says   string
	}{
		{&ingest.Error{Reason: ingest.Limited, RetryAfter: 1500 * time.Millisecond, Err: fmt.Errorf("too fast")}, 429, "2", "too fast"},
		{ingest.Errorf(ingest.Denied, "not yours"), 403, "", "not yours"},
		{ingest.Errorf(ingest.Unauthenticated, "who?"), 401, "", "who?"},
		{ingest.Errorf(ingest.Expired, "too old"), 422, "", "too old"},
		{ingest.Errorf(ingest.Unavailable, "no room"), 503, "", "no room"},
		{fmt.Errorf("wrapped: %w", ingest.Errorf(ingest.TooLarge, "large")), 413, "", "large"},
		{ingest.Errorf(ingest.Internal, "/secret/path"), 500, "", "the server"},
		{fmt.Errorf("/secret/path"), 500, "", "the server"},
	} {
		recv.Err = test.err
		resp, text := post(t, server.URL+"/api/v1/profiles?service=a", ingesttest.Profile(t, "cpu.labels.pb.gz"))
		if resp.StatusCode != test.status || resp.Header.Get("Retry-After") != test.after || !strings.Contains(text, test.says) || strings.Contains(text, "secret") {
			t.Errorf("%v: %s, Retry-After %q, %s", test.err, resp.Status, resp.Header.Get("Retry-After"), text)
		}
	}
}

func FuzzParsePush(f *testing.F) {
	f.Add("service=a&kind=cpu&label.x=y&time=1&duration=1s&key=k")
	f.Add("service=a&time=2026-01-02T03:04:05Z")
	f.Add("service=%zz&label.=&label.a%20b=1")
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		p, err := parsePush(values)
		if err != nil {
			return
		}
		if _, err := store.NewLabels(p.Labels...); err != nil && !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%q: labels %q: %v", query, p.Labels, err)
		}
		if p.Duration < 0 {
			t.Errorf("%q: duration %d", query, p.Duration)
		}
	})
}
