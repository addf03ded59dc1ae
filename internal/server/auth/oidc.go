package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/hone-go/hone/internal/glob"
)

// OIDCConfig configures login with an identity provider.
type OIDCConfig struct {
	Name         string // name of the provider, for the button
	Issuer       string // its URL
	ClientID     string
	ClientSecret string
	RedirectURL  string   // the server's own address, with /login/callback
	Scopes       []string // requested in addition to openid; email and profile if nil
	GroupsClaim  string   // the claim with a user's groups; "groups" if ""
	// Rules give roles to users. The first matching rule counts. A user without
	// a matching rule has no access.
	Rules []Rule
	// Client sends requests to the provider; nil is http.DefaultClient.
	Client *http.Client
}

// A Rule matches users who meet all of its conditions. It needs at least one.
type Rule struct {
	Email   string // verified by the provider; * matches any text: *@example.com
	Group   string
	Subject string // the provider's ID of the user

	Roles    Roles
	Services []string // see Principal
}

// user has the provider's data about a person.
type user struct {
	Subject, Email string
	Groups         []string
}

func (s *session) user() user { return user{Subject: s.Subject, Email: s.Email, Groups: s.Groups} }

// grants returns the roles and services of a user.
func grants(rules []Rule, u user) (Roles, []string) {
	for _, r := range rules {
		if r.fits(u) {
			return r.Roles, r.Services
		}
	}
	return 0, nil
}

func (r *Rule) fits(u user) bool {
	switch {
	case r.Email == "" && r.Group == "" && r.Subject == "":
		return false
	case r.Email != "" && !glob.Match(strings.ToLower(r.Email), strings.ToLower(u.Email)):
		return false
	case r.Group != "" && !slices.Contains(u.Groups, r.Group):
		return false
	case r.Subject != "" && r.Subject != u.Subject:
		return false
	}
	return true
}

// Check returns an error if the configuration is incomplete or invalid.
func (c *OIDCConfig) Check() error {
	var errs []error
	for _, field := range []struct{ name, value string }{
		{"issuer", c.Issuer}, {"client_id", c.ClientID}, {"the server's public URL", c.RedirectURL},
	} {
		if field.value == "" {
			errs = append(errs, fmt.Errorf("%s is missing", field.name))
		}
	}
	if len(c.Rules) == 0 {
		errs = append(errs, errors.New("there are no rules, so no one would have access: add a rule with roles"))
	}
	for i, r := range c.Rules {
		if r.Email == "" && r.Group == "" && r.Subject == "" {
			errs = append(errs, fmt.Errorf("rule %d needs an email, a group or a subject", i+1))
		}
		if r.Roles == 0 {
			errs = append(errs, fmt.Errorf("rule %d has no roles", i+1))
		}
		if err := CheckServices(r.Services); err != nil {
			errs = append(errs, fmt.Errorf("rule %d: %w", i+1, err))
		}
	}
	return errors.Join(errs...)
}

// OIDC logs people in with an identity provider, with the authorization code flow
// and PKCE. It reads the provider's configuration when it first needs it, so a
// server starts even if the provider is down.
type OIDC struct {
	cfg OIDCConfig

	mu       sync.Mutex
	provider *oidc.Provider
	rules    []Rule
}

// SetRules replaces the rules for users. They also apply to sessions that have
// begun.
func (o *OIDC) SetRules(rules []Rule) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rules = rules
}

func (o *OIDC) grants(u user) (Roles, []string) {
	o.mu.Lock()
	rules := o.rules
	o.mu.Unlock()
	return grants(rules, u)
}

// NewOIDC returns an OIDC with a configuration.
func NewOIDC(c OIDCConfig) (*OIDC, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.GroupsClaim == "" {
		c.GroupsClaim = "groups"
	}
	if c.Scopes == nil {
		c.Scopes = []string{"email", "profile"}
	}
	if c.Name == "" {
		c.Name = c.Issuer
	}
	return &OIDC{cfg: c, rules: c.Rules}, nil
}

// providerTimeout limits the time of each request to the provider.
const providerTimeout = 15 * time.Second

func (o *OIDC) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.cfg.Client != nil {
		ctx = oidc.ClientContext(ctx, o.cfg.Client)
	}
	return context.WithTimeout(ctx, providerTimeout)
}

func (o *OIDC) discover(ctx context.Context) (*oidc.Provider, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.provider != nil {
		return o.provider, nil
	}
	// The provider keeps the context, to fetch keys later.
	p, err := oidc.NewProvider(context.WithoutCancel(ctx), o.cfg.Issuer)
	if err != nil {
		return nil, fmt.Errorf("can't reach the identity provider %s: %w", o.cfg.Issuer, err)
	}
	o.provider = p
	return p, nil
}

func (o *OIDC) oauth2(p *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: o.cfg.ClientID, ClientSecret: o.cfg.ClientSecret, Endpoint: p.Endpoint(),
		RedirectURL: o.cfg.RedirectURL, Scopes: append([]string{oidc.ScopeOpenID}, o.cfg.Scopes...),
	}
}

// attempt is a login that has begun. It is in a signed cookie, so that only the
// browser that began the login can finish it.
type attempt struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // code verifier of PKCE
	To       string `json:"t"`
	Expires  int64  `json:"x"`
}

// begin returns the provider's page for the browser, and the attempt to check when
// the browser comes back.
func (o *OIDC) begin(ctx context.Context, to string) (string, *attempt, error) {
	ctx, cancel := o.context(ctx)
	defer cancel()
	p, err := o.discover(ctx)
	if err != nil {
		return "", nil, err
	}
	a := &attempt{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier(), To: to, Expires: time.Now().Unix() + 600}
	return o.oauth2(p).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), a, nil
}

// finish exchanges the code that the provider gave the browser for the user's data.
func (o *OIDC) finish(ctx context.Context, a *attempt, code string) (*session, error) {
	ctx, cancel := o.context(ctx)
	defer cancel()
	p, err := o.discover(ctx)
	if err != nil {
		return nil, err
	}
	token, err := o.oauth2(p).Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return nil, fmt.Errorf("the identity provider refused the login: %w", err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, errors.New("the identity provider sent no id_token")
	}
	id, err := p.Verifier(&oidc.Config{ClientID: o.cfg.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("the identity provider's id_token is not valid: %w", err)
	}
	if id.Nonce != a.Nonce {
		return nil, errors.New("the identity provider's id_token belongs to another login")
	}
	var claims struct {
		Name          string `json:"name"`
		Username      string `json:"preferred_username"`
		Email         string `json:"email"`
		EmailVerified bool   `json:"email_verified"`
	}
	if err := id.Claims(&claims); err != nil {
		return nil, fmt.Errorf("the identity provider's id_token can't be read: %w", err)
	}
	var all map[string]any
	if err := id.Claims(&all); err != nil {
		return nil, err
	}
	s := &session{Issuer: o.cfg.Issuer, Subject: id.Subject, Groups: o.groups(all[o.cfg.GroupsClaim])}
	if claims.EmailVerified {
		s.Email = claims.Email
	}
	for _, name := range []string{s.Email, claims.Username, claims.Name, id.Subject} {
		if s.Name == "" {
			s.Name = name
		}
	}
	return s, nil
}

// groups returns the groups of a claim that rules mention. A cookie has little room,
// and the others aren't needed.
func (o *OIDC) groups(claim any) []string {
	var has []string
	switch v := claim.(type) {
	case string:
		has = []string{v}
	case []any:
		for _, g := range v {
			if name, ok := g.(string); ok {
				has = append(has, name)
			}
		}
	}
	o.mu.Lock()
	rules := o.rules
	o.mu.Unlock()
	var known []string
	for _, r := range rules {
		if r.Group != "" && slices.Contains(has, r.Group) && !slices.Contains(known, r.Group) {
			known = append(known, r.Group)
		}
	}
	return known
}
