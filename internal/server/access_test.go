package server

import (
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

	"github.com/hone-go/hone/internal/server/auth"
)

// A guarded is a server that asks for tokens, with one of each kind.
type guarded struct {
	*live
	auth   *auth.Auth
	tokens map[string]string // secrets by name
	dir    string
}

func newGuarded(t testing.TB) *guarded {
	t.Helper()
	g := &guarded{tokens: map[string]string{}, dir: t.TempDir()}
	tokens, err := auth.OpenTokens(filepath.Join(g.dir, "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []struct {
		name     string
		roles    auth.Roles
		services []string
	}{
		{"reader", auth.Read, nil},
		{"writer", auth.Write, nil},
		{"admin", auth.Admin, nil},
		{"api-reader", auth.Read, []string{"api"}},
		{"shop-writer", auth.Write, []string{"shop-*"}},
		{"api-admin", auth.Admin, []string{"api"}},
	} {
		secret, _, err := tokens.Add(token.name, token.roles, token.services, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		g.tokens[token.name] = secret
	}
	sessions, err := auth.NewSessions(filepath.Join(g.dir, "session.key"), false)
	if err != nil {
		t.Fatal(err)
	}
	audit, err := auth.OpenAudit(filepath.Join(g.dir, "audit.log"), 0, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { audit.Close() })
	g.auth = &auth.Auth{Tokens: tokens, Sessions: sessions, Audit: audit}
	g.live = newLive(t, func(c *Config) { c.Continuous.Auth = g.auth })
	return g
}

// as shows a token.
func (g *guarded) as(name string) func(*http.Request) {
	if name == "" {
		return func(*http.Request) {}
	}
	return header("Authorization", "Bearer "+g.tokens[name])
}

// session logs in with a token and returns what shows the cookie.
func (g *guarded) session(name string) func(*http.Request) {
	g.t.Helper()
	form := url.Values{"token": {g.tokens[name]}, "to": {"/top?x=1"}}.Encode()
	r := g.do("POST", "/login", form, header("Content-Type", "application/x-www-form-urlencoded"), header("Origin", "http://"+host))
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/top?x=1" {
		g.t.Fatalf("logging in: %s to %q: %s", r.Status, r.Header.Get("Location"), body(g.t, r))
	}
	cookies := r.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode {
		g.t.Fatalf("cookies %v", cookies)
	}
	return func(r *http.Request) { r.AddCookie(cookies[0]) }
}

// profileBody is a profile as agents send it.
func profileBody(t testing.TB) string {
	var b bytes.Buffer
	if err := testdata(t, cpu2).Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAccess asks for every route as everyone, and checks who is let through.
// Routes that a row is missing for fail it.
func TestAccess(t *testing.T) {
	g := newGuarded(t)
	g.fill()
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
		{"GET", "/api/v1/report/top?profile=sel%3Aq%3Dcpu", read, "GET /api/v1/report/{name...}"},
		{"GET", "/api/v1/runs", read, "GET /api/v1/runs"},
		{"GET", "/api/v1/runs/compare", read, "GET /api/v1/runs/compare"},
		{"GET", "/api/v1/runs/trend", read, "GET /api/v1/runs/trend"},
		{"GET", "/api/v1/runs/x", read, "GET /api/v1/runs/{id}"},
		{"GET", "/api/v1/views", read, "GET /api/v1/views"},
		{"PUT", "/api/v1/views/x", read, "PUT /api/v1/views/{name}"},
		{"DELETE", "/api/v1/views/x", read, "DELETE /api/v1/views/{name}"},
		{"GET", "/api/v1/nosuch", read, "/api/"},
		{"GET", "/api/v1/pprof", read, "GET /api/v1/pprof"},
		{"GET", "/api/v1/labels", read, "GET /api/v1/labels"},
		{"GET", "/api/v1/services", read, "GET /api/v1/services"},
		{"GET", "/api/v1/records", read, "GET /api/v1/records"},
		{"GET", "/api/v1/series", read, "GET /api/v1/series"},
		{"GET", "/api/v1/history", read, "GET /api/v1/history"},
		{"GET", "/api/v1/markers", read, "GET /api/v1/markers"},
		{"POST", "/api/v1/markers", write, "POST /api/v1/markers"},
		{"DELETE", "/api/v1/markers/x", admin, "DELETE /api/v1/markers/{id}"},
		{"GET", "/api/v1/status", read, "GET /api/v1/status"},
		{"POST", "/api/v1/backup", admin, "POST /api/v1/backup"},
		{"GET", "/api/v1/user", open, "GET /api/v1/user"},
		{"GET", "/healthz", open, "GET /healthz"},
		{"GET", "/readyz", open, "GET /readyz"},
		{"GET", "/metrics", read, "GET /metrics"},
		{"GET", "/", read, "/"},
		{"GET", "/flame", read, "/"},
		{"GET", "/assets/index-1a.js", read, "/"},
		{"GET", "/nosuch", read, "/"},
		{"GET", "/login", open, ""},
		{"POST", "/logout", open, ""},
		// Protocols of agents and other tools.
		{"POST", "/ingest?name=api", write, ""},
		{"POST", "/push.v1.PusherService/Push", write, ""},
		{"POST", "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", write, ""},
		{"POST", "/querier.v1.QuerierService/ProfileTypes", read, ""},
		{"GET", "/pyroscope/render-diff", read, ""},
	}
	covered := map[string]bool{}
	for _, row := range rows {
		covered[row.pattern] = true
		for _, who := range []string{"", "reader", "writer", "admin"} {
			for _, way := range []string{"token", "session"} {
				if who == "" && way == "session" {
					continue
				}
				show := g.as(who)
				if way == "session" {
					show = g.session(who)
				}
				t.Run(fmt.Sprintf("%s %s as %s by %s", row.method, row.target, who, way), func(t *testing.T) {
					r := g.do(row.method, row.target, "x", show, header("Origin", "http://"+host))
					may := row.needs == open || who == "admin" || who == "reader" && row.needs == read || who == "writer" && row.needs == write
					denied := r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusForbidden
					if row.target == "/login" {
						denied = r.StatusCode != 200
					}
					switch {
					case may && denied:
						t.Errorf("%s: %s", r.Status, body(t, r))
					case !may && !denied:
						t.Errorf("is let through with %s", r.Status)
					case !may && who == "" && r.StatusCode != http.StatusUnauthorized:
						t.Errorf("nobody is told %s, want 401", r.Status)
					}
				})
			}
		}
	}
	for _, pattern := range g.patterns {
		if !covered[pattern] {
			t.Errorf("no row for %s: say who may", pattern)
		}
	}
}

// TestDenialsInTheirProtocol checks that those who are refused are told so in the
// protocol that they speak.
func TestDenialsInTheirProtocol(t *testing.T) {
	g := newGuarded(t)
	api := g.do("GET", "/api/v1/series", "")
	if text := body(t, api); api.StatusCode != 401 || !strings.Contains(text, `"login":"/login"`) || api.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("the API says %s %s", api.Status, text)
	}
	page := g.do("GET", "/flame?profile=x", "", header("Accept", "text/html,*/*"), header("Sec-Fetch-Mode", "navigate"))
	if page.StatusCode != 303 || page.Header.Get("Location") != "/login?to=%2Fflame%3Fprofile%3Dx" {
		t.Errorf("a page leads to %s %s", page.Status, page.Header.Get("Location"))
	}
	push := g.do("POST", "/api/v1/profiles?service=api", "x", g.as("reader"))
	var e struct{ Error, Reason string }
	if json.Unmarshal([]byte(body(t, push)), &e); push.StatusCode != 403 || e.Reason != "denied" {
		t.Errorf("a push is told %s %+v", push.Status, e)
	}
	connect := g.do("POST", "/push.v1.PusherService/Push", "{}", header("Content-Type", "application/json"))
	if text := body(t, connect); connect.StatusCode != 401 || !strings.Contains(text, `"code":"unauthenticated"`) {
		t.Errorf("Connect is told %s %s", connect.Status, text)
	}
	grpc := g.do("POST", "/push.v1.PusherService/Push", "", header("Content-Type", "application/grpc"), g.as("reader"), func(r *http.Request) { r.ProtoMajor, r.Proto = 2, "HTTP/2.0" })
	if got := grpc.Header.Get("Grpc-Status") + grpc.Trailer.Get("Grpc-Status"); got != "7" {
		t.Errorf("gRPC is told status %q, want 7: %v", got, grpc.Header)
	}
}

// TestTokenForms checks the ways in which programs show a token.
func TestTokenForms(t *testing.T) {
	g := newGuarded(t)
	secret := g.tokens["reader"]
	for _, test := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"bearer", header("Authorization", "Bearer "+secret), 200},
		{"bearer, in small letters", header("Authorization", "bearer "+secret), 200},
		{"basic", func(r *http.Request) { r.SetBasicAuth("anyone", secret) }, 200},
		{"basic, as the user", func(r *http.Request) { r.SetBasicAuth(secret, "") }, 401},
		{"api key", header("X-Goog-Api-Key", secret), 200},
		{"wrong", header("Authorization", "Bearer "+secret+"x"), 401},
		{"shortened", header("Authorization", "Bearer "+secret[:len(secret)-1]), 401},
		{"empty", header("Authorization", "Bearer "), 401},
		{"its hash", header("Authorization", "Bearer "+g.auth.Tokens.List()[0].Hash), 401},
		{"cookie", header("Cookie", "hone="+secret), 401},
	} {
		if r := g.do("GET", "/api/v1/labels", "", test.change); r.StatusCode != test.status {
			t.Errorf("%s: %s, want %d", test.name, r.Status, test.status)
		}
	}
}

// TestReadScope checks that those who may see one service see nothing of others,
// wherever they look.
func TestReadScope(t *testing.T) {
	g := newGuarded(t)
	g.fill()
	g.put(cpu2, 4, time.Second, "service", "secret-service", "kind", "cpu", "version", "secret-version", "pod", "secret-pod")
	g.do("POST", "/api/v1/markers", `{"service":"secret-service","text":"secret-text"}`, g.as("writer"))
	upload := decode[Profile](t, body(t, g.do("POST", "/api/v1/profiles?name=secret-upload", profileBody(t), g.as("reader"))))
	all := selectionPrefix + between("{}", 0, 10).Encode()
	secret := selectionPrefix + between(`{service="secret-service"}`, 0, 10).Encode()
	v := between("{}", 0, 10).Encode()
	record := decode[Records](t, body(t, g.do("GET", "/api/v1/records?"+between(`{service="secret-service"}`, 0, 10).Encode(), "", g.as("reader"))))

	// First someone who sees all: what is kept for them is not for others.
	targets := []string{
		"/api/v1/labels", "/api/v1/labels?q=" + url.QueryEscape(`{service=~".*"}`), "/api/v1/services", "/api/v1/records", "/api/v1/markers", "/api/v1/status",
		"/api/v1/series?by=service,version,pod&" + v, "/api/v1/history?" + v + "&q=cpu", "/api/v1/profiles",
		"/api/v1/report/raw?profile=" + url.QueryEscape(all) + "&format=text",
		"/api/v1/report/top?profile=" + url.QueryEscape(selectionPrefix+between("cpu", 0, 10).Encode()),
		"/api/v1/profiles/" + url.PathEscape(selectionPrefix+between("cpu", 0, 10).Encode()),
		"/api/v1/pprof?" + between("cpu", 0, 10).Encode(),
		"/metrics", "/api/v1/views",
	}
	for _, target := range targets {
		g.do("GET", target, "", g.as("reader"))
	}
	for _, show := range []func(*http.Request){g.as("api-reader"), g.session("api-reader"), g.as("api-admin")} {
		for _, target := range targets {
			if text := body(t, g.do("GET", target, "", show)); strings.Contains(text, "secret-") {
				i := strings.Index(text, "secret-")
				t.Errorf("%s tells of other services: …%s…", target, text[max(0, i-80):min(len(text), i+80)])
			}
		}
		for _, target := range []string{
			"/api/v1/report/top?profile=" + url.QueryEscape(secret),
			"/api/v1/profiles/" + url.PathEscape(secret),
			"/api/v1/report/top?profile=" + url.QueryEscape(record.Profile[0]),
			"/api/v1/pprof?id=" + record.ID[0],
			"/api/v1/pprof?" + between(`{service="secret-service"}`, 0, 10).Encode(),
			"/api/v1/report/top?profile=" + upload.ID,
			"/api/v1/profiles/" + upload.ID,
		} {
			if r := g.do("GET", target, "", show); r.StatusCode != 404 {
				t.Errorf("%s: %s, want 404 as for what is not there", target, r.Status)
			}
		}
		types := g.do("POST", "/querier.v1.QuerierService/LabelValues", `{"name":"service_name","start":0,"end":4102444800000}`, show, header("Content-Type", "application/json"), header("Origin", "http://"+host))
		if text := body(t, types); types.StatusCode != 200 || !strings.Contains(text, "api") || strings.Contains(text, "secret-") {
			t.Errorf("Pyroscope's querier: %s %s", types.Status, text)
		}
	}
	// The totals are those of the own service.
	got := decode[struct{ Profile Info }](t, body(t, g.do("GET", "/api/v1/profiles/"+url.PathEscape(selectionPrefix+between("cpu", 0, 10).Encode()), "", g.as("api-reader")))).Profile
	if got.Selection.Profiles != 3 {
		t.Errorf("%d profiles of all cpu profiles, want the 3 of api", got.Selection.Profiles)
	}
	if r := g.do("GET", "/metrics", "", g.as("api-reader")); r.StatusCode != 403 {
		t.Errorf("/metrics: %s", r.Status)
	}
	if r := g.do("POST", "/api/v1/backup", "", g.as("api-admin")); r.StatusCode != 403 {
		t.Errorf("a backup: %s", r.Status)
	}
	if r := g.do("DELETE", "/api/v1/markers/"+markerOf(t, g), "", g.as("api-admin")); r.StatusCode != 404 {
		t.Errorf("removing a marker of another service: %s", r.Status)
	}
}

// markerOf returns the id of the one marker that was posted.
func markerOf(t testing.TB, g *guarded) string {
	for _, m := range g.markers.list(auth.Anyone, "", 0, 0) {
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
	g := newGuarded(t)
	raw := profileBody(t)
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
		r := g.do("POST", test.target, raw, g.as(test.who))
		// Each protocol has its own status for what is refused.
		if ok := r.StatusCode < 300; ok != (test.status < 300) || test.status == 204 && r.StatusCode != 204 {
			t.Errorf("%s to %s: %s, want %d: %s", test.who, test.target, r.Status, test.status, body(t, r))
		}
	}
	services := decode[struct{ Services []Service }](t, body(t, g.do("GET", "/api/v1/services", "", g.as("reader")))).Services
	var names []string
	for _, s := range services {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"api", "shop-cart"}) {
		t.Errorf("services %v were written", names)
	}
	if r := g.do("POST", "/api/v1/markers", `{"service":"api","text":"x"}`, g.as("shop-writer")); r.StatusCode != 403 {
		t.Errorf("a marker of another service: %s", r.Status)
	}
	if r := g.do("POST", "/api/v1/markers", `{"text":"of all"}`, g.as("shop-writer")); r.StatusCode != 403 {
		t.Errorf("a marker of all services: %s", r.Status)
	}
}

// TestRevocation checks that a token, and the sessions begun with it, end to hold
// in the moment it is removed.
func TestRevocation(t *testing.T) {
	g := newGuarded(t)
	token, session := g.as("reader"), g.session("reader")
	for _, show := range []func(*http.Request){token, session} {
		if r := g.do("GET", "/api/v1/labels", "", show); r.StatusCode != 200 {
			t.Fatal(r.Status)
		}
	}
	// Removed by another process.
	other, err := auth.OpenTokens(filepath.Join(g.dir, "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Remove("reader"); err != nil {
		t.Fatal(err)
	}
	for _, show := range []func(*http.Request){token, session} {
		if r := g.do("GET", "/api/v1/labels", "", show); r.StatusCode != 401 {
			t.Errorf("after the removal: %s", r.Status)
		}
	}
}

// TestSessionForgery checks that requests that a browser could be tricked into
// sending change nothing.
func TestSessionForgery(t *testing.T) {
	g := newGuarded(t)
	session := g.session("admin")
	marker := `{"text":"x"}`
	for _, test := range []struct {
		name    string
		headers []func(*http.Request)
		status  int
	}{
		{"own page", []func(*http.Request){header("Origin", "http://"+host)}, 201},
		{"own page, as new browsers tell", []func(*http.Request){header("Sec-Fetch-Site", "same-origin")}, 201},
		{"another site's page", []func(*http.Request){header("Origin", "https://evil.example")}, 403},
		{"another site's page, as new browsers tell", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"), header("Origin", "null")}, 403},
		{"a page without an origin", []func(*http.Request){header("Origin", "null")}, 403},
		{"nobody knows", nil, 403},
	} {
		if r := g.do("POST", "/api/v1/markers", marker, append(test.headers, session)...); r.StatusCode != test.status {
			t.Errorf("%s: %s, want %d", test.name, r.Status, test.status)
		}
	}
	// Logging someone in to another's account is a forgery too.
	form := url.Values{"token": {g.tokens["reader"]}}.Encode()
	if r := g.do("POST", "/login", form, header("Content-Type", "application/x-www-form-urlencoded"), header("Origin", "https://evil.example")); r.StatusCode != 403 {
		t.Errorf("a login from elsewhere: %s", r.Status)
	}
}

func TestLogout(t *testing.T) {
	g := newGuarded(t)
	session := g.session("reader")
	if r := g.do("POST", "/logout", "", session, header("Origin", "http://"+host)); r.StatusCode != 204 || len(r.Cookies()) != 1 || r.Cookies()[0].MaxAge >= 0 {
		t.Errorf("logging out: %s %v", r.Status, r.Cookies())
	}
	if r := g.do("GET", "/api/v1/labels", "", session); r.StatusCode != 401 {
		t.Errorf("with the cookie of before: %s", r.Status)
	}
}

func TestUser(t *testing.T) {
	g := newGuarded(t)
	for _, test := range []struct {
		show func(*http.Request)
		want string
	}{
		{g.as(""), `{"name":"","roles":[],"by":"none","login":"/login"}`},
		{g.as("admin"), `{"name":"admin","roles":["admin"],"by":"token","login":"/login"}`},
		{g.session("api-reader"), `{"name":"api-reader","roles":["read"],"services":["api"],"by":"session","login":"/login"}`},
	} {
		if got := strings.TrimSpace(body(t, g.do("GET", "/api/v1/user", "", test.show))); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	open := newLive(t, nil)
	if got := strings.TrimSpace(open.get("/api/v1/user")); got != `{"name":"","roles":["read","write","admin"],"by":"none"}` {
		t.Errorf("without login: %s", got)
	}
}

// TestAudit checks that what people did, and what they tried, is on record.
func TestAudit(t *testing.T) {
	g := newGuarded(t)
	session := g.session("admin")
	posted := decode[Marker](t, body(t, g.do("POST", "/api/v1/markers", `{"text":"x"}`, session, header("Origin", "http://"+host))))
	g.do("DELETE", "/api/v1/markers/"+posted.ID, "", g.as("admin"))
	g.do("DELETE", "/api/v1/markers/x", "", g.as("reader"))
	g.do("GET", "/api/v1/labels", "", header("Authorization", "Bearer guess"))
	g.do("POST", "/login", "token=guess", header("Content-Type", "application/x-www-form-urlencoded"))
	g.do("POST", "/logout", "", session, header("Origin", "http://"+host))
	data, err := os.ReadFile(filepath.Join(g.dir, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(data)) {
		e := decode[auth.Event](t, line)
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
	if strings.Contains(string(data), "guess") || strings.Contains(string(data), g.tokens["admin"]) {
		t.Error("the audit log has a secret in it")
	}
}

// TestLoginPage checks that nothing that is put into a link to the login page
// leads elsewhere or runs.
func TestLoginPage(t *testing.T) {
	g := newGuarded(t)
	for _, to := range []string{"https://evil.example/", "//evil.example/", `/\evil.example`, "javascript:alert(1)", "/\n//evil.example", "evil"} {
		text := body(t, g.do("GET", "/login?to="+url.QueryEscape(to), ""))
		if !strings.Contains(text, `name="to" value="/"`) {
			t.Errorf("%q: %s", to, text)
		}
		form := url.Values{"token": {g.tokens["reader"]}, "to": {to}}.Encode()
		if r := g.do("POST", "/login", form, header("Content-Type", "application/x-www-form-urlencoded")); r.Header.Get("Location") != "/" {
			t.Errorf("%q leads to %q", to, r.Header.Get("Location"))
		}
	}
	r := g.do("GET", `/login?to=/"><script>alert(1)</script>`, "")
	if text := body(t, r); strings.Contains(text, "<script") || !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%s\n%v", text, r.Header)
	}
}

// TestHosts checks under which names servers of continuous profiling answer.
func TestHosts(t *testing.T) {
	open, guarded := newLive(t, nil), newGuarded(t)
	foreign := header("Host", "evil.example")
	for _, test := range []struct {
		name           string
		s              *live
		method, target string
		headers        []func(*http.Request)
		status         int
	}{
		// A page that had its name lead here: without login that is all it needs.
		{"a read by a strange name", open, "GET", "/api/v1/labels", []func(*http.Request){foreign}, 403},
		{"figures by a strange name", open, "GET", "/metrics", []func(*http.Request){foreign}, 403},
		{"a page's push by a strange name", open, "POST", "/api/v1/profiles?service=x", []func(*http.Request){foreign, header("Origin", "http://evil.example")}, 403},
		{"an agent's push by any name", open, "POST", "/api/v1/profiles?service=x", []func(*http.Request){foreign}, 204},
		{"a page's push", open, "POST", "/api/v1/profiles?service=x", []func(*http.Request){header("Origin", "http://evil.example")}, 403},
		{"health by any name", open, "GET", "/healthz", []func(*http.Request){foreign}, 200},
		{"a read with a token by any name", guarded.live, "GET", "/api/v1/labels", []func(*http.Request){foreign, guarded.as("reader")}, 200},
		{"a read without one by a strange name", guarded.live, "GET", "/api/v1/labels", []func(*http.Request){foreign}, 401},
	} {
		body := ""
		if test.method == "POST" {
			body = profileBody(t)
		}
		if r := test.s.do(test.method, test.target, body, test.headers...); r.StatusCode != test.status {
			t.Errorf("%s: %s, want %d", test.name, r.Status, test.status)
		}
	}
}
