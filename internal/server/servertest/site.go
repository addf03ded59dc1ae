// Package servertest has servers for tests: with the services of hone ui, and those of
// hone serve over a store in memory, asked without a network.
package servertest

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/findings"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/server/stored"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// Host is the name of servers under test.
const Host = "localhost:4000"

// Testdata decodes one of the repository's profiles.
func Testdata(t testing.TB, name string) *profile.Profile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root(t), "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// root returns the repository's folder: tests run in that of their package.
func root(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
	}
	t.Fatalf("%s is in no module", dir)
	return ""
}

type (
	// Server and Profiles are embedded with their fields in Config.
	Server   = server.Config
	Profiles = reports.Config
)

// Config is what a server under test is made of. A test changes what it is about.
type Config struct {
	Server
	Profiles
	// Runs are kept runs; nil has none.
	Runs interface {
		runs.Runs
		Profile(ctx context.Context, name string) (reports.Source, error)
	}
	// Advice says whose source there is; its Open is set.
	Advice findings.Config
	// Continuous is for servers of a store.
	Continuous *Continuous
}

// A Site is a server under test.
type Site struct {
	*server.Server
	Reports *reports.Service
	Kept    *stored.Service // nil without a store
	T       testing.TB
	Config  *Config
	IDs     []string // of its profiles
}

// Pages is a web UI.
var Pages = fstest.MapFS{
	"index.html":         {Data: []byte("<!doctype html><title>hone</title>" + strings.Repeat(" ", 2000))},
	"icon.svg":           {Data: []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")},
	"assets/index-1a.js": {Data: []byte("export {}")},
}

// NewSite returns a server of profiles from testdata. change changes what it is made
// of; it may be nil.
func NewSite(t testing.TB, change func(*Config), names ...string) *Site {
	t.Helper()
	finder := srcfind.New(srcfind.Config{Confined: true})
	cfg := Config{
		Server: Server{
			Hosts: []string{Host, "127.0.0.1:4000", "[::1]:4000"},
			Pages: Pages,
			Log:   func(line string) { t.Log(line) },
		},
		Profiles: Profiles{
			Options:   shell.DefaultConfig(),
			ViewsFile: filepath.Join(t.TempDir(), "hone", "views.json"),
			Decode: func(_ context.Context, data []byte) (*profile.Profile, error) {
				return profile.DecodeBytes(data, profile.Limits{Bytes: 4 << 20})
			},
		},
	}
	cfg.Env.Text = finder.Find
	for _, name := range names {
		cfg.Profiles.Profiles = append(cfg.Profiles.Profiles, reports.Source{Name: name, Ready: Testdata(t, name)})
	}
	if len(names) > 0 {
		cfg.Shown = []int{0}
	}
	if change != nil {
		change(&cfg)
	}
	s := &Site{T: t, Config: &cfg}
	var markers *stored.Markers
	if cfg.Continuous != nil {
		markers = cfg.Continuous.prepare(t, &cfg.Server)
	}
	var err error
	if s.Server, err = server.New(t.Context(), cfg.Server); err != nil {
		t.Fatal(err)
	}
	cfg.Opener = stored.None{}
	if c := cfg.Continuous; c != nil {
		s.Kept = stored.New(s.Server, stored.Config{Store: c.Store, Markers: markers, Functions: c.Functions, Env: cfg.Env, Status: c.Status, Version: c.Version})
		cfg.Opener, cfg.Offers.Continuous, cfg.Shared = s.Kept, true, true
		s.Operate(c.ready)
	}
	if cfg.Runs == nil {
		runs.Absent(s.Server)
	} else {
		runs.New(s.Server, cfg.Runs)
		cfg.Lookup, cfg.Offers.Runs = cfg.Runs.Profile, true
	}
	cfg.Offers.Advice = cfg.Advice.Module != nil
	s.Reports = reports.New(t.Context(), s.Server, cfg.Profiles)
	cfg.Advice.Open = s.Reports.Open
	findings.New(t.Context(), s.Server, cfg.Advice)
	var list struct{ Profiles []struct{ ID string } }
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/profiles", nil)
	r.Host = cfg.Hosts[0]
	s.ServeHTTP(w, r)
	if w.Code == http.StatusOK {
		list = Decode[struct{ Profiles []struct{ ID string } }](t, w.Body.String())
	}
	for _, p := range list.Profiles {
		s.IDs = append(s.IDs, p.ID)
	}
	return s
}

// Do sends a request, changed by the functions.
func (s *Site) Do(method, target, body string, change ...func(*http.Request)) *http.Response {
	s.T.Helper()
	r := httptest.NewRequestWithContext(s.T.Context(), method, target, strings.NewReader(body))
	r.Host = Host
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

// Header sets a header of a request.
func Header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if name == "Host" {
			r.Host = value
			return
		}
		r.Header.Set(name, value)
	}
}

// Body returns the body of a response.
func Body(t testing.TB, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Get returns a body that there has to be.
func (s *Site) Get(target string) string {
	s.T.Helper()
	r := s.Do("GET", target, "")
	b := Body(s.T, r)
	if r.StatusCode != http.StatusOK {
		s.T.Fatalf("GET %s: %s\n%.300s", target, r.Status, b)
	}
	return b
}

// Report is the path of a report on the first profile.
func (s *Site) Report(name, query string) string {
	return "/api/v1/report/" + name + "?profile=" + s.IDs[0] + "&" + query
}

// Decode reads JSON.
func Decode[V any](t testing.TB, text string) V {
	t.Helper()
	var v V
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%.300s", err, text)
	}
	return v
}

// Fails checks that a response is an error by the API's rules.
func Fails(t testing.TB, r *http.Response, status int, param, message string) {
	t.Helper()
	text := Body(t, r)
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d: %.300s", r.StatusCode, status, text)
	}
	if ct := r.Header.Get("Content-Type"); ct != server.TypeJSON {
		t.Errorf("an error of type %s", ct)
	}
	e := Decode[struct {
		Error struct{ Message, Param string }
	}](t, text).Error
	if e.Param != param {
		t.Errorf("blames parameter %q, want %q: %s", e.Param, param, e.Message)
	}
	if !strings.Contains(e.Message, message) || e.Message == "" {
		t.Errorf("message %q, want one with %q", e.Message, message)
	}
}

// Gunzip decompresses.
func Gunzip(t testing.TB, text string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Raw is a file of testdata.
func Raw(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root(t), "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
