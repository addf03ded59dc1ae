package cloudprofiler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// A refusedError is why connections are not forwarded.
type refusedError struct{ reason string }

func (e *refusedError) Error() string { return e.reason }

// dialAllowed connects to a host that connections are forwarded to: see ProxyConfig.Allow. The
// address that is checked is the one that is connected to: a name that has another one the
// next time it is asked for gains nothing.
func dialAllowed(ctx context.Context, allow []string, host, port string) (net.Conn, error) {
	to := newTargets(allow)
	dialer := net.Dialer{Timeout: 15 * time.Second}
	if !to.named(host, port) {
		if !to.public && len(to.networks) == 0 {
			return nil, &refusedError{"the host is not listed in forward"}
		}
		dialer.Control = func(_, address string, _ syscall.RawConn) error { return to.check(address) }
	}
	return dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
}

// targets are what ProxyConfig.Allow names.
type targets struct {
	hosts    []string // in small letters, some with a port or a dot in front
	networks []netip.Prefix
	public   bool // all public addresses
}

func newTargets(allow []string) targets {
	to := targets{public: len(allow) == 0}
	for _, a := range allow {
		network, err := netip.ParsePrefix(a)
		switch {
		case a == "*":
			to.public = true
		case err == nil:
			to.networks = append(to.networks, network.Masked())
		default:
			to.hosts = append(to.hosts, strings.ToLower(a))
		}
	}
	return to
}

// named reports whether a host is listed by its name or address.
func (t *targets) named(host, port string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, a := range t.hosts {
		if a == host || a == net.JoinHostPort(host, port) || strings.HasPrefix(a, ".") && strings.HasSuffix(host, a) {
			return true
		}
	}
	return false
}

// check returns an error unless connections to an address, with its port, are
// forwarded.
func (t *targets) check(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap().WithZone("")
	for _, network := range t.networks {
		if network.Contains(ip) {
			return nil
		}
	}
	if !t.public {
		return &refusedError{fmt.Sprintf("%s is not listed in forward", ip)}
	}
	if !isPublic(ip) {
		return &refusedError{fmt.Sprintf("%s is not a public address: list it in forward to allow it", ip)}
	}
	return nil
}

// notPublic are networks that net/netip has no name for: of this host, of carriers,
// of protocols, for tests, reserved, and those of IPv6 that lead to addresses of
// IPv4.
var notPublic = func() (all []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
	} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}()

// isPublic reports whether an address, not one of IPv4 as IPv6, is of the public
// network.
func isPublic(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// checkAllow returns what can't be meant in ProxyConfig.Allow.
func checkAllow(allow []string) error {
	for _, a := range allow {
		if a == "" || strings.ContainsAny(a, " \t\n,") || strings.Contains(a, "*") && a != "*" {
			return fmt.Errorf("forward: invalid entry %q: use a host (example.com, example.com:443 or .example.com), a network (10.0.0.0/8) or *", a)
		}
		if _, err := netip.ParsePrefix(a); strings.Contains(a, "/") && err != nil {
			return errors.New("forward: " + err.Error())
		}
	}
	return nil
}
