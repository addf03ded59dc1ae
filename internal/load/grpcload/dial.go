package grpcload

import (
	"context"
	"crypto/tls"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/load"
)

// A dialer opens connections to the address of Options.
type dialer struct {
	opts        Options
	tls         *tls.Config // nil: without
	connections load.Gauge  // that are open
}

func newDialer(o Options) *dialer { return &dialer{opts: o, tls: o.tls()} }

// connectTimeout is how long connecting may take; less if a call may.
const connectTimeout = 20 * time.Second

// dial opens a connection.
func (d *dialer) dial(ctx context.Context) (*reader, error) {
	timeout := connectTimeout
	if d.opts.Timeout > 0 {
		timeout = min(timeout, d.opts.Timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	network, address := "tcp", d.opts.Address
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	n, err := load.Dial(ctx, network, strings.TrimPrefix(address, "//"))
	if err != nil {
		return nil, err
	}
	n = load.Counted(n, &d.connections)
	if d.tls != nil {
		t, err := load.Handshake(ctx, n, d.tls)
		if err != nil {
			return nil, err
		}
		if p := t.ConnectionState().NegotiatedProtocol; p != "h2" {
			_ = n.Close()
			return nil, failure("tls", "%s: the server does not speak HTTP/2 over TLS", d.opts.Address)
		}
		n = t
	}
	return open(ctx, n, d.opts.MaxMessage)
}
