package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/server/auth/oidctest"
)

// A company has a hone serve that people log in to with an identity provider,
// and, as doc/security.md has it, a proxy before it that has TLS.
type company struct {
	*serving
	provider *oidctest.Provider
	front    *httptest.Server
	config   string // file
}

// startCompany starts hone serve with rules for users, and profiles of shop-cart
// and of api.
func startCompany(t *testing.T, rules string) *company {
	t.Helper()
	c := &company{provider: oidctest.New(t)}
	var behind atomic.Pointer[url.URL]
	c.front = httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind.Load())
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(c.front.Close)
	data := t.TempDir()
	secret := filepath.Join(t.TempDir(), "oidc-secret")
	if err := os.WriteFile(secret, []byte(oidctest.ClientSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.config = writeConfig(t, fmt.Sprintf("public_url = %q\n[auth.oidc]\nname = \"Example\"\nissuer = %q\nclient_id = %q\nclient_secret_file = %q\n%s",
		c.front.URL+"/", c.provider.URL, oidctest.ClientID, secret, rules))
	token := strings.TrimSpace(succeed(t, "token", "add", "-data", data, "-role", "write", "agents"))
	c.serving = startServe(t, data, "-config", c.config)
	if c.url != c.front.URL {
		t.Errorf("it says that it is at %s, not at public_url", c.url)
	}
	// Where it listens is in the log alone.
	for start := time.Now(); behind.Load() == nil; time.Sleep(time.Millisecond) {
		if m := regexp.MustCompile(`msg=started address=(\S+)`).FindStringSubmatch(c.stderr.String()); m != nil {
			behind.Store(&url.URL{Scheme: "http", Host: m[1]})
		} else if time.Since(start) > time.Minute {
			t.Fatal("no line with the address")
		}
	}
	for _, service := range []string{"shop-cart", "api"} {
		o := honeWith(t, map[string]string{"HONE_SERVER": behind.Load().String(), "HONE_TOKEN": token}, "",
			"push", "-service", service, "-time", "now", testdata("cpu.gc.pb.gz"))
		if o.code != 0 {
			t.Fatal(o.stderr)
		}
	}
	return c
}

// A browser is someone's, with its own cookies.
type browser struct {
	*http.Client
	t    *testing.T
	home string // the server's address
}

func (c *company) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return &browser{&http.Client{Transport: c.front.Client().Transport, Jar: jar}, c.t, c.front.URL}
}

// page is what a browser shows in the end.
type page struct {
	status  int
	address *url.URL
	text    string
	header  http.Header
}

// open opens an address, or a path of the server, as a browser does that is told
// to, and follows where it leads.
func (b *browser) open(where string) page {
	b.t.Helper()
	return b.do("GET", where, "", "Accept", "text/html,*/*;q=0.8", "Sec-Fetch-Mode", "navigate")
}

// fetch sends a request as one of hone's own pages does.
func (b *browser) fetch(method, path, body string) page {
	b.t.Helper()
	return b.do(method, path, body, "Origin", b.home, "Sec-Fetch-Site", "same-origin")
}

func (b *browser) do(method, where, body string, header ...string) page {
	b.t.Helper()
	if strings.HasPrefix(where, "/") {
		where = b.home + where
	}
	req, err := http.NewRequest(method, where, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	r, err := b.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return page{r.StatusCode, r.Request.URL, string(text), r.Header}
}

var providerLink = regexp.MustCompile(`<a class="action" href="([^"]+)">Continue with Example</a>`)

// login opens a path without a session, and logs in by the link of the page that
// this leads to.
func (b *browser) login(path string) page {
	b.t.Helper()
	asked := b.open(path)
	m := providerLink.FindStringSubmatch(asked.text)
	if asked.status != 200 || asked.address.Path != "/login" || m == nil {
		b.t.Fatalf("%s without a session: %d %s\n%s", path, asked.status, asked.address, asked.text)
	}
	return b.open(strings.ReplaceAll(m[1], "&amp;", "&"))
}

// loginWith is login with a change of what the provider sends the browser back
// with.
func (b *browser) loginWith(path string, change func(url.Values)) page {
	b.t.Helper()
	b.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/login/callback" {
			q := r.URL.Query()
			change(q)
			r.URL.RawQuery = q.Encode()
		}
		return nil
	}
	defer func() { b.CheckRedirect = nil }()
	return b.login(path)
}

// services returns those that a session sees.
func (b *browser) services() []string {
	b.t.Helper()
	p := b.fetch("GET", "/api/v1/labels?name=service", "")
	var list struct {
		Labels []struct{ Values []string }
	}
	if err := json.Unmarshal([]byte(p.text), &list); p.status != 200 || err != nil {
		b.t.Errorf("labels: %d %s", p.status, p.text)
		return nil
	}
	var values []string
	for _, l := range list.Labels {
		values = append(values, l.Values...)
	}
	slices.Sort(values)
	return values
}

const companyRules = `
[[auth.oidc.rule]]
group = "performance"
roles = ["admin"]

[[auth.oidc.rule]]
subject = "robot-7"
roles = ["write"]

[[auth.oidc.rule]]
email = "*@example.com"
roles = ["read"]
services = ["shop-*"]
`

// TestServeOIDC has people log in to hone serve with an identity provider, and
// checks that they may what the first rule that fits them says.
func TestServeOIDC(t *testing.T) {
	c := startCompany(t, companyRules)
	const marker = `{"service":"shop-cart","text":"deployed"}`
	for _, test := range []struct {
		who      string
		claims   map[string]any
		user     string   // as /api/v1/user tells
		services []string // seen; nil for whoever may not read
		page     int      // status of the page that was asked for
		post     int      // of a marker
		backup   int
	}{
		{"of a group", map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true, "groups": []string{"dev", "performance"}},
			`{"name":"ann@example.com","roles":["admin"],"by":"session","login":"/login"}`, []string{"api", "shop-cart"}, 200, 201, 201},
		{"with a verified address", map[string]any{"sub": "2", "email": "Ben@Example.com", "email_verified": true, "groups": []string{"dev"}},
			`{"name":"Ben@Example.com","roles":["read"],"services":["shop-*"],"by":"session","login":"/login"}`, []string{"shop-cart"}, 200, 403, 403},
		{"by subject", map[string]any{"sub": "robot-7", "name": "Robot"},
			`{"name":"Robot","roles":["write"],"by":"session","login":"/login"}`, nil, 403, 201, 403},
	} {
		t.Run(test.who, func(t *testing.T) {
			c.provider.User(test.claims)
			b := c.browser()
			b.t = t
			if p := b.login("/?service=shop-cart&from=-1h"); p.status != test.page || p.address.RequestURI() != "/?service=shop-cart&from=-1h" {
				t.Errorf("the login leads to %d %s", p.status, p.address)
			}
			if p := b.fetch("GET", "/api/v1/user", ""); strings.TrimSpace(p.text) != test.user {
				t.Errorf("logged in as %s, want %s", p.text, test.user)
			}
			if test.services != nil {
				if got := b.services(); !slices.Equal(got, test.services) {
					t.Errorf("sees %q, want %q", got, test.services)
				}
			} else if p := b.fetch("GET", "/api/v1/labels", ""); p.status != 403 {
				t.Errorf("reads: %d %s", p.status, p.text)
			}
			if p := b.fetch("POST", "/api/v1/markers", marker); p.status != test.post {
				t.Errorf("a marker: %d %s, want %d", p.status, p.text, test.post)
			}
			if p := b.fetch("POST", "/api/v1/backup?name="+strings.ReplaceAll(test.who, " ", "-"), ""); p.status != test.backup {
				t.Errorf("a backup: %d %s, want %d", p.status, p.text, test.backup)
			}
			// Another site's page has the browser's cookies, and no more.
			if p := b.do("POST", "/api/v1/markers", marker, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"); p.status != 403 {
				t.Errorf("a marker by another site's page: %d %s", p.status, p.text)
			}
		})
	}
}

// TestServeOIDCRefuses checks that a login with anything wrong about it ends at a
// page that says what, and without a session.
func TestServeOIDCRefuses(t *testing.T) {
	c := startCompany(t, companyRules)
	ann := map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true}
	token := func(name string, value any) func(*browser) page {
		return func(b *browser) page {
			c.provider.Change(func(token map[string]any) { token[name] = value })
			return b.login("/")
		}
	}
	for _, test := range []struct {
		name   string
		user   map[string]any
		login  func(*browser) page
		status int
		want   string
	}{
		{"no rule fits", map[string]any{"sub": "9", "email": "eve@elsewhere.example", "email_verified": true, "groups": []string{"dev"}},
			func(b *browser) page { return b.login("/") }, 403, "eve@elsewhere.example has no access here: no rule in the configuration matches"},
		{"no claim at all", map[string]any{"sub": "9"}, func(b *browser) page { return b.login("/") }, 403, "9 has no access here"},
		{"an address that nobody verified", map[string]any{"sub": "9", "email": "eve@example.com"},
			func(b *browser) page { return b.login("/") }, 403, "9 has no access here"},
		{"a nonce of another login", ann, token("nonce", "x"), 403, "id_token belongs to another login"},
		{"an expired token", ann, token("exp", time.Now().Add(-time.Hour).Unix()), 403, "token is expired"},
		{"a token for another client", ann, token("aud", "other"), 403, "id_token is not valid"},
		{"a token of another issuer", ann, token("iss", "https://evil.example"), 403, "id_token is not valid"},
		{"another state", ann, func(b *browser) page {
			return b.loginWith("/", func(q url.Values) { q.Set("state", "x") })
		}, 400, "this answer belongs to another login: log in again"},
		{"a login that was begun elsewhere", ann, func(b *browser) page { return b.open("/login/callback?code=x&state=x") }, 400, "started in another browser"},
		{"the provider refuses", ann, func(b *browser) page {
			return b.loginWith("/", func(q url.Values) {
				q.Del("code")
				q.Set("error", "access_denied")
				q.Set("error_description", "<b>not today</b>")
			})
		}, 403, "the identity provider refused the login: access_denied &lt;b&gt;not today"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.provider.User(test.user)
			c.provider.Change(nil)
			b := c.browser()
			b.t = t
			p := test.login(b)
			if p.status != test.status || !strings.Contains(p.text, test.want) || !strings.Contains(p.text, `role="alert"`) {
				t.Errorf("%d, want %d and a page with %q:\n%s", p.status, test.status, test.want, p.text)
			}
			if providerLink.FindString(p.text) == "" {
				t.Error("the page has no way to begin again")
			}
			if p := b.open("/"); p.address.Path != "/login" {
				t.Errorf("who was refused is let in: %s", p.address)
			}
			if p := b.fetch("GET", "/api/v1/labels", ""); p.status != 401 {
				t.Errorf("who was refused reads: %d %s", p.status, p.text)
			}
			// The same browser gets in as soon as nothing is wrong.
			c.provider.User(ann)
			c.provider.Change(nil)
			if p := b.login("/"); p.status != 200 || p.address.Path != "/" {
				t.Errorf("the login after it: %d %s", p.status, p.text)
			}
		})
	}
	audit, err := os.ReadFile(filepath.Join(c.data, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"action":"login","result":"denied","who":"eve@elsewhere.example"`, "belongs to another login", `"action":"login","result":"ok","who":"ann@example.com"`} {
		if !strings.Contains(string(audit), want) {
			t.Errorf("the audit log lacks %s:\n%s", want, audit)
		}
	}
}

// TestServeOIDCLogout checks that a session ends when its user says so, and no
// other with it.
func TestServeOIDCLogout(t *testing.T) {
	c := startCompany(t, companyRules)
	c.provider.User(map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true})
	office, home := c.browser(), c.browser()
	for _, b := range []*browser{office, home} {
		if p := b.login("/"); p.status != 200 {
			t.Fatalf("%d %s", p.status, p.text)
		}
	}
	server, err := url.Parse(c.front.URL)
	if err != nil {
		t.Fatal(err)
	}
	kept := office.Jar.Cookies(server)
	if len(kept) != 1 || !strings.HasPrefix(kept[0].Name, "__Host-") {
		t.Errorf("over TLS the browser has the cookies %v", kept)
	}
	if p := office.do("POST", "/logout", "", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"); p.status != 403 {
		t.Errorf("another site's page logs out: %d", p.status)
	}
	if p := office.fetch("POST", "/logout", ""); p.status != 204 {
		t.Fatalf("logging out: %d %s", p.status, p.text)
	}
	if left := office.Jar.Cookies(server); len(left) != 0 {
		t.Errorf("after logging out the browser has the cookies %v", left)
	}
	// Whoever has copied the cookie has nothing.
	office.Jar.SetCookies(server, kept)
	if p := office.fetch("GET", "/api/v1/labels", ""); p.status != 401 || !strings.Contains(p.text, "log in again") {
		t.Errorf("with the cookie of the session that was ended: %d %s", p.status, p.text)
	}
	if p := office.login("/"); p.status != 200 || p.address.Path != "/" {
		t.Errorf("logging in again: %d %s", p.status, p.text)
	}
	if got := home.services(); !slices.Equal(got, []string{"shop-cart"}) {
		t.Errorf("the other browser's session sees %q", got)
	}
}
