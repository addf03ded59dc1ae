// Package oidctest has an identity provider for tests of logging in.
package oidctest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The client that a provider knows.
const (
	ClientID     = "hone"
	ClientSecret = "secret"
)

// A Provider is an identity provider as small as one can be: discovery, keys, and
// the authorization code flow with PKCE, whose tokens it signs with RS256. It logs
// in whoever comes, as the user that the test says, and checks what the standard
// has it check. It listens on loopback until the test ends.
//
// What the functions change holds for logins that end later.
type Provider struct {
	*httptest.Server
	t testing.TB

	mu     sync.Mutex
	claims map[string]any
	change func(token map[string]any)
	signer *rsa.PrivateKey
	codes  map[string]url.Values // requests by the code they were given
}

// New returns a provider that runs until the test ends.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{t: t, signer: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// User says who logs in.
func (p *Provider) User(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}

// Change has tokens changed before they are signed; nil leaves them as they are.
func (p *Provider) Change(change func(token map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.change = change
}

// SignAsStranger has tokens signed with a key that is not the provider's.
func (p *Provider) SignAsStranger() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signer = key
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" {
		p.t.Errorf("the provider is asked with %v", q)
	}
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = q
	p.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	code := r.FormValue("code")
	q, ok := p.codes[code]
	delete(p.codes, code)
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if !ok || q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) || q.Get("redirect_uri") != r.FormValue("redirect_uri") ||
		id != ClientID || secret != ClientSecret {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	now := time.Now()
	token := map[string]any{"iss": p.URL, "aud": ClientID, "exp": now.Add(time.Minute).Unix(), "iat": now.Unix(), "nonce": q.Get("nonce")}
	for name, value := range p.claims {
		token[name] = value
	}
	if p.change != nil {
		p.change(token)
	}
	signed, err := sign(p.signer, token)
	if err != nil {
		p.t.Errorf("signing: %v", err)
	}
	answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": signed})
}

func sign(key *rsa.PrivateKey, token map[string]any) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(token)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(data)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}
