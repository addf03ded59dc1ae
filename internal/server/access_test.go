package server_test

import (
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/servertest"

	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/internal/server/auth"
)

// TestAccess asks for every route as everyone, and checks who is let through.
// Routes that a row is missing for fail it.
func TestAccess(t *testing.T) {
	g := servertest.NewGuarded(t)
	g.Fill()
	const (
		open  = "open"
		read  = "read"
		write = "write"
		admin = "admin"
	)
	rows := []struct{ method, target, needs, pattern string }{
		{"GET", "/api/v1/profiles", read, "GET /api/v1/profiles"},
		{"POST", "/api/v1/profiles?name=x", read, "POST /api/v1/profiles"},
		{"POST", "/api/v1/profiles?service=api", write, "POST /api/v1/profiles"},
		{"GET", "/api/v1/profiles/sel%3Aq%3Dcpu", read, "GET /api/v1/profiles/{id}"},
		{"GET", "/api/v1/profiles/sel%3Aq%3Dcpu/build", read, "GET /api/v1/profiles/{id}/build"},
		{"GET", "/api/v1/report/top?profile=sel%3Aq%3Dcpu", read, "GET /api/v1/report/{name...}"},
		{"GET", "/api/v1/advice?profile=sel%3Aq%3Dcpu", read, "GET /api/v1/advice"},
		{"GET", "/api/v1/runs", read, "GET /api/v1/runs"},
		{"GET", "/api/v1/runs/compare", read, "GET /api/v1/runs/compare"},
		{"GET", "/api/v1/runs/trend", read, "GET /api/v1/runs/trend"},
		{"GET", "/api/v1/runs/verdicts", read, "GET /api/v1/runs/verdicts"},
		{"GET", "/api/v1/runs/x", read, "GET /api/v1/runs/{id}"},
		{"GET", "/api/v1/runs/x/load", read, "GET /api/v1/runs/{id}/load"},
		{"GET", "/api/v1/views", read, "GET /api/v1/views"},
		{"PUT", "/api/v1/views/x", read, "PUT /api/v1/views/{name}"},
		{"DELETE", "/api/v1/views/x", read, "DELETE /api/v1/views/{name}"},
		{"GET", "/api/v1/nosuch", read, "/api/"},
		{"GET", "/flamegraph", read, "GET /flamegraph"},
		{"GET", "/flamegraph2", read, "GET /flamegraph2"},
		{"GET", "/flamegraphold", read, "GET /flamegraphold"},
		{"GET", "/ui/top", read, "GET /ui/{name...}"},
		{"GET", "/download", read, "GET /download"},
		{"GET", "/api/v1/pprof", read, "GET /api/v1/pprof"},
		{"GET", "/api/v1/labels", read, "GET /api/v1/labels"},
		{"GET", "/api/v1/services", read, "GET /api/v1/services"},
		{"GET", "/api/v1/overview", read, "GET /api/v1/overview"},
		{"GET", "/api/v1/changes?service=api", read, "GET /api/v1/changes"},
		{"DELETE", "/api/v1/services?service=api&dry_run=true", admin, "DELETE /api/v1/services"},
		{"GET", "/api/v1/records", read, "GET /api/v1/records"},
		{"GET", "/api/v1/series", read, "GET /api/v1/series"},
		{"GET", "/api/v1/heat", read, "GET /api/v1/heat"},
		{"GET", "/api/v1/endpoints", read, "GET /api/v1/endpoints"},
		{"GET", "/api/v1/exemplars", read, "GET /api/v1/exemplars"},
		{"GET", "/api/v1/history", read, "GET /api/v1/history"},
		{"GET", "/api/v1/markers", read, "GET /api/v1/markers"},
		{"POST", "/api/v1/markers", write, "POST /api/v1/markers"},
		{"DELETE", "/api/v1/markers/x", write, "DELETE /api/v1/markers/{id}"},
		{"GET", "/api/v1/status", read, "GET /api/v1/status"},
		{"POST", "/api/v1/backup", admin, "POST /api/v1/backup"},
		{"GET", "/api/v1/sessions", read, "GET /api/v1/sessions"},
		{"DELETE", "/api/v1/sessions/x", read, "DELETE /api/v1/sessions/{id}"},
		{"GET", "/api/v1/user", open, "GET /api/v1/user"},
		{"GET", "/healthz", open, "GET /healthz"},
		{"GET", "/readyz", open, "GET /readyz"},
		{"GET", "/ready", open, "GET /ready"},
		{"GET", "/metrics", read, "GET /metrics"},
		{"GET", "/metrics/profiles", read, "GET /metrics/profiles"},
		{"GET", "/api/v1/function-metrics", read, "GET /api/v1/function-metrics"},
		{"GET", "/api/v1/function-metrics/x", read, "GET /api/v1/function-metrics/{name}"},
		{"GET", "/", read, "/"},
		{"GET", "/flame", read, "/"},
		{"GET", "/assets/index-1a.js", read, "/"},
		{"GET", "/nosuch", read, "/"},
		{"GET", "/login", open, "GET /login"},
		{"POST", "/logout", open, "POST /logout"},
		// Protocols of agents and other tools.
		{"POST", "/ingest?name=api", write, ""},
		{"POST", "/push.v1.PusherService/Push", write, ""},
		{"POST", "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", write, ""},
		{"POST", "/parca.profilestore.v1alpha1.ProfileStoreService/WriteArrow", write, ""},
		{"POST", "/parca.profilestore.v1alpha1.ProfileStoreService/Write", write, ""},
		{"POST", "/parca.debuginfo.v1alpha1.DebuginfoService/ShouldInitiateUpload", write, ""},
		{"POST", "/parca.telemetry.v1alpha1.TelemetryService/ReportPanic", write, ""},
		{"POST", "/parca.query.v1alpha1.QueryService/QueryRange", read, ""},
		{"POST", "/querier.v1.QuerierService/ProfileTypes", read, ""},
		{"GET", "/pyroscope/render-diff", read, ""},
		{"GET", "/pyroscope/labels", read, ""},
		{"POST", "/capabilities.v1.FeatureFlagsService/GetFeatureFlags", read, ""},
		{"POST", "/settings.v1.SettingsService/Get", read, ""},
		{"POST", "/settings.v1.RecordingRulesService/ListRecordingRules", read, ""},
		{"POST", "/settings.v1.CollectionRulesService/ListCollectionRules", read, ""},
		{"POST", "/version.v1.Version/Version", read, ""},
		{"POST", "/vcs.v1.VCSService/GetFile", read, ""},
		{"POST", "/adhocprofiles.v1.AdHocProfileService/List", read, ""},
		{"POST", "/ingester.v1.IngesterService/Series", read, ""},
		{"POST", "/storegateway.v1.StoreGatewayService/Series", read, ""},
		{"POST", "/debuginfo.v1alpha1.DebuginfoService/ShouldInitiateUpload", write, ""},
	}
	// For everyone, but they refuse who has nothing to log in with: see package auth.
	covered := map[string]bool{"POST /login": true, "GET /login/provider": true, "GET /login/callback": true}
	for _, row := range rows {
		covered[row.pattern] = true
		for _, who := range []string{"", "reader", "writer", "admin"} {
			for _, way := range []string{"token", "session"} {
				if who == "" && way == "session" {
					continue
				}
				show := g.As(who)
				if way == "session" {
					show = g.Session(who)
				}
				t.Run(fmt.Sprintf("%s %s as %s by %s", row.method, row.target, who, way), func(t *testing.T) {
					r := g.Do(row.method, row.target, "x", show, servertest.Header("Origin", "http://"+servertest.Host))
					may := row.needs == open || who == "admin" || who == "reader" && row.needs == read || who == "writer" && row.needs == write
					denied := r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusForbidden
					if row.target == "/login" {
						denied = r.StatusCode != 200
					}
					switch {
					case may && denied:
						t.Errorf("%s: %s", r.Status, servertest.Body(t, r))
					case !may && !denied:
						t.Errorf("is let through with %s", r.Status)
					case !may && who == "" && r.StatusCode != http.StatusUnauthorized:
						t.Errorf("nobody is told %s, want 401", r.Status)
					}
				})
			}
		}
	}
	for _, pattern := range g.Patterns() {
		if !covered[pattern] {
			t.Errorf("no row for %s: say who may", pattern)
		}
	}
}

// TestDenialsInTheirProtocol checks that those who are refused are told so in the
// protocol that they speak.
func TestDenialsInTheirProtocol(t *testing.T) {
	g := servertest.NewGuarded(t)
	api := g.Do("GET", "/api/v1/series", "")
	if text := servertest.Body(t, api); api.StatusCode != 401 || !strings.Contains(text, `"login":"/login"`) || api.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("the API says %s %s", api.Status, text)
	}
	page := g.Do("GET", "/flame?profile=x", "", servertest.Header("Accept", "text/html,*/*"), servertest.Header("Sec-Fetch-Mode", "navigate"))
	if page.StatusCode != 303 || page.Header.Get("Location") != "/login?to=%2Fflame%3Fprofile%3Dx" {
		t.Errorf("a page leads to %s %s", page.Status, page.Header.Get("Location"))
	}
	push := g.Do("POST", "/api/v1/profiles?service=api", "x", g.As("reader"))
	var e struct{ Error, Reason string }
	if json.Unmarshal([]byte(servertest.Body(t, push)), &e); push.StatusCode != 403 || e.Reason != "denied" {
		t.Errorf("a push is told %s %+v", push.Status, e)
	}
	connect := g.Do("POST", "/push.v1.PusherService/Push", "{}", servertest.Header("Content-Type", "application/json"))
	if text := servertest.Body(t, connect); connect.StatusCode != 401 || !strings.Contains(text, `"code":"unauthenticated"`) {
		t.Errorf("Connect is told %s %s", connect.Status, text)
	}
	grpc := g.Do("POST", "/push.v1.PusherService/Push", "", servertest.Header("Content-Type", "application/grpc"), g.As("reader"), func(r *http.Request) { r.ProtoMajor, r.Proto = 2, "HTTP/2.0" })
	if got := grpc.Header.Get("Grpc-Status") + grpc.Trailer.Get("Grpc-Status"); got != "7" {
		t.Errorf("gRPC is told status %q, want 7: %v", got, grpc.Header)
	}
}

// TestTokenForms checks the ways in which programs show a token.
func TestTokenForms(t *testing.T) {
	g := servertest.NewGuarded(t)
	secret := g.Tokens["reader"]
	for _, test := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"bearer", servertest.Header("Authorization", "Bearer "+secret), 200},
		{"bearer, in small letters", servertest.Header("Authorization", "bearer "+secret), 200},
		{"basic", func(r *http.Request) { r.SetBasicAuth("anyone", secret) }, 200},
		{"basic, as the user", func(r *http.Request) { r.SetBasicAuth(secret, "") }, 401},
		{"api key", servertest.Header("X-Goog-Api-Key", secret), 200},
		{"wrong", servertest.Header("Authorization", "Bearer "+secret+"x"), 401},
		{"shortened", servertest.Header("Authorization", "Bearer "+secret[:len(secret)-1]), 401},
		{"empty", servertest.Header("Authorization", "Bearer "), 401},
		{"its hash", servertest.Header("Authorization", "Bearer "+g.Auth.Tokens.List()[0].Hash), 401},
		{"cookie", servertest.Header("Cookie", "hone="+secret), 401},
	} {
		if r := g.Do("GET", "/api/v1/labels", "", test.change); r.StatusCode != test.status {
			t.Errorf("%s: %s, want %d", test.name, r.Status, test.status)
		}
	}
}

// TestReadScope checks that those who may see one service see nothing of others,
// wherever they look.
func TestReadScope(t *testing.T) {
	g := servertest.NewGuarded(t, func(c *servertest.Config) {
		plan, err := fnmetrics.Compile(fnmetrics.Config{Rules: []fnmetrics.RuleConfig{{
			Name: "x", Select: `cpu{service=~"api|secret-service"}`, Functions: ".*|secret-function", By: []string{"service", "version", "pod"},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		c.Continuous.Functions = fnmetrics.NewWatch(fnmetrics.Options{Store: c.Continuous.Store, Log: func(line string) { t.Error(line) }})
		c.Continuous.Functions.Apply(plan)
	})
	g.Fill()
	g.Put(servertest.CPU2, 4, time.Second, "service", "secret-service", "kind", "cpu", "version", "secret-version", "pod", "secret-pod")
	g.Do("POST", "/api/v1/markers", `{"service":"secret-service","text":"secret-text"}`, g.As("writer"))
	upload := servertest.Decode[api.Profile](t, servertest.Body(t, g.Do("POST", "/api/v1/profiles?name=secret-upload", servertest.ProfileBody(t), g.As("reader"))))
	all := api.SelectionPrefix + servertest.Between("{}", 0, 10).Encode()
	secret := api.SelectionPrefix + servertest.Between(`{service="secret-service"}`, 0, 10).Encode()
	v := servertest.Between("{}", 0, 10).Encode()
	record := servertest.Decode[api.Records](t, servertest.Body(t, g.Do("GET", "/api/v1/records?"+servertest.Between(`{service="secret-service"}`, 0, 10).Encode(), "", g.As("reader"))))

	at := fmt.Sprint(servertest.Start.Add(10 * time.Minute).UnixMilli())
	past := servertest.Between("", 0, 10)
	past.Del("q")

	// First someone who sees all: what is kept for them is not for others.
	targets := []string{
		"/api/v1/overview", "/api/v1/overview?find=secret&to=" + at, "/api/v1/changes?service=api&to=" + at,
		"/api/v1/labels", "/api/v1/labels?q=" + url.QueryEscape(`{service=~".*"}`), "/api/v1/services", "/api/v1/records", "/api/v1/markers", "/api/v1/status",
		"/api/v1/series?by=service,version,pod&" + v, "/api/v1/heat?by=service&" + v, "/api/v1/endpoints?q=cpu&" + v, "/api/v1/exemplars?" + v, "/api/v1/history?" + v + "&q=cpu", "/api/v1/profiles",
		"/api/v1/report/raw?profile=" + url.QueryEscape(all) + "&format=text",
		"/api/v1/report/top?profile=" + url.QueryEscape(api.SelectionPrefix+servertest.Between("cpu", 0, 10).Encode()),
		"/api/v1/profiles/" + url.PathEscape(api.SelectionPrefix+servertest.Between("cpu", 0, 10).Encode()),
		"/api/v1/pprof?" + servertest.Between("cpu", 0, 10).Encode(),
		"/metrics", "/metrics/profiles", "/api/v1/function-metrics", "/api/v1/function-metrics/x?" + past.Encode(), "/api/v1/views",
	}
	for _, target := range targets {
		g.Do("GET", target, "", g.As("reader"))
	}
	for _, show := range []func(*http.Request){g.As("api-reader"), g.Session("api-reader"), g.As("api-admin")} {
		for _, target := range targets {
			if text := servertest.Body(t, g.Do("GET", target, "", show)); strings.Contains(text, "secret-") {
				i := strings.Index(text, "secret-")
				t.Errorf("%s tells of other services: …%s…", target, text[max(0, i-80):min(len(text), i+80)])
			}
		}
		for _, target := range []string{
			"/api/v1/report/top?profile=" + url.QueryEscape(secret),
			"/api/v1/changes?service=secret-service&to=" + at,
			"/api/v1/profiles/" + url.PathEscape(secret),
			"/api/v1/report/top?profile=" + url.QueryEscape(record.Profile[0]),
			"/api/v1/pprof?id=" + record.ID[0],
			"/api/v1/pprof?" + servertest.Between(`{service="secret-service"}`, 0, 10).Encode(),
			"/api/v1/report/top?profile=" + upload.ID,
			"/api/v1/profiles/" + upload.ID,
		} {
			if r := g.Do("GET", target, "", show); r.StatusCode != 404 {
				t.Errorf("%s: %s, want 404 as for what is not there", target, r.Status)
			}
		}
		types := g.Do("POST", "/querier.v1.QuerierService/LabelValues", `{"name":"service_name","start":0,"end":4102444800000}`, show, servertest.Header("Content-Type", "application/json"), servertest.Header("Origin", "http://"+servertest.Host))
		if text := servertest.Body(t, types); types.StatusCode != 200 || !strings.Contains(text, "api") || strings.Contains(text, "secret-") {
			t.Errorf("Pyroscope's querier: %s %s", types.Status, text)
		}
	}
	// The totals are those of the own service.
	got := servertest.Decode[struct{ Profile api.Info }](t, servertest.Body(t, g.Do("GET", "/api/v1/profiles/"+url.PathEscape(api.SelectionPrefix+servertest.Between("cpu", 0, 10).Encode()), "", g.As("api-reader")))).Profile
	if got.Selection.Profiles != 3 {
		t.Errorf("%d profiles of all cpu profiles, want the 3 of api", got.Selection.Profiles)
	}
	for _, target := range []string{"/metrics", "/metrics/profiles"} {
		if r := g.Do("GET", target, "", g.As("api-reader")); r.StatusCode != 403 {
			t.Errorf("%s: %s", target, r.Status)
		}
	}
	if text := servertest.Body(t, g.Do("GET", "/api/v1/function-metrics/x?"+past.Encode(), "", g.As("api-reader"))); !strings.Contains(text, `"service":"api"`) {
		t.Errorf("the history of a function metric: %s", text)
	}
	if r := g.Do("POST", "/api/v1/backup", "", g.As("api-admin")); r.StatusCode != 403 {
		t.Errorf("a backup: %s", r.Status)
	}
	if r := g.Do("DELETE", "/api/v1/services?service=secret-service", "", g.As("api-admin")); r.StatusCode != 403 {
		t.Errorf("deleting another service: %s", r.Status)
	}
	if r := g.Do("DELETE", "/api/v1/markers/"+markerOf(t, g), "", g.As("api-admin")); r.StatusCode != 404 {
		t.Errorf("removing a marker of another service: %s", r.Status)
	}
}

// TestNoteScope checks who may see, write and remove notes on profiles.
func TestNoteScope(t *testing.T) {
	g := servertest.NewGuarded(t)
	g.Fill()
	on := func(q string) string { return api.SelectionPrefix + servertest.Between(q, 0, 10).Encode() }
	post := func(who, q string) *http.Response {
		body, err := json.Marshal(map[string]string{"profile": on(q), "text": "secret-note"})
		if err != nil {
			t.Fatal(err)
		}
		return g.Do("POST", "/api/v1/markers", string(body), g.As(who))
	}
	for _, test := range []struct {
		who, q string
		status int
	}{
		{"reader", `cpu{service="api"}`, 403},
		{"shop-writer", `cpu{service="api"}`, 403},
		{"shop-writer", `cpu{service=~".*"}`, 403},
		{"writer", `cpu{service="web"}`, 201},
		{"writer", `cpu{service=~".*"}`, 201},
	} {
		if r := post(test.who, test.q); r.StatusCode != test.status {
			t.Errorf("%s on %s: %s, want %d", test.who, test.q, r.Status, test.status)
		}
	}
	list := func(who, q string) []api.Marker {
		return servertest.Decode[struct{ Markers []api.Marker }](t, servertest.Body(t, g.Do("GET", "/api/v1/markers?profile="+url.QueryEscape(on(q)), "", g.As(who)))).Markers
	}
	for _, q := range []string{`cpu{service="web"}`, `cpu{service=~".*"}`} {
		if got := list("api-reader", q); len(got) != 0 {
			t.Errorf("who sees one service reads a note on %s: %+v", q, got)
		}
		got := list("reader", q)
		if len(got) != 1 || got[0].By != "writer" {
			t.Fatalf("notes on %s: %+v", q, got)
		}
		for _, step := range []struct {
			who    string
			status int
		}{{"reader", 403}, {"shop-writer", 404}, {"writer", 204}} { // its own
			if r := g.Do("DELETE", "/api/v1/markers/"+got[0].ID, "", g.As(step.who)); r.StatusCode != step.status {
				t.Errorf("%s removes a note of writer: %s, want %d", step.who, r.Status, step.status)
			}
		}
	}
}

// markerOf returns the id of the one marker that was posted.
func markerOf(t testing.TB, g *servertest.Guarded) string {
	for _, m := range g.Markers.List(auth.Anyone, "", 0, 0) {
		if m.Posted {
			return m.ID
		}
	}
	t.Fatal("no marker")
	return ""
}

// TestWriteScope checks that a token writes its services and no others, by every
// protocol.
func TestWriteScope(t *testing.T) {
	g := servertest.NewGuarded(t)
	raw := servertest.ProfileBody(t)
	for _, test := range []struct {
		who, target string
		status      int
	}{
		{"shop-writer", "/api/v1/profiles?service=shop-cart", 204},
		{"shop-writer", "/api/v1/profiles?service=api", 403},
		{"shop-writer", "/api/v1/profiles?service=shop", 403},
		{"writer", "/api/v1/profiles?service=api", 204},
		{"shop-writer", "/ingest?name=shop-cart&format=pprof&from=1790000000&until=1790000010", 200},
		{"shop-writer", "/ingest?name=api&format=pprof&from=1790000000&until=1790000010", 403},
	} {
		r := g.Do("POST", test.target, raw, g.As(test.who))
		// Each protocol has its own status for what is refused.
		if ok := r.StatusCode < 300; ok != (test.status < 300) || test.status == 204 && r.StatusCode != 204 {
			t.Errorf("%s to %s: %s, want %d: %s", test.who, test.target, r.Status, test.status, servertest.Body(t, r))
		}
	}
	// A label that another tool takes for the service adds no name to its list.
	if r := g.Do("POST", "/api/v1/profiles?service=shop-cart&label.service_name=forged&label.__name__=forged", raw, g.As("shop-writer")); r.StatusCode != 204 {
		t.Errorf("with a label service_name: %s", r.Status)
	}
	g.Put(servertest.CPU2, 4, time.Second, "service", "shop-cart", "kind", "cpu", "service_name", "forged", "__type__", "forged") // as kept before
	for _, name := range []string{"service_name", "__service_name__", "__name__", "__type__", "__unit__", "__period_type__", "__period_unit__", "__profile_type__"} {
		r := g.Do("POST", "/querier.v1.QuerierService/LabelValues", fmt.Sprintf(`{"name":%q,"start":0,"end":4102444800000}`, name), g.As("reader"), servertest.Header("Content-Type", "application/json"))
		if text := servertest.Body(t, r); r.StatusCode != 200 || strings.Contains(text, "forged") {
			t.Errorf("values of %s: %s %s", name, r.Status, text)
		}
	}
	r := g.Do("POST", "/querier.v1.QuerierService/Series", `{"start":0,"end":4102444800000}`, g.As("reader"), servertest.Header("Content-Type", "application/json"))
	if text := servertest.Body(t, r); r.StatusCode != 200 || strings.Contains(text, `"name":"service_name","value":"forged"`) || !strings.Contains(text, "exported_service_name") {
		t.Errorf("series: %s %s", r.Status, text)
	}
	services := servertest.Decode[struct{ Services []api.Service }](t, servertest.Body(t, g.Do("GET", "/api/v1/services", "", g.As("reader")))).Services
	var names []string
	for _, s := range services {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"api", "shop-cart"}) {
		t.Errorf("services %v were written", names)
	}
	if r := g.Do("POST", "/api/v1/markers", `{"service":"api","text":"x"}`, g.As("shop-writer")); r.StatusCode != 403 {
		t.Errorf("a marker of another service: %s", r.Status)
	}
	if r := g.Do("POST", "/api/v1/markers", `{"text":"of all"}`, g.As("shop-writer")); r.StatusCode != 403 {
		t.Errorf("a marker of all services: %s", r.Status)
	}
}

// TestRevocation checks that a token, and the sessions begun with it, end to hold
// in the moment it is removed.
func TestRevocation(t *testing.T) {
	g := servertest.NewGuarded(t)
	token, session := g.As("reader"), g.Session("reader")
	for _, show := range []func(*http.Request){token, session} {
		if r := g.Do("GET", "/api/v1/labels", "", show); r.StatusCode != 200 {
			t.Fatal(r.Status)
		}
	}
	// Removed by another process.
	other, err := auth.OpenTokens(filepath.Join(g.Dir, "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Remove("reader"); err != nil {
		t.Fatal(err)
	}
	for _, show := range []func(*http.Request){token, session} {
		if r := g.Do("GET", "/api/v1/labels", "", show); r.StatusCode != 401 {
			t.Errorf("after the removal: %s", r.Status)
		}
	}
}

// TestSessionForgery checks that requests that a browser could be tricked into
// sending change nothing.
func TestSessionForgery(t *testing.T) {
	g := servertest.NewGuarded(t)
	session := g.Session("admin")
	marker := `{"text":"x"}`
	for _, test := range []struct {
		name    string
		headers []func(*http.Request)
		status  int
	}{
		{"own page", []func(*http.Request){servertest.Header("Origin", "http://"+servertest.Host)}, 201},
		{"own page, as new browsers tell", []func(*http.Request){servertest.Header("Sec-Fetch-Site", "same-origin")}, 201},
		{"another site's page", []func(*http.Request){servertest.Header("Origin", "https://evil.example")}, 403},
		{"another site's page, as new browsers tell", []func(*http.Request){servertest.Header("Sec-Fetch-Site", "cross-site"), servertest.Header("Origin", "null")}, 403},
		{"a page without an origin", []func(*http.Request){servertest.Header("Origin", "null")}, 403},
		{"nobody knows", nil, 403},
	} {
		if r := g.Do("POST", "/api/v1/markers", marker, append(test.headers, session)...); r.StatusCode != test.status {
			t.Errorf("%s: %s, want %d", test.name, r.Status, test.status)
		}
	}
	// Logging someone in to another's account is a forgery too.
	form := url.Values{"token": {g.Tokens["reader"]}}.Encode()
	if r := g.Do("POST", "/login", form, servertest.Header("Content-Type", "application/x-www-form-urlencoded"), servertest.Header("Origin", "https://evil.example")); r.StatusCode != 403 {
		t.Errorf("a login from elsewhere: %s", r.Status)
	}
}

func TestLogout(t *testing.T) {
	g := servertest.NewGuarded(t)
	session := g.Session("reader")
	if r := g.Do("POST", "/logout", "", session, servertest.Header("Origin", "http://"+servertest.Host)); r.StatusCode != 204 || len(r.Cookies()) != 1 || r.Cookies()[0].MaxAge >= 0 {
		t.Errorf("logging out: %s %v", r.Status, r.Cookies())
	}
	if r := g.Do("GET", "/api/v1/labels", "", session); r.StatusCode != 401 {
		t.Errorf("with the cookie of before: %s", r.Status)
	}
}

// TestSessions checks that everyone sees and ends their own sessions, and the admin
// of all services those of everybody.
func TestSessions(t *testing.T) {
	g := servertest.NewGuarded(t)
	reader, other, writer, admin := g.Session("reader"), g.Session("reader"), g.Session("api-reader"), g.Session("admin")
	list := func(show func(*http.Request)) (names []string, sessions []server.Session) {
		t.Helper()
		r := g.Do("GET", "/api/v1/sessions", "", show)
		text := servertest.Body(t, r)
		if r.StatusCode != 200 || strings.Contains(text, "sha256") {
			t.Fatalf("%s: %s", r.Status, text)
		}
		sessions = servertest.Decode[struct{ Sessions []server.Session }](t, text).Sessions
		for _, s := range sessions {
			names = append(names, fmt.Sprint(s.Name, s.Current))
		}
		return names, sessions
	}
	_, all := list(admin)
	for _, test := range []struct {
		name string
		show func(*http.Request)
		want string
	}{
		{"a reader", reader, "[readertrue readerfalse]"},
		{"a reader by token", g.As("reader"), "[readerfalse readerfalse]"},
		{"a reader of one service", writer, "[api-readertrue]"},
		{"the admin of one service", g.As("api-admin"), "[]"},
		{"the admin", admin, "[readerfalse readerfalse api-readerfalse admintrue]"},
	} {
		if got, _ := list(test.show); fmt.Sprint(got) != test.want {
			t.Errorf("%s sees %v, want %s", test.name, got, test.want)
		}
	}
	end := func(i int, show func(*http.Request)) int {
		return g.Do("DELETE", "/api/v1/sessions/"+all[i].ID, "", show, servertest.Header("Origin", "http://"+servertest.Host)).StatusCode
	}
	if got := end(3, reader); got != 404 {
		t.Errorf("a reader ends the admin's: %d", got)
	}
	if got := end(1, reader); got != 204 {
		t.Errorf("a reader ends another of their own: %d", got)
	}
	if got := end(2, admin); got != 204 {
		t.Errorf("the admin ends a reader's: %d", got)
	}
	for name, show := range map[string]func(*http.Request){"their own": other, "the admin ended": writer} {
		if r := g.Do("GET", "/api/v1/labels", "", show); r.StatusCode != 401 {
			t.Errorf("a session that was ended, %s: %s", name, r.Status)
		}
	}
	if r := g.Do("GET", "/api/v1/labels", "", reader); r.StatusCode != 200 {
		t.Errorf("one that was not: %s", r.Status)
	}
}

func TestUser(t *testing.T) {
	g := servertest.NewGuarded(t)
	for _, test := range []struct {
		show func(*http.Request)
		want string
	}{
		{g.As(""), `{"name":"","roles":[],"by":"none","login":"/login"}`},
		{g.As("admin"), `{"name":"admin","roles":["admin"],"by":"token","login":"/login"}`},
		{g.Session("api-reader"), `{"name":"api-reader","roles":["read"],"services":["api"],"by":"session","login":"/login"}`},
	} {
		if got := strings.TrimSpace(servertest.Body(t, g.Do("GET", "/api/v1/user", "", test.show))); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	open := servertest.NewLive(t, nil)
	if got := strings.TrimSpace(open.Get("/api/v1/user")); got != `{"name":"","roles":["read","write","admin"],"by":"none"}` {
		t.Errorf("without login: %s", got)
	}
}

// TestFailedLogins checks that who failed to log in too often has to wait, from one
// address, and that this touches neither others nor programs.
func TestFailedLogins(t *testing.T) {
	g := servertest.NewGuarded(t)
	login := func(token, from string) *http.Response {
		form := url.Values{"token": {token}}.Encode()
		return g.Do("POST", "/login", form, servertest.Header("Content-Type", "application/x-www-form-urlencoded"), servertest.Header("Origin", "http://"+servertest.Host),
			func(r *http.Request) { r.RemoteAddr = from })
	}
	for i := range 20 {
		if r := login("guess", fmt.Sprintf("[2001:db8::%d]:1", i)); r.StatusCode != 401 {
			t.Fatalf("failure %d: %s", i, r.Status)
		}
	}
	if r := login(g.Tokens["reader"], "[2001:db8::99]:1"); r.StatusCode != 429 || r.Header.Get("Retry-After") == "" {
		t.Errorf("after twenty failures: %s", r.Status)
	}
	if r := login(g.Tokens["reader"], "[2001:db8:0:1::1]:1"); r.StatusCode != 303 {
		t.Errorf("from elsewhere: %s", r.Status)
	}
	if r := g.Do("GET", "/api/v1/labels", "", g.As("reader"), func(r *http.Request) { r.RemoteAddr = "[2001:db8::1]:1" }); r.StatusCode != 200 {
		t.Errorf("a program at the same address: %s", r.Status)
	}
}

// TestAudit checks that what people did, and what they tried, is on record.
func TestAudit(t *testing.T) {
	g := servertest.NewGuarded(t)
	session := g.Session("admin")
	posted := servertest.Decode[api.Marker](t, servertest.Body(t, g.Do("POST", "/api/v1/markers", `{"text":"x"}`, session, servertest.Header("Origin", "http://"+servertest.Host))))
	g.Do("DELETE", "/api/v1/markers/"+posted.ID, "", g.As("admin"))
	g.Do("DELETE", "/api/v1/markers/x", "", g.As("reader"))
	g.Do("GET", "/api/v1/labels", "", servertest.Header("Authorization", "Bearer guess"))
	g.Do("POST", "/login", "token=guess", servertest.Header("Content-Type", "application/x-www-form-urlencoded"))
	g.Do("POST", "/logout", "", session, servertest.Header("Origin", "http://"+servertest.Host))
	data, err := os.ReadFile(filepath.Join(g.Dir, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(data)) {
		e := servertest.Decode[auth.Event](t, line)
		if e.Time.IsZero() || e.Address != "192.0.2.1" {
			t.Errorf("no time or address: %s", line)
		}
		got = append(got, strings.TrimRight(fmt.Sprintf("%s %s %s %s", e.Action, e.Result, e.Who, e.Target), " "))
	}
	want := []string{
		"login ok admin",
		"marker.add ok admin " + posted.ID,
		"marker.remove ok admin " + posted.ID,
		"denied denied reader DELETE /api/v1/markers/x",
		"denied denied  GET /api/v1/labels",
		"login denied",
		"logout ok admin",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the audit log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Contains(string(data), "guess") || strings.Contains(string(data), g.Tokens["admin"]) {
		t.Error("the audit log has a secret in it")
	}
}

// TestLoginPage checks that nothing that is put into a link to the login page
// leads elsewhere or runs.
func TestLoginPage(t *testing.T) {
	g := servertest.NewGuarded(t)
	for _, to := range []string{"https://evil.example/", "//evil.example/", `/\evil.example`, "javascript:alert(1)", "/\n//evil.example", "evil"} {
		text := servertest.Body(t, g.Do("GET", "/login?to="+url.QueryEscape(to), ""))
		if !strings.Contains(text, `name="to" value="/"`) {
			t.Errorf("%q: %s", to, text)
		}
		form := url.Values{"token": {g.Tokens["reader"]}, "to": {to}}.Encode()
		if r := g.Do("POST", "/login", form, servertest.Header("Content-Type", "application/x-www-form-urlencoded")); r.Header.Get("Location") != "/" {
			t.Errorf("%q leads to %q", to, r.Header.Get("Location"))
		}
	}
	r := g.Do("GET", `/login?to=/"><script>alert(1)</script>`, "")
	if text := servertest.Body(t, r); strings.Contains(text, "<script") || !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%s\n%v", text, r.Header)
	}
}

// TestHosts checks under which names servers of continuous profiling answer.
func TestHosts(t *testing.T) {
	open, guarded := servertest.NewLive(t, nil), servertest.NewGuarded(t)
	foreign := servertest.Header("Host", "evil.example")
	for _, test := range []struct {
		name           string
		s              *servertest.Live
		method, target string
		headers        []func(*http.Request)
		status         int
	}{
		// A page that had its name lead here: without login that is all it needs.
		{"a read by a strange name", open, "GET", "/api/v1/labels", []func(*http.Request){foreign}, 403},
		{"figures by a strange name", open, "GET", "/metrics", []func(*http.Request){foreign}, 403},
		{"a page's push by a strange name", open, "POST", "/api/v1/profiles?service=x", []func(*http.Request){foreign, servertest.Header("Origin", "http://evil.example")}, 403},
		{"an agent's push by any name", open, "POST", "/api/v1/profiles?service=x", []func(*http.Request){foreign}, 204},
		{"a page's push", open, "POST", "/api/v1/profiles?service=x", []func(*http.Request){servertest.Header("Origin", "http://evil.example")}, 403},
		{"health by any name", open, "GET", "/healthz", []func(*http.Request){foreign}, 200},
		{"readiness by any name", open, "GET", "/ready", []func(*http.Request){foreign}, 200},
		{"a read with a token by any name", guarded.Live, "GET", "/api/v1/labels", []func(*http.Request){foreign, guarded.As("reader")}, 200},
		{"a read without one by a strange name", guarded.Live, "GET", "/api/v1/labels", []func(*http.Request){foreign}, 401},
	} {
		body := ""
		if test.method == "POST" {
			body = servertest.ProfileBody(t)
		}
		if r := test.s.Do(test.method, test.target, body, test.headers...); r.StatusCode != test.status {
			t.Errorf("%s: %s, want %d", test.name, r.Status, test.status)
		}
	}
}

// TestPush sends profiles as agents do and finds them in the store.
func TestPush(t *testing.T) {
	l := servertest.NewLive(t, nil)
	var raw bytes.Buffer
	if err := servertest.Testdata(t, servertest.CPU1).Encode(&raw); err != nil {
		t.Fatal(err)
	}
	agent := []func(*http.Request){servertest.Header("Host", "hone.internal:4600")}
	push := func(query string) *http.Response {
		return l.Do("POST", "/api/v1/profiles?"+query, raw.String(), agent...)
	}
	at := fmt.Sprint(servertest.Start.UnixNano())
	for range 2 { // the second time it is there already
		if r := push("service=api&version=v1&time=" + at); r.StatusCode != 204 {
			t.Fatalf("%s: %s", r.Status, servertest.Body(t, r))
		}
	}
	got := servertest.Decode[struct{ Profile api.Info }](t, l.Get("/api/v1/profiles/"+url.PathEscape(api.SelectionPrefix+servertest.Between(`cpu{service="api"}`, 0, 1).Encode()))).Profile.Selection
	if got.Profiles != 1 {
		t.Errorf("%d profiles kept, want 1", got.Profiles)
	}
	refused := push("service=api&colour=red")
	var e struct{ Error, Reason string }
	if json.Unmarshal([]byte(servertest.Body(t, refused)), &e); refused.StatusCode != 400 || e.Reason != "malformed" || !strings.Contains(e.Error, "colour") {
		t.Errorf("a wrong parameter: %s %+v", refused.Status, e)
	}
	// Without a service it is an upload to look at, from hone's own pages.
	if r := l.Do("POST", "/api/v1/profiles?name=mine", raw.String()); r.StatusCode != 201 {
		t.Errorf("an upload: %s", r.Status)
	}
	if markers := l.Get("/api/v1/markers"); !strings.Contains(markers, `"version":"v1"`) {
		t.Errorf("the push made no marker: %s", markers)
	}
}

// TestRefusedTold: the operator hears of an agent without the right token, once.
func TestRefusedTold(t *testing.T) {
	var told []string
	g := servertest.NewGuarded(t, func(c *servertest.Config) {
		c.Refused = func(address string, err error) { told = append(told, err.Error()) }
	})
	push := func(change ...func(*http.Request)) {
		g.Do("POST", "/api/v1/profiles?service=api", servertest.ProfileBody(t), change...)
	}
	g.Do("GET", "/api/v1/labels", "")
	push(g.As("writer"))
	if len(told) > 0 {
		t.Fatalf("told of %q", told)
	}
	push(servertest.Header("Authorization", "Bearer wrong"))
	push(servertest.Header("Authorization", "Bearer wrong"))
	push()
	if len(told) != 1 || !strings.Contains(told[0], "unknown token") {
		t.Errorf("told of %q", told)
	}
	told = nil
	g = servertest.NewGuarded(t, func(c *servertest.Config) {
		c.Refused = func(address string, err error) { told = append(told, err.Error()) }
	})
	push()
	if len(told) != 1 || !strings.Contains(told[0], "send a token") {
		t.Errorf("told of %q", told)
	}
}

// TestSavedViewOwner checks that a saved view belongs to who saved it.
func TestSavedViewOwner(t *testing.T) {
	g := servertest.NewGuarded(t)
	for _, step := range []struct {
		who, method string
		status      int
	}{
		{"reader", "PUT", 200},
		{"reader", "PUT", 200}, // its own
		{"api-reader", "PUT", 403},
		{"api-reader", "DELETE", 403},
		{"reader", "DELETE", 204},
		{"reader", "PUT", 200},
		{"admin", "DELETE", 204},
	} {
		r := g.Do(step.method, "/api/v1/views/mine", `{"query":"focus=a"}`, g.As(step.who))
		if r.StatusCode != step.status {
			t.Errorf("%s %s: %s, want %d: %s", step.method, step.who, r.Status, step.status, servertest.Body(t, r))
		}
		if step.status == 200 {
			if text := servertest.Body(t, g.Do("GET", "/api/v1/views", "", g.As("api-reader"))); !strings.Contains(text, `"by":"reader"`) {
				t.Errorf("the views don't say whose they are: %s", text)
			}
		}
	}
}
