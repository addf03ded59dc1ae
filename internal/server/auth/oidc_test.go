package auth

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/server/auth/oidctest"
)

// A portal is a server to log in to, and a browser.
type portal struct {
	*httptest.Server
	auth    *Auth
	browser *http.Client
}

func newPortal(t *testing.T, i *oidctest.Provider, rules ...Rule) *portal {
	t.Helper()
	mux := http.NewServeMux()
	p := &portal{Server: httptest.NewServer(mux)}
	t.Cleanup(p.Close)
	dir := t.TempDir()
	tokens, err := OpenTokens(filepath.Join(dir, "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := NewSessions(filepath.Join(dir, "sessions.json"), filepath.Join(dir, "key"), false, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewOIDC(OIDCConfig{Name: "Example & Co", Issuer: i.URL, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, RedirectURL: p.URL + CallbackPath, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	p.auth = &Auth{Tokens: tokens, Sessions: sessions, OIDC: o}
	p.auth.Mount(func(pattern string, h http.HandlerFunc) { mux.HandleFunc(pattern, h) })
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		principal, err := p.auth.Identify(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		io.WriteString(w, r.URL.Path+" for "+principal.Name+" "+principal.Roles.String()+" "+strings.Join(principal.Services, ","))
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p.browser = &http.Client{Jar: jar}
	return p
}

// get opens an address in the browser and returns what is there in the end.
func (p *portal) get(t *testing.T, address string) (int, string) {
	t.Helper()
	r, err := p.browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(data)
}

var anyoneVerified = Rule{Email: "*@example.com", Roles: Read}

// TestOIDCLogin logs people in, through the whole flow with cookies and
// redirections, and checks what they may.
func TestOIDCLogin(t *testing.T) {
	i := oidctest.New(t)
	rules := []Rule{
		{Group: "perf", Roles: Admin},
		{Subject: "42", Roles: Read | Write, Services: []string{"shop-*"}},
		anyoneVerified,
	}
	for _, test := range []struct {
		name   string
		claims map[string]any
		status int
		want   string
	}{
		{"by e-mail", map[string]any{"sub": "1", "email": "Ann@Example.com", "email_verified": true}, 200, "/top for Ann@Example.com read "},
		{"by group", map[string]any{"sub": "2", "name": "Ben", "groups": []string{"dev", "perf"}}, 200, "/top for Ben admin "},
		{"by the only group", map[string]any{"sub": "2", "preferred_username": "ben", "groups": "perf"}, 200, "/top for ben admin "},
		{"by subject", map[string]any{"sub": "42"}, 200, "/top for 42 read,write shop-*"},
		{"by an e-mail that nobody verified", map[string]any{"sub": "3", "email": "eve@example.com"}, 403, "no rule"},
		{"of another domain", map[string]any{"sub": "4", "email": "eve@example.com.evil", "email_verified": true}, 403, "no rule"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i.User(test.claims)
			p := newPortal(t, i, rules...)
			status, text := p.get(t, p.URL+providerPath+"?to=/top")
			if status != test.status || !strings.Contains(text, test.want) {
				t.Errorf("%d %s, want %d %s", status, text, test.status, test.want)
			}
			if status == 200 {
				return
			}
			if status, _ := p.get(t, p.URL+"/"); status != 401 {
				t.Errorf("who was refused is let in with %d", status)
			}
		})
	}
}

// TestOIDCRefusals checks that a login fails if anything about it is not as it
// has to be.
func TestOIDCRefusals(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(i *oidctest.Provider)
		want   string
	}{
		{"another's signature", (*oidctest.Provider).SignAsStranger, "not valid"},
		{"for another client", func(i *oidctest.Provider) { i.Change(func(m map[string]any) { m["aud"] = "other" }) }, "not valid"},
		{"of another issuer", func(i *oidctest.Provider) { i.Change(func(m map[string]any) { m["iss"] = "https://evil.example" }) }, "not valid"},
		{"expired", func(i *oidctest.Provider) {
			i.Change(func(m map[string]any) { m["exp"] = time.Now().Add(-time.Hour).Unix() })
		}, "not valid"},
		{"of another login", func(i *oidctest.Provider) { i.Change(func(m map[string]any) { m["nonce"] = "x" }) }, "another login"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := oidctest.New(t)
			i.User(map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true})
			test.change(i)
			p := newPortal(t, i, anyoneVerified)
			status, text := p.get(t, p.URL+providerPath)
			if status != 403 || !strings.Contains(text, test.want) {
				t.Errorf("%d %s", status, text)
			}
			if status, _ := p.get(t, p.URL+"/"); status != 401 {
				t.Errorf("who was refused is let in with %d", status)
			}
		})
	}
}

// TestOIDCCallback checks that the end of a login belongs to the browser that
// began it, once.
func TestOIDCCallback(t *testing.T) {
	i := oidctest.New(t)
	i.User(map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true})
	p := newPortal(t, i, anyoneVerified)
	// The attacker's own login, up to the point where their browser would come back.
	var back string
	attacker := newPortal(t, i, anyoneVerified)
	attacker.auth.OIDC.cfg.RedirectURL = p.URL + CallbackPath
	attacker.browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), p.URL) {
			back = r.URL.String()
			return http.ErrUseLastResponse
		}
		return nil
	}
	attacker.get(t, attacker.URL+providerPath)
	if back == "" {
		t.Fatal("the attacker's login led nowhere")
	}
	if status, text := p.get(t, back); status != 400 || !strings.Contains(text, "started in another browser") {
		t.Errorf("the link of another's login: %d %s", status, text)
	}
	// With a login of their own under way, it is still another's.
	p.browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), i.URL) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	p.get(t, p.URL+providerPath)
	p.browser.CheckRedirect = nil
	if status, text := p.get(t, back); status != 400 || !strings.Contains(text, "another login") {
		t.Errorf("the link of another's login in between: %d %s", status, text)
	}
	if status, text := p.get(t, p.URL+CallbackPath+"?error=access_denied&error_description=%3Cb%3Eno"); status != 400 || strings.Contains(text, "<b>") {
		t.Errorf("a refusal: %d %s", status, text)
	}
}

// TestOIDCRulesHoldAtOnce checks that new rules hold for who is logged in.
func TestOIDCRulesHoldAtOnce(t *testing.T) {
	i := oidctest.New(t)
	i.User(map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true})
	p := newPortal(t, i, anyoneVerified)
	if status, text := p.get(t, p.URL+providerPath); status != 200 {
		t.Fatal(text)
	}
	p.auth.OIDC.SetRules([]Rule{{Email: "ann@example.com", Roles: Write}})
	if _, text := p.get(t, p.URL+"/"); !strings.Contains(text, "ann@example.com write") {
		t.Errorf("with new rules: %s", text)
	}
	p.auth.OIDC.SetRules(nil)
	if _, text := p.get(t, p.URL+"/"); strings.Contains(text, "read") || strings.Contains(text, "write") {
		t.Errorf("without rules: %s", text)
	}
	// A server that asks another provider, or none, knows nobody of this one.
	p.auth.OIDC = nil
	if status, _ := p.get(t, p.URL+"/"); status != 401 {
		t.Errorf("without the provider: %d", status)
	}
}

// TestOIDCProviderIsDown checks that a server starts and says what is wrong.
func TestOIDCProviderIsDown(t *testing.T) {
	i := oidctest.New(t)
	p := newPortal(t, i, anyoneVerified)
	i.Close()
	if status, text := p.get(t, p.URL+providerPath); status != 502 || !strings.Contains(text, "can&#39;t reach the identity provider") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := p.get(t, p.URL+LoginPath); status != 200 || !strings.Contains(text, "Example &amp; Co") {
		t.Errorf("%d %s", status, text)
	}
}

func TestOIDCConfig(t *testing.T) {
	good := OIDCConfig{Issuer: "https://id.example", ClientID: "hone", RedirectURL: "https://hone.example/login/callback", Rules: []Rule{anyoneVerified}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*OIDCConfig){
		"issuer":       func(c *OIDCConfig) { c.Issuer = "" },
		"client_id":    func(c *OIDCConfig) { c.ClientID = "" },
		"public URL":   func(c *OIDCConfig) { c.RedirectURL = "" },
		"no rule":      func(c *OIDCConfig) { c.Rules = nil },
		"rule 1 needs": func(c *OIDCConfig) { c.Rules = []Rule{{Roles: Read}} },
		"no roles":     func(c *OIDCConfig) { c.Rules = []Rule{{Email: "*"}} },
		"rule 1: ":     func(c *OIDCConfig) { c.Rules = []Rule{{Email: "*", Roles: Read, Services: []string{"a b"}}} },
	} {
		c := good
		c.Rules = slices.Clone(good.Rules)
		change(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %s, got %v", want, err)
		}
	}
}
