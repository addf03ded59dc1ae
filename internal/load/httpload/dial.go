package httpload

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"

	"github.com/hone-go/hone/internal/load"
)

// dial opens a connection for a request, with TLS if its URL says so.
func (p *plan) dial(ctx context.Context, r *request) (raw, c net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.opts.Timeout)
	defer cancel()
	network, address := "tcp", r.address
	if p.opts.Unix != "" {
		network, address = "unix", p.opts.Unix
	}
	if raw, err = load.Dial(ctx, network, address); err != nil {
		return nil, nil, err
	}
	c = load.Counted(raw, &p.connections)
	if p.opts.HTTP2 {
		c = &heard{Conn: c}
	}
	if r.url.Scheme != "https" {
		return raw, c, nil
	}
	config := p.tls
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = r.url.Hostname()
	}
	secure, err := load.Handshake(ctx, c, config)
	if err != nil {
		return nil, nil, err
	}
	return raw, secure, nil
}

// A heard connection notices an answer in HTTP/1, which the transport does not report when it comes
// before the first request is sent. And it leaves finding out that it failed to its reader. When a server has
// answered and closed the connection, the transport may write before it reads that answer: it
// would give up the requests, and tell of a broken pipe instead of what the server said.
type heard struct {
	net.Conn
	begun bool        // something was read; for the reader alone
	http1 atomic.Bool // and it was HTTP/1
}

func (c *heard) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.begun {
		c.begun = true
		c.http1.Store(bytes.HasPrefix(p[:n], []byte("HTTP/1.")))
	}
	return n, err
}

func (c *heard) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return len(p), nil
	}
	return n, err
}
