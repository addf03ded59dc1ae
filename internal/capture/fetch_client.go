package capture

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
)

// Client returns a client for other requests to the servers of sources, such as
// for symbols. It has the fetcher's TLS files and timeout, and knows the scheme
// https+insecure.
func (f *Fetcher) Client() (*http.Client, error) {
	config, err := f.tlsConfig()
	if err != nil {
		return nil, err
	}
	t := insecureTransport{
		checked:   &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config, DialContext: dialClient},
		unchecked: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config.Clone(), DialContext: dialClient},
	}
	t.unchecked.TLSClientConfig.InsecureSkipVerify = true
	timeout := f.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	return &http.Client{Transport: t, CheckRedirect: checkRedirect, Timeout: timeout + headerSlack}, nil
}

// ErrSpeaksFirst is what a client of [Fetcher.Client] says of a server that sends something
// before it has a request.
var ErrSpeaksFirst = errors.New("what listens there speaks before it is asked: no HTTP server does")

func dialClient(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &clientConn{Conn: conn}, nil
}

// A clientConn is the client's end of a connection, where the client has the first word.
type clientConn struct {
	net.Conn
	wrote atomic.Bool
}

func (c *clientConn) Write(b []byte) (int, error) {
	c.wrote.Store(true)
	return c.Conn.Write(b)
}

func (c *clientConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && !c.wrote.Load() {
		return 0, ErrSpeaksFirst
	}
	return n, err
}

// insecureTransport does not check the certificates of servers that are asked
// for by the scheme https+insecure.
type insecureTransport struct{ checked, unchecked *http.Transport }

func (t insecureTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != insecureScheme {
		return t.checked.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	req.URL.Scheme = "https"
	return t.unchecked.RoundTrip(req)
}
