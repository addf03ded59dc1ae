package cloudprofiler

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// agentHost is where agents connect to unless they are told otherwise.
const agentHost = "cloudprofiler.googleapis.com"

// ProxyConfig says how programs are served whose agent is not told of hone.
type ProxyConfig struct {
	Addr string // host:port under which programs reach the proxy
	Dir  string // where the proxy keeps certificate and keys

	// What programs are told of the machine they run on, if they ask.
	Project  string // default "hone"
	Zone     string // default none
	Instance string // default the name of the host

	// Allow are the hosts that connections are forwarded to: "example.com",
	// "example.com:443", ".example.com" for all below it, networks of addresses
	// such as "10.0.0.0/8", and "*" for all hosts with public addresses, which is
	// meant without any. A name that is listed may have any address.
	Allow []string
	// MaxTunnels is how many connections there may be at a time; default 1000.
	MaxTunnels int
	// Authenticate, unless it is nil, checks the token that programs have to give as
	// the password of the proxy, and that is then the bearer token of their
	// agents' requests. An address that is not of this machine needs it.
	Authenticate func(ctx context.Context, token string) error
	// Forwarded, unless it is nil, is told of each connection to another host that
	// was asked for: by whom, with which token, and why it was refused, nil if not.
	Forwarded func(r *http.Request, token, target string, refused error)

	Log *slog.Logger // default slog.Default()
}

// Defaults of ProxyConfig.
const (
	DefaultProject = "hone"
	DefaultTunnels = 1000
)

// machineName is what project, zone and instance look like: they become parts of
// paths and addresses.
var machineName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)

// Check returns what is wrong with what programs are told, and with the bounds.
func (c *ProxyConfig) Check() error {
	for _, field := range []struct{ name, value string }{{"project", c.Project}, {"zone", c.Zone}, {"instance", c.Instance}} {
		if field.value != "" && !machineName.MatchString(field.value) {
			return fmt.Errorf("invalid %s %q: use letters, digits and . _ : -", field.name, field.value)
		}
	}
	if c.MaxTunnels < 0 {
		return fmt.Errorf("invalid number of connections %d: it can't be negative", c.MaxTunnels)
	}
	return checkAllow(c.Allow)
}
