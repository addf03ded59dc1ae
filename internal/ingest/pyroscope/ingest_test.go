package pyroscope

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

func post(t *testing.T, target, contentType string, body []byte, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest("POST", target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
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

// form returns a form of files, given by name and content, and its type.
func form(files ...string) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, _ := w.CreateFormFile(files[i], files[i])
		io.WriteString(f, files[i+1])
	}
	w.Close()
	return w.FormDataContentType(), b.Bytes()
}

func labels(t *testing.T, pairs ...string) store.Labels {
	t.Helper()
	var ls []store.Label
	for i := 0; i < len(pairs); i += 2 {
		ls = append(ls, store.Label{Name: pairs[i], Value: pairs[i+1]})
	}
	out, err := store.NewLabels(ls...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestIngest(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	cpu := string(ingesttest.Profile(t, "cpu.labels.pb.gz"))
	raw := string(ingesttest.Profile(t, "cpu.uncompressed.pb"))
	mutexType, mutex := form("profile", string(ingesttest.Profile(t, "block.accounts.pb.gz")),
		"sample_type_config", `{"contentions":{"display-name":"mutex_count","units":"lock_samples"},"delay":{"display-name":"mutex_duration","cumulative":false}}`)
	oldType, old := form("profile", string(ingesttest.Profile(t, "allocs.templates.pb.gz")),
		"sample_type_config", `{"alloc_space":{"cumulative":true},"alloc_objects":{"cumulative":true},"inuse_space":{"aggregation":"average"}}`)
	formType, cpuForm := form("profile", cpu)
	const span = "&from=1700000000&until=1700000010"
	for name, test := range map[string]struct {
		query, contentType string
		body               []byte
		labels             store.Labels
		kind               string
		cumulative         []string
	}{
		"pprof":             {"name=shop.api&format=pprof", "", []byte(cpu), labels(t, "service", "shop.api"), "", nil},
		"pprof of no type":  {"name=api", "", []byte(cpu), labels(t, "service", "api"), "", nil},
		"not compressed":    {"name=api", "application/octet-stream", []byte(raw), labels(t, "service", "api"), "", nil},
		"form":              {"name=api", formType, cpuForm, labels(t, "service", "api"), "", nil},
		"form with format":  {"name=api&format=pprof", formType, cpuForm, labels(t, "service", "api"), "", nil},
		"mutex, not block":  {"name=api", mutexType, mutex, labels(t, "service", "api"), "mutex", nil},
		"cumulative":        {"name=api{__session_id__=s1}", oldType, old, labels(t, "service", "api", "instance", "s1"), "", []string{"alloc_objects", "alloc_space"}},
		"cumulative, known": {"name=api{__session_id__=s1,pod=p}", oldType, old, labels(t, "service", "api", "instance", "p", "pod", "p"), "", []string{"alloc_objects", "alloc_space"}},
		"labels": {"name=" + url.QueryEscape("api { region=eu , service_version=v2, hostname=h1,kind=odd,__session_id__=1,otel.scope.name=x, }"), formType, cpuForm,
			labels(t, "service", "api", "version", "v2", "instance", "h1", "hostname", "h1", "region", "eu", "exported_kind", "odd"), "", nil},
		"service name": {"name=" + url.QueryEscape("shop.cpu{service_name=api}"), formType, cpuForm, labels(t, "service", "api", "app_name", "shop.cpu"), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/ingest?", "/pyroscope/ingest?"} {
				resp, text := post(t, server.URL+path+test.query+span+"&spyName=gospy&sampleRate=100&units=samples&aggregationType=sum", test.contentType, test.body)
				got := recv.Pushes()
				if resp.StatusCode != http.StatusOK || len(got) != 1 {
					t.Fatalf("%s %s, %d pushes", resp.Status, text, len(got))
				}
				p := got[0]
				if !reflect.DeepEqual(p.Labels, test.labels) || p.Kind != test.kind || !reflect.DeepEqual(p.Cumulative, test.cumulative) {
					t.Errorf("labels %v, kind %q, cumulative %q\nwant   %v, %q, %q", p.Labels, p.Kind, p.Cumulative, test.labels, test.kind, test.cumulative)
				}
				if p.Time != 1700000000e9 || p.Duration != 10e9 || p.Protocol != Protocol {
					t.Errorf("time %d, duration %d, protocol %q", p.Time, p.Duration, p.Protocol)
				}
			}
		})
	}
}

func TestTextFormats(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	for _, test := range []struct {
		query, body   string
		service, kind string
		sums          map[string]int64
	}{
		{"name=api&sampleRate=50", "a;b 3\na 4\n", "api", "cpu", map[string]int64{"samples/count": 7, "cpu/nanoseconds": 140e6}},
		{"name=api.cpu&format=groups", "a;b 3\n", "api", "cpu", map[string]int64{"samples/count": 3, "cpu/nanoseconds": 30e6}},
		{"name=api.wall&format=folded", "a;b 3\n", "api", "wall", map[string]int64{"samples/count": 3, "wall/nanoseconds": 30e6}},
		{"name=shop.api.alloc_space&format=collapsed", "a;b 300\n", "shop.api", "allocs", map[string]int64{"alloc_space/bytes": 300}},
		{"name=shop.api&format=lines", "a;b c\na;b c\r\n\nmain\n", "shop.api", "cpu", map[string]int64{"samples/count": 3, "cpu/nanoseconds": 30e6}},
	} {
		resp, text := post(t, server.URL+"/ingest?"+test.query, "text/plain", []byte(test.body))
		got := recv.Pushes()
		if resp.StatusCode != http.StatusOK || len(got) != 1 {
			t.Errorf("%s: %s %s", test.query, resp.Status, text)
			continue
		}
		if p := got[0]; p.Labels.Get("service") != test.service || p.Kind != test.kind || !reflect.DeepEqual(ingesttest.ValueSums(p.Decoded), test.sums) {
			t.Errorf("%s: %v %q %v", test.query, p.Labels, p.Kind, ingesttest.ValueSums(p.Decoded))
		}
	}
}

// TestTextMemory: text takes its memory from what all requests share.
func TestTextMemory(t *testing.T) {
	const most = 24 << 20
	memory := ingest.NewMemory(most)
	hub := ingest.New(ingest.Config{Store: storetest.NewModel(), Memory: memory})
	server := ingesttest.Serve(t, hub, Mount)
	var stacks, line, lines bytes.Buffer
	for i := range 200_000 {
		fmt.Fprintf(&stacks, "main;f%x 1\n", i)
		fmt.Fprintf(&line, "f%x;", i)
	}
	line.WriteString("main 1\n")
	for lines.Len() < most/2 {
		lines.WriteString("a\n")
	}
	for name, test := range map[string]struct {
		format string
		text   []byte
	}{
		"stacks": {"folded", stacks.Bytes()}, "one line": {"groups", line.Bytes()}, "lines": {"lines", lines.Bytes()},
	} {
		resp, text := post(t, server.URL+"/ingest?name=a&format="+test.format, "text/plain", test.text)
		if want := fmt.Sprintf("more than %d bytes of memory", most); resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, want) {
			t.Errorf("%s: %s %s; want 413 with %q", name, resp.Status, text, want)
		}
		if used := memory.Used(); used != 0 {
			t.Errorf("%s: %d bytes are not given back", name, used)
		}
	}
	if resp, text := post(t, server.URL+"/ingest?name=a&format=lines", "text/plain", []byte("a;b\nc\n")); resp.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %s %s", resp.Status, text)
	}
}

func TestIngestRefused(t *testing.T) {
	recv := &ingesttest.Recorder{Lim: ingest.Limits{BodyBytes: 1 << 20}}
	server := ingesttest.Serve(t, recv, Mount)
	cpu := ingesttest.Profile(t, "cpu.labels.pb.gz")
	formType, cpuForm := form("profile", string(cpu))
	prevType, prev := form("profile", string(cpu), "prev_profile", string(cpu))
	twiceType, twice := form("profile", string(cpu), "profile", string(cpu))
	configType, config := form("profile", string(cpu), "sample_type_config", "{")
	_, noProfile := form("sample_type_config", "{}")
	for name, test := range map[string]struct {
		query, contentType string
		body               []byte
		encoding           string
		status             int
		says               string
	}{
		"no name":           {"", formType, cpuForm, "", 422, "name"},
		"no closing brace":  {"name=a{b=c", formType, cpuForm, "", 422, "}"},
		"text behind":       {"name=a{b=c}d", formType, cpuForm, "", 422, "}"},
		"no label":          {"name=a{b}", formType, cpuForm, "", 422, "name=value"},
		"bad time":          {"name=a&from=soon", formType, cpuForm, "", 422, "soon"},
		"backwards":         {"name=a&from=1700000010&until=1700000000", formType, cpuForm, "", 422, "earlier"},
		"bad rate":          {"name=a&sampleRate=-1", formType, cpuForm, "", 422, "sampleRate"},
		"jfr":               {"name=a&format=jfr", "", cpu, "", 422, "pprof"},
		"trie":              {"name=a&format=trie", "", cpu, "", 422, "pprof"},
		"tree by type":      {"name=a", "binary/octet-stream+tree", cpu, "", 422, "pprof"},
		"no text":           {"name=a", "", []byte("<html></html>"), "", 422, "stacks"},
		"empty":             {"name=a", "", nil, "", 422, ""},
		"truncated form":    {"name=a", formType, cpuForm[:len(cpuForm)/2], "", 422, "form"},
		"truncated profile": {"name=a&format=pprof", "", cpu[:len(cpu)/2], "", 422, "profile"},
		"no boundary":       {"name=a", "multipart/form-data", cpuForm, "", 422, "boundary"},
		"other boundary":    {"name=a", "multipart/form-data; boundary=x", cpuForm, "", 422, "form"},
		"old agent":         {"name=a", prevType, prev, "", 422, "too old"},
		"two profiles":      {"name=a", twiceType, twice, "", 422, "twice"},
		"bad configuration": {"name=a", configType, config, "", 422, "sample_type_config"},
		"no profile":        {"name=a", formType, noProfile, "", 422, ""},
		"oversize":          {"name=a&format=pprof", "", make([]byte, 2<<20), "", 413, "1048576"},
		"bomb":              {"name=a&format=pprof", "", ingesttest.Bomb(64 << 20), "gzip", 413, "decompressed"},
		"mislabelled":       {"name=a&format=pprof", "", []byte("main;read 12\nmain;write 3\n"), "gzip", 422, "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, text := post(t, server.URL+"/ingest?"+strings.ReplaceAll(test.query, "{", "%7B"), test.contentType, test.body, "Content-Encoding", test.encoding)
			if resp.StatusCode != test.status || !strings.Contains(text, test.says) {
				t.Errorf("%s %s; want %d with %q", resp.Status, text, test.status, test.says)
			}
			if got := recv.Pushes(); len(got) != 0 {
				t.Errorf("%d pushes arrived", len(got))
			}
		})
	}
	for reason, status := range map[ingest.Reason]int{ingest.Limited: 429, ingest.TooLarge: 413, ingest.Expired: 422, ingest.Malformed: 422, ingest.Denied: 403, ingest.Unavailable: 503, ingest.Internal: 500} {
		recv.Err = ingest.Errorf(reason, "no")
		if resp, text := post(t, server.URL+"/ingest?name=a", formType, cpuForm); resp.StatusCode != status {
			t.Errorf("%v: %s %s, want %d", reason, resp.Status, text, status)
		}
	}
}

func TestParseTime(t *testing.T) {
	now := time.Unix(1700000000, 0)
	for in, want := range map[string]int64{
		"": 0, "1700000000": 1700000000e9, "1700000000123": 1700000000123e6, "1700000000123456": 1700000000123456e3, "1700000000123456789": 1700000000123456789,
		"now": 1700000000e9, "now-90s": 1699999910e9, "now-1h": 1699996400e9, "now-2d": 1699827200e9,
	} {
		if got, err := parseTime(in, now); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"x", "-1", "now+1h", "now-", "now-1", "now-h", "now-99999999999h", "1e9", "now-1parsec"} {
		if got, err := parseTime(in, now); err == nil {
			t.Errorf("%q: %d", in, got)
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, s := range []string{"app", "app{}", "app{a=b}", "a.b{ a=b , c=d,}", "{service_name=x}", "a{b={}", "a{b=c}}", "a{=}", "ä{ö=ü}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		app, ls, err := parseName(s)
		if err != nil {
			return
		}
		// What was read can be written and read again.
		var pairs []string
		for _, l := range ls {
			pairs = append(pairs, l.Name+"="+l.Value)
		}
		again := fmt.Sprintf("%s{%s}", app, strings.Join(pairs, ","))
		app2, ls2, err := parseName(again)
		if err != nil || app2 != app || !reflect.DeepEqual(ls2, ls) {
			t.Errorf("%q: %q %q\n%q: %q %q, %v", s, app, ls, again, app2, ls2, err)
		}
	})
}

func FuzzForm(f *testing.F) {
	_, ok := form("profile", "x", "sample_type_config", `{"cpu":{"units":"samples","cumulative":true}}`)
	boundary := string(ok[2:bytes.IndexByte(ok, '\r')])
	f.Add(bytes.ReplaceAll(ok, []byte(boundary), []byte("b")))
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=\"profile\"\r\n\r\n\r\n--b--"))
	f.Add([]byte("--b--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		u := upload{name: "a", contentType: "multipart/form-data; boundary=b", body: body}
		p, err := u.push()
		if err == nil && len(p.Data) == 0 {
			t.Error("a push without a profile")
		}
		if len(p.Data) > len(body) {
			t.Errorf("%d bytes out of %d", len(p.Data), len(body))
		}
	})
}

func FuzzFolded(f *testing.F) {
	f.Add("app.cpu", []byte("a;b 1\nc 2\n"), int64(100), false)
	f.Add("app.inuse_space", []byte("a;b\n"), int64(0), true)
	f.Add("app", []byte("a 9223372036854775807\n"), int64(1), false)
	f.Fuzz(func(t *testing.T, name string, text []byte, rate int64, lines bool) {
		if rate < 0 || rate > 1e9 {
			return
		}
		u := upload{name: name, sampleRate: rate, body: text, format: "groups"}
		if lines {
			u.format = "lines"
		}
		push, err := u.push()
		if err != nil {
			return
		}
		p, err := push.Parse(push.Data, profile.Limits{})
		if err == nil && len(p.Values) != len(p.SampleTypes) {
			t.Errorf("%d columns of %d sample types", len(p.Values), len(p.SampleTypes))
		}
	})
}
