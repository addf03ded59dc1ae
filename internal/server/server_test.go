package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

const host = "localhost:4000"

// testdata decodes one of the repository's profiles.
func testdata(t testing.TB, name string) *profile.Profile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A site is a server under test.
type site struct {
	*Server
	t   testing.TB
	ids []string // of its profiles
}

var testPages = fstest.MapFS{
	"index.html":         {Data: []byte("<!doctype html><title>hone</title>" + strings.Repeat(" ", 2000))},
	"icon.svg":           {Data: []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")},
	"assets/index-1a.js": {Data: []byte("export {}")},
}

// newSite returns a server of profiles from testdata.
func newSite(t testing.TB, change func(*Config), names ...string) *site {
	t.Helper()
	finder := srcfind.New(srcfind.Config{Confined: true})
	cfg := Config{
		Hosts:     []string{host, "127.0.0.1:4000", "[::1]:4000"},
		Options:   shell.DefaultConfig(),
		Pages:     testPages,
		ViewsFile: filepath.Join(t.TempDir(), "hone", "views.json"),
		Log:       func(line string) { t.Log(line) },
		Decode: func(_ context.Context, data []byte) (*profile.Profile, error) {
			return profile.DecodeBytes(data, profile.Limits{Bytes: 4 << 20})
		},
	}
	cfg.Env.Source, cfg.Env.Text = finder.Lines, finder.Find
	for _, name := range names {
		cfg.Profiles = append(cfg.Profiles, Source{Name: name, Ready: testdata(t, name)})
	}
	if len(names) > 0 {
		cfg.Shown = []int{0}
	}
	if change != nil {
		change(&cfg)
	}
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	st := &site{Server: s, t: t}
	for _, p := range s.profiles.list() {
		st.ids = append(st.ids, p.ID)
	}
	return st
}

// do sends a request, changed by the functions.
func (s *site) do(method, target, body string, change ...func(*http.Request)) *http.Response {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, target, strings.NewReader(body))
	r.Host = host
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

// header sets a header of a request.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if name == "Host" {
			r.Host = value
			return
		}
		r.Header.Set(name, value)
	}
}

func body(t testing.TB, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// get returns a body that there has to be.
func (s *site) get(target string) string {
	s.t.Helper()
	r := s.do("GET", target, "")
	b := body(s.t, r)
	if r.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s: %s\n%.300s", target, r.Status, b)
	}
	return b
}

// report is the path of a report on the first profile.
func (s *site) report(name, query string) string {
	return "/api/v1/report/" + name + "?profile=" + s.ids[0] + "&" + query
}

func decode[V any](t testing.TB, text string) V {
	t.Helper()
	var v V
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%.300s", err, text)
	}
	return v
}

// fails checks that a response is an error by the API's rules.
func fails(t testing.TB, r *http.Response, status int, param, message string) {
	t.Helper()
	text := body(t, r)
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d: %.300s", r.StatusCode, status, text)
	}
	if ct := r.Header.Get("Content-Type"); ct != typeJSON {
		t.Errorf("an error of type %s", ct)
	}
	e := decode[struct {
		Error struct{ Message, Param string }
	}](t, text).Error
	if e.Param != param {
		t.Errorf("blames parameter %q, want %q: %s", e.Param, param, e.Message)
	}
	if !strings.Contains(e.Message, message) || e.Message == "" {
		t.Errorf("message %q, want one with %q", e.Message, message)
	}
}

func TestRequestErrors(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz", "heap.inlining.pb.gz")
	id, heap := s.ids[0], s.ids[1]
	for _, test := range []struct {
		target  string
		status  int
		param   string
		message string
	}{
		{"/api/v1/report/top", 400, "profile", "missing"},
		{"/api/v1/report/top?profile=", 404, "profile", "no profile"},
		{"/api/v1/report/top?profile=0123456789abcdef01234567", 404, "profile", "no profile"},
		{"/api/v1/profiles/nosuch", 404, "profile", "no profile"},
		{"/api/v1/report/nosuch?profile=" + id, 404, "", "nosuch"},
		{"/api/v1/nosuch", 404, "", "/api/v1/nosuch"},
		{"/api/", 404, "", "/api/"},
		{s.report("diff", ""), 400, "base", "missing"},
		{s.report("diff", "base=nosuch"), 404, "base", "nosuch"},
		{s.report("diff", "base="+heap), 422, "", "sample type"},
		{s.report("top", "format=xml"), 400, "format", "json, text, csv"},
		{s.report("peek", "match=main&format=csv"), 400, "format", "csv"},
		{s.report("top", "focus=("), 400, "focus", "missing closing"},
		{s.report("top", "tagfocus=key%3D("), 400, "tagfocus", "missing closing"},
		{s.report("top", "tagignore=a,("), 400, "tagignore", "missing closing"},
		{s.report("top", "focus=%zz"), 400, "", "%zz"},
		{s.report("top", "focus=a;b"), 400, "", "semicolon"},
		{s.report("top", "focus=a&focus=b"), 400, "focus", "2 times"},
		{s.report("top", "sort=size"), 400, "sort", "size"},
		{s.report("top", "granularity=words"), 400, "granularity", "words"},
		{s.report("top", "nodecount=many"), 400, "nodecount", "many"},
		{s.report("top", "nodefraction=NaN"), 400, "nodefraction", "no number"},
		{s.report("top", "divide_by=0"), 400, "divide_by", "divided by 0"},
		{s.report("top", "divide_by=Inf"), 400, "divide_by", "no number"},
		{s.report("top", "trim=perhaps"), 400, "trim", "perhaps"},
		{s.report("top", "sample_index=9"), 400, "sample_index", "9"},
		{s.report("flame", "sample_index=nosuch"), 400, "sample_index", "nosuch"},
		{s.report("diff", "sample_index=nosuch&base="+id), 400, "sample_index", "nosuch"},
		{s.report("top", "fokus=main"), 400, "fokus", "unknown parameter"},
		{s.report("top", "match=main"), 400, "match", "unknown parameter"},
		{s.report("top", "limit=-1"), 400, "limit", "-1"},
		{s.report("top", "offset=x"), 400, "offset", "x"},
		{s.report("top", "order=colour"), 400, "order", "colour"},
		{s.report("tree", "order=flat"), 400, "order", "unknown parameter"},
		{s.report("top", "download=perhaps"), 400, "download", "perhaps"},
		{s.report("peek", ""), 400, "match", "missing"},
		{s.report("source", "match=("), 400, "match", "missing closing"},
		{s.report("peek", "match=nosuchfunction"), 422, "", "no matches"},
		{s.report("disasm", "match=main"), 422, "", "no access to binaries"},
		{s.report("flame", "width=0&from=-1"), 400, "from", "-1"},
		{s.report("flame", "width=99999999999999999999"), 400, "width", "99999"},
		{s.report("flame", "width=100000000"), 400, "width", ""},
		{s.report("flame", "node=100000000"), 400, "node", "no node"},
		{s.report("flame", "from=9223372036854775807"), 400, "from", ""},
		{s.report("flame", "from=5&to=4"), 400, "to", ""},
		{s.report("flame", "side=left"), 400, "side", "left"},
		{s.report("flame", "inverted=up"), 400, "inverted", "up"},
		{s.report("flame/search", ""), 400, "query", "missing"},
		{s.report("flame/search", "query=("), 400, "query", "missing closing"},
		{"/api/v1/report/top?profile=" + id + "&profile=" + heap, 422, "", ""},
		// Files of this machine are not to be chosen by a request.
		{s.report("top", "output=/tmp/x"), 400, "output", "unknown parameter"},
		{s.report("source", "match=main&source_path=/etc"), 400, "source_path", "unknown parameter"},
		{s.report("top", "trim_path=/etc"), 400, "trim_path", "unknown parameter"},
	} {
		t.Run(test.target, func(t *testing.T) {
			fails(t, s.do("GET", test.target, ""), test.status, test.param, test.message)
		})
	}
	fails(t, s.do("DELETE", "/api/v1/profiles/"+id, ""), 404, "", "DELETE")
}

// TestEveryReport checks that every report comes in every format it says it
// has, and from an empty profile too.
func TestEveryReport(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz", "heap.inlining.pb.gz")
	empty := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"}).Profile()
	hollow := newSite(t, func(c *Config) { c.Profiles = []Source{{Name: "empty", Ready: empty}} })
	for _, k := range kinds {
		if k.name == "disasm" {
			continue // needs a program
		}
		for _, f := range k.formats {
			t.Run(k.name+" "+f.name, func(t *testing.T) {
				query := "format=" + f.name
				if k.needsMatch {
					query += "&match=main"
				}
				if k.needsBase {
					query += "&base=" + s.ids[0]
				}
				if k.name == "flame/search" {
					query += "&query=main"
				}
				r := s.do("GET", s.report(k.name, query), "")
				if r.StatusCode != 200 || r.Header.Get("Content-Type") != f.contentType {
					t.Errorf("%s, %s: %.300s", r.Status, r.Header.Get("Content-Type"), body(t, r))
				}
				query = strings.ReplaceAll(query, s.ids[0], hollow.ids[0])
				if r := hollow.do("GET", hollow.report(k.name, query), ""); r.StatusCode != 200 && !k.needsMatch {
					t.Errorf("of an empty profile: %s: %.300s", r.Status, body(t, r))
				}
			})
		}
	}
}

func TestPaging(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz", "cpu.method-values.pb.gz")
	base := "base=" + s.ids[1] + "&"
	type row struct{ Name string }
	type page struct {
		Rows   int
		Report struct {
			Rows   []row
			Traces []json.RawMessage
			Lines  []string
		}
	}
	length := func(p page) int { return len(p.Report.Rows) + len(p.Report.Traces) + len(p.Report.Lines) }
	for name, query := range map[string]string{"top": "", "tree": "", "diff": base, "traces": "", "raw": ""} {
		t.Run(name, func(t *testing.T) {
			all := decode[page](t, s.get(s.report(name, query+"limit=0")))
			if all.Rows != length(all) || all.Rows < 10 {
				t.Fatalf("%d rows of %d", length(all), all.Rows)
			}
			var got page
			for offset := 0; offset < all.Rows; offset += 7 {
				p := decode[page](t, s.get(s.report(name, fmt.Sprintf("%slimit=7&offset=%d", query, offset))))
				if n := length(p); n != min(7, all.Rows-offset) || p.Rows != all.Rows {
					t.Fatalf("at %d there are %d rows of %d", offset, n, p.Rows)
				}
				got.Report.Rows = append(got.Report.Rows, p.Report.Rows...)
				got.Report.Traces = append(got.Report.Traces, p.Report.Traces...)
				got.Report.Lines = append(got.Report.Lines, p.Report.Lines...)
			}
			if fmt.Sprint(got.Report) != fmt.Sprint(all.Report) {
				t.Error("the pages are not the whole")
			}
			if p := decode[page](t, s.get(s.report(name, query+"offset=1000000"))); length(p) != 0 || p.Rows != all.Rows {
				t.Errorf("behind the end there are %d rows of %d", length(p), p.Rows)
			}
		})
	}
	for _, r := range decode[page](t, s.get(s.report("top", "find=RUNTIME.&order=name"))).Report.Rows {
		if !strings.Contains(r.Name, "runtime.") {
			t.Errorf("%s was found", r.Name)
		}
	}
}

func TestFlameWindows(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz")
	type window struct {
		Report struct {
			From, To int64
			Total    struct{ Value int64 }
			Nodes    struct{ ID, Depth []int64 }
		}
	}
	whole := decode[window](t, s.get(s.report("flame", ""))).Report
	if whole.From != 0 || whole.To != whole.Total.Value || len(whole.Nodes.ID) < 10 {
		t.Fatalf("%+v", whole)
	}
	part := decode[window](t, s.get(s.report("flame", "width=300&node="+fmt.Sprint(whole.Nodes.ID[2])))).Report
	if part.To-part.From >= whole.To || len(part.Nodes.ID) == 0 {
		t.Errorf("%+v", part)
	}
	trees := 0
	for key := range s.cache.items {
		if strings.HasPrefix(key, "tree ") {
			trees++
		}
	}
	if trees != 1 {
		t.Errorf("%d trees were built for windows of one", trees)
	}
}

func TestPages(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz")
	index := s.get("/")
	for _, name := range Views() {
		if s.get("/"+name+"?profile=x&focus=y") != index {
			t.Errorf("/%s is another page", name)
		}
	}
	for target, want := range map[string][2]string{
		"/":                   {"text/html; charset=utf-8", "no-cache"},
		"/icon.svg":           {"image/svg+xml", "no-cache"},
		"/assets/index-1a.js": {"text/javascript; charset=utf-8", immutable},
	} {
		r := s.do("GET", target, "")
		if got := [2]string{r.Header.Get("Content-Type"), r.Header.Get("Cache-Control")}; got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	for _, target := range []string{"/nosuch", "/assets/", "/assets/nosuch.js", "/flame/x", "/index.html/", "/..%2f..%2fetc%2fpasswd"} {
		if r := s.do("GET", target, ""); r.StatusCode != 404 || !strings.Contains(body(t, r), `href="/"`) {
			t.Errorf("%s: %s", target, r.Status)
		}
	}
	fails(t, s.do("POST", "/", ""), http.StatusMethodNotAllowed, "", "")
}

func TestServe(t *testing.T) {
	s := newSite(t, nil, "cpu.generics.pb.gz")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.cfg.Hosts = []string{l.Addr().String()}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	r, err := http.Get("http://" + l.Addr().String() + s.report("top", ""))
	if err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	s := newSite(t, func(c *Config) { c.Log = func(line string) { log.WriteString(line) } }, "cpu.generics.pb.gz")
	broken := &kind{name: "broken", formats: []format{asJSON}, answer: func(*Server, context.Context, *query) (*answer, error) { panic("at the disco") }}
	kinds = append(kinds, broken)
	defer func() { kinds = kinds[:len(kinds)-1] }()
	fails(t, s.do("GET", s.report("broken", ""), ""), http.StatusInternalServerError, "", "at the disco")
	if !strings.Contains(log.String(), "server_test.go") {
		t.Errorf("no stack in the log: %s", log.String())
	}
	s.get(s.report("top", ""))
	failing := newSite(t, func(c *Config) {
		c.Profiles = []Source{{Name: "p", Load: func(context.Context) (*profile.Profile, error) { panic("while loading") }}}
	})
	fails(t, failing.do("GET", failing.report("top", ""), ""), http.StatusInternalServerError, "profile", "while loading")
}

func TestFailedProfile(t *testing.T) {
	loads := 0
	s := newSite(t, func(c *Config) {
		c.Profiles = append(c.Profiles, Source{Name: "gone.pb.gz", Load: func(context.Context) (*profile.Profile, error) {
			loads++
			return nil, errors.New("gone.pb.gz: no such file")
		}})
	}, "cpu.generics.pb.gz")
	list := func() []Profile {
		return decode[struct{ Profiles []Profile }](t, s.get("/api/v1/profiles")).Profiles
	}
	if got := list()[1]; got.State != stateWaiting || loads != 0 {
		t.Errorf("%+v, %d loads", got, loads)
	}
	for range 2 {
		fails(t, s.do("GET", "/api/v1/profiles/"+s.ids[1], ""), 422, "profile", "no such file")
	}
	if got := list()[1]; got.State != stateFailed || !strings.Contains(got.Error, "no such file") || loads != 1 {
		t.Errorf("%+v, %d loads", got, loads)
	}
	s.get(s.report("top", ""))
}

// TestLeaving: a client that leaves gets its report stopped, and no other.
func TestLeaving(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	stopped := make(chan error, 1)
	slow := &kind{name: "slow", formats: []format{asJSON}, answer: func(_ *Server, ctx context.Context, _ *query) (*answer, error) {
		close(started)
		select {
		case <-ctx.Done():
			stopped <- ctx.Err()
			return nil, ctx.Err()
		case <-release:
			return jsonAnswer("done")
		}
	}}
	kinds = append(kinds, slow)
	defer func() { kinds = kinds[:len(kinds)-1] }()
	s := newSite(t, nil, "cpu.generics.pb.gz")
	ask := func(ctx context.Context) chan int {
		status := make(chan int, 1)
		go func() {
			status <- s.do("GET", s.report("slow", ""), "", func(r *http.Request) { *r = *r.WithContext(ctx) }).StatusCode
		}()
		return status
	}
	waiting := func(n int) {
		for {
			s.cache.mu.Lock()
			waiters := 0
			for _, it := range s.cache.items {
				waiters += it.waiters
			}
			s.cache.mu.Unlock()
			if waiters == n {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	leaving, leave := context.WithCancel(t.Context())
	first := ask(leaving)
	<-started
	second := ask(t.Context())
	waiting(2)
	leave()
	<-first
	close(release)
	if got := <-second; got != 200 {
		t.Errorf("the second client gets %d", got)
	}

	started, release = make(chan struct{}), make(chan struct{})
	s.cache.items = map[string]*item{}
	leaving, leave = context.WithCancel(t.Context())
	first = ask(leaving)
	<-started
	leave()
	<-first
	if err := <-stopped; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPrepare(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Options.Focus = "main" }, "cpu.generics.pb.gz")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Prepare(ctx) }()
	trees := func() (n int) {
		s.cache.mu.Lock()
		defer s.cache.mu.Unlock()
		for key, it := range s.cache.items {
			if strings.HasPrefix(key, "tree ") && it.element != nil {
				n++
			}
		}
		return n
	}
	for trees() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
	s.get("/api/v1/report/flame?width=1000&" + s.Start())
	if trees() != 1 {
		t.Error("what was prepared is not what is asked for")
	}
	newSite(t, nil).Prepare(t.Context()) // without a profile there is nothing to do
}
