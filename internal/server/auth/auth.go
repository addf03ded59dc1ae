// Package auth authenticates requests and authorizes them: tokens of programs,
// sessions of people, roles, and the services to which someone is restricted.
//
//	principal   who sends a request, their roles and services           auth.go
//	scope       a store as a principal sees it                          scope.go
//	tokens      the file of hashed tokens, read again when it changes   tokens.go
//	sessions    signed cookies, and the list of valid ones              sessions.go
//	oidc        login with an identity provider                         oidc.go
//	login       pages and requests for login and logout                 login.go
//	failures    failed logins, by address and account                   failures.go
//	file        files that several processes read and change            file.go
//	audit       who did what                                            audit.go
package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hone-go/hone/internal/store"
)

// Roles are a set of roles.
type Roles uint8

// The roles. Admin includes the others.
const (
	Read  Roles = 1 << iota // look at profiles
	Write                   // push profiles, post markers
	Admin                   // read and write, and change what others made
)

var roleNames = []struct {
	role Roles
	name string
}{{Read, "read"}, {Write, "write"}, {Admin, "admin"}}

// ParseRoles parses the names of roles.
func ParseRoles(names []string) (Roles, error) {
	var roles Roles
	for _, name := range names {
		i := slices.IndexFunc(roleNames, func(r struct {
			role Roles
			name string
		}) bool {
			return r.name == name
		})
		if i < 0 {
			return 0, fmt.Errorf("unknown role %q: use read, write or admin", name)
		}
		roles |= roleNames[i].role
	}
	if roles == 0 {
		return 0, errors.New("role is missing: use read, write or admin")
	}
	return roles, nil
}

// Has reports whether the roles include all needed ones.
func (r Roles) Has(needed Roles) bool {
	return r&Admin != 0 || r&needed == needed
}

// Names returns the names of the roles.
func (r Roles) Names() []string {
	names := []string{}
	for _, n := range roleNames {
		if r&n.role != 0 {
			names = append(names, n.name)
		}
	}
	return names
}

// String returns the names of the roles, separated by commas.
func (r Roles) String() string { return strings.Join(r.Names(), ",") }

// By is the way in which someone was authenticated.
type By string

// The ways of authentication.
const (
	ByNothing By = "none" // the server needs no login
	ByToken   By = "token"
	BySession By = "session"
)

// A Principal is a program or person that sends requests.
type Principal struct {
	Name  string // name of the token or the user
	By    By
	Roles Roles
	// Services are patterns of the services that the principal may use. * matches
	// any text; nil allows all services.
	Services []string

	session *session // with BySession
	account string   // see accountOf; "" for Anyone
}

// Anyone is the principal of all requests to a server without login.
var Anyone = &Principal{By: ByNothing, Roles: Read | Write | Admin}

// Allows reports whether a principal may see and send profiles of a service.
func (p *Principal) Allows(service string) bool {
	return p.Services == nil || slices.ContainsFunc(p.Services, func(pattern string) bool { return globMatches(pattern, service) })
}

// globMatches takes linear time per star: if a part matches at several positions,
// the first one is as good as the others.
func globMatches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}

// Scope returns a name for the services that a principal sees. "" means all services.
func (p *Principal) Scope() string {
	if p.Services == nil {
		return ""
	}
	services := slices.Clone(p.Services)
	slices.Sort(services)
	return "services " + strings.Join(slices.Compact(services), " ")
}

// matcher returns a condition that selects profiles of the principal's services.
func (p *Principal) matcher() (store.Matcher, error) {
	if len(p.Services) == 1 && !strings.Contains(p.Services[0], "*") {
		return store.NewMatcher(store.LabelService, store.Equal, p.Services[0])
	}
	patterns := make([]string, len(p.Services))
	for i, s := range p.Services {
		patterns[i] = strings.ReplaceAll(regexp.QuoteMeta(s), `\*`, ".*")
	}
	return store.NewMatchFunc(store.LabelService, strings.Join(patterns, "|"), p.Allows)
}

// CheckServices returns an error for an invalid pattern of services.
func CheckServices(patterns []string) error {
	for _, p := range patterns {
		if strings.TrimSpace(p) != p || p == "" || strings.ContainsAny(p, " ,") || strings.ContainsFunc(p, unicode.IsControl) {
			return fmt.Errorf("invalid service %q: use a name, or a pattern of names such as api-*", p)
		}
	}
	return nil
}

// principalKey is the key of the principal in a context.
type principalKey struct{}

// With returns a context for a principal's request.
func With(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns the principal of a request, or nil.
func From(ctx context.Context) *Principal {
	p, _ := ctx.Value(principalKey{}).(*Principal)
	return p
}

// addressKey is the key of the client's address in a context.
type addressKey struct{}

// WithAddress returns a context with the client's address, for requests where it
// differs from that of the connection.
func WithAddress(ctx context.Context, from netip.Addr) context.Context {
	return context.WithValue(ctx, addressKey{}, from)
}

// addressOf returns the client's address of a request.
func addressOf(r *http.Request) string {
	if from, ok := r.Context().Value(addressKey{}).(netip.Addr); ok && from.IsValid() {
		return from.String()
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}

// Errors of authentication.
var (
	// ErrNobody is the error of requests without a token or session.
	ErrNobody = errors.New("log in, or send a token: Authorization: Bearer TOKEN")
	// ErrUnknown is the error of requests with an invalid token.
	ErrUnknown = errors.New("unknown token: it is mistyped, expired or was removed")
	// ErrGone is the error of all tokens while the directory that they are kept in is
	// missing.
	ErrGone = errors.New("no token is accepted: the server's directory of tokens is missing; restore it")
	// ErrSession is the error of requests with an invalid session cookie.
	ErrSession = errors.New("the session has ended: log in again")
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
	p := &Principal{Name: s.Name, By: BySession, session: s, account: accountOf(s.Token, s.Issuer, s.Subject)}
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

func now() int64 { return time.Now().Unix() }
