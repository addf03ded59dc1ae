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
	"unicode"

	"github.com/hone-go/hone/internal/glob"
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

	session string // ID of the session, with BySession
	account string // see accountOf; "" for Anyone
}

// Anyone is the principal of all requests to a server without login.
var Anyone = &Principal{By: ByNothing, Roles: Read | Write | Admin}

// accountOf returns a name for a token, or for a user of an identity provider.
func accountOf(token, issuer, subject string) string {
	if token != "" {
		return "token " + token
	}
	return "user " + issuer + " " + subject
}

// Allows reports whether a principal may see and send profiles of a service.
func (p *Principal) Allows(service string) bool {
	return p.Services == nil || slices.ContainsFunc(p.Services, func(pattern string) bool { return glob.Match(pattern, service) })
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
