// Package auth authenticates requests and authorizes them: tokens of programs,
// sessions of people, roles, and the services to which someone is restricted.
//
// From the ground up:
//
//	errors.go     errors of authentication
//	principal.go  who sends a request, their roles and services
//	scope.go      a store as a principal sees it
//	file.go       files that several processes read and change
//	tokens.go     the file of hashed tokens, read again when it changes
//	sessions.go   signed cookies, and the list of valid ones
//	oidc.go       login with an identity provider
//	failures.go   failed logins, by address and account
//	audit.go      who did what
//	auth.go       authenticates a request
//	login.go      pages and requests for login and logout
package auth

import (
	"net/http"
	"strings"
)

// Auth authenticates requests.
type Auth struct {
	Tokens   *Tokens
	OIDC     *OIDC // nil if people log in only with tokens
	Sessions *Sessions
	Audit    *Audit

	failures failures
}

// Identify returns the principal of a request. It fails with ErrNobody, ErrUnknown
// or ErrSession, or if the tokens can't be read.
func (a *Auth) Identify(r *http.Request) (*Principal, error) {
	if secret := secretOf(r); secret != "" {
		return a.OfToken(secret)
	}
	s, err := a.Sessions.read(r)
	if err != nil {
		return nil, err
	}
	return a.ofSession(s)
}

// OfToken returns the principal of a token, or ErrUnknown.
func (a *Auth) OfToken(secret string) (*Principal, error) {
	t, err := a.Tokens.Find(secret)
	if err != nil {
		return nil, err
	}
	return t.principal(), nil
}

// ofSession returns the principal of a session. It checks the token or the rules for
// users again, because they may have changed since the login.
func (a *Auth) ofSession(s *session) (*Principal, error) {
	p := &Principal{Name: s.Name, By: BySession, session: s.ID, account: accountOf(s.Token, s.Issuer, s.Subject)}
	switch {
	case s.Token != "":
		t := a.Tokens.byID(s.Token)
		if t == nil {
			return nil, ErrSession
		}
		of := t.principal()
		p.Roles, p.Services = of.Roles, of.Services
	case a.OIDC != nil && s.Issuer == a.OIDC.cfg.Issuer:
		p.Roles, p.Services = a.OIDC.grants(s.user())
	default:
		return nil, ErrSession
	}
	return p, nil
}

// secretOf returns the token in a request, or "". It may be a bearer token, the
// password of Basic authentication (with any user name), or in the header in which
// Google's clients send API keys.
func secretOf(r *http.Request) string {
	if scheme, rest, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(rest)
	}
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	return r.Header.Get("X-Goog-Api-Key")
}
