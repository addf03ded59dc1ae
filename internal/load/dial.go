package load

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"
)

// resolveTimeout is how long finding the addresses of a name may take. A resolver
// that nobody answers tries for half a minute otherwise, and each request with it.
const resolveTimeout = 5 * time.Second

// resolve returns the addresses of a host, which may be one itself.
func resolve(ctx context.Context, host string) ([]string, error) {
	within, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	found, err := net.DefaultResolver.LookupHost(within, host)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		err = &net.DNSError{Err: fmt.Sprintf("the name servers gave no answer within %v", resolveTimeout), Name: host, IsTimeout: true}
	}
	return found, err
}

// Resolve returns an error if a host of HOST:PORT, or HOST alone, has no address.
func Resolve(ctx context.Context, hosts ...string) error {
	for _, host := range hosts {
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if _, err := resolve(ctx, host); err != nil {
			return err
		}
	}
	return nil
}

// Dial opens a connection to HOST:PORT, or to the path of a Unix socket. It does what
// net.Dialer does, except that it gives up resolving a name after resolveTimeout.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	if network == "unix" {
		return dialer.DialContext(ctx, network, address)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if net.ParseIP(host) != nil {
		return dialer.DialContext(ctx, network, address)
	}
	found, err := resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	var first error
	for _, ip := range found {
		c, err := dialer.DialContext(ctx, network, net.JoinHostPort(ip, port))
		if err == nil {
			return c, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, fmt.Errorf("%s: %w", host, first)
}

// Handshake starts TLS on a connection. If that fails, it closes the connection, and the
// error says which side refused the other.
func Handshake(ctx context.Context, c net.Conn, config *tls.Config) (*tls.Conn, error) {
	t := tls.Client(c, config)
	err := t.HandshakeContext(ctx)
	if err == nil {
		return t, nil
	}
	_ = c.Close()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case remote(err):
		err = fmt.Errorf("the server refused the TLS handshake: %w", err)
	case errors.As(err, &certificate):
		err = fmt.Errorf("hone refused the server's certificate (-ca FILE trusts its authority): %w", err)
	case errors.As(err, &record):
		err = fmt.Errorf("the server does not speak TLS: %w", err)
	}
	return nil, &handshakeError{err}
}

// A Gauge counts what exists now, and remembers the largest count.
type Gauge struct{ now, peak atomic.Int64 }

// Add notes n more, or less.
func (g *Gauge) Add(n int64) {
	now := g.now.Add(n)
	for peak := g.peak.Load(); now > peak && !g.peak.CompareAndSwap(peak, now); peak = g.peak.Load() {
	}
}

// Peak returns the most there were since Restart.
func (g *Gauge) Peak() int { return int(g.peak.Load()) }

// Restart forgets what was more than there are now.
func (g *Gauge) Restart() { g.peak.Store(g.now.Load()) }

// Counted returns a connection that the gauge counts until it is closed.
func Counted(c net.Conn, g *Gauge) net.Conn {
	g.Add(1)
	return &counted{Conn: c, gauge: g}
}

type counted struct {
	net.Conn
	gauge  *Gauge
	closed atomic.Bool
}

func (c *counted) Close() error {
	if !c.closed.Swap(true) {
		c.gauge.Add(-1)
	}
	return c.Conn.Close()
}
