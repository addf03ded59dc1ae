package servertest

import (
	"bytes"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/server/auth"
)

// A Guarded is a server that asks for tokens, with one of each kind.
type Guarded struct {
	*Live
	Auth   *auth.Auth
	Tokens map[string]string // secrets by name
	Dir    string
}

// NewGuarded returns a server of an empty store that asks for tokens.
func NewGuarded(t testing.TB, change ...func(*Config)) *Guarded {
	t.Helper()
	g := &Guarded{Tokens: map[string]string{}, Dir: t.TempDir()}
	tokens, err := auth.OpenTokens(filepath.Join(g.Dir, "tokens.json"))
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
		g.Tokens[token.name] = secret
	}
	sessions, err := auth.NewSessions(filepath.Join(g.Dir, "sessions.json"), filepath.Join(g.Dir, "session.key"), false, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	audit, err := auth.OpenAudit(filepath.Join(g.Dir, "audit.log"), 0, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { audit.Close() })
	g.Auth = &auth.Auth{Tokens: tokens, Sessions: sessions, Audit: audit}
	g.Live = NewLive(t, func(c *Config) {
		c.Continuous.Auth = g.Auth
		for _, f := range change {
			f(c)
		}
	})
	return g
}

// As shows a token.
func (g *Guarded) As(name string) func(*http.Request) {
	if name == "" {
		return func(*http.Request) {}
	}
	return Header("Authorization", "Bearer "+g.Tokens[name])
}

// Session logs in with a token and returns what shows the cookie.
func (g *Guarded) Session(name string) func(*http.Request) {
	g.T.Helper()
	form := url.Values{"token": {g.Tokens[name]}, "to": {"/top?x=1"}}.Encode()
	r := g.Do("POST", "/login", form, Header("Content-Type", "application/x-www-form-urlencoded"), Header("Origin", "http://"+Host))
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/top?x=1" {
		g.T.Fatalf("logging in: %s to %q: %s", r.Status, r.Header.Get("Location"), Body(g.T, r))
	}
	cookies := r.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode {
		g.T.Fatalf("cookies %v", cookies)
	}
	return func(r *http.Request) { r.AddCookie(cookies[0]) }
}

// ProfileBody is a profile as agents send it.
func ProfileBody(t testing.TB) string {
	var b bytes.Buffer
	if err := Testdata(t, CPU2).Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
