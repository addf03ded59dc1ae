package httpload

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hone-go/hone/internal/load"
)

// shared are the driver's connections of HTTP/2, one for each host. A Transport would
// keep them itself, but it sends a request again that the server refused, or did not
// process before it went away: then the server sees more requests than are told.
type shared struct {
	plan    *plan
	mu      sync.Mutex
	clients int
	hosts   map[string]*http2Host // by request.key
}

func newShared(p *plan) *shared { return &shared{plan: p, hosts: make(map[string]*http2Host)} }

// An http2Host holds the HTTP/2 connection to one scheme, host and port.
type http2Host struct {
	transport *http.Transport

	mu   sync.Mutex // held while a connection is opened, which is one for all
	conn *http.ClientConn

	heard atomic.Pointer[heard] // below the connection that was opened last, unless that is TLS
}

// host returns the one that a request goes to.
func (s *shared) host(r *request) *http2Host {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.hosts[r.key]; h != nil {
		return h
	}
	h := new(http2Host)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		_, c, err := s.plan.dial(ctx, r)
		plain, _ := c.(*heard)
		h.heard.Store(plain)
		return c, err
	}
	t := &http.Transport{DialContext: dial, DialTLSContext: dial, Protocols: new(http.Protocols), DisableCompression: true}
	t.Protocols.SetHTTP2(true)
	t.Protocols.SetUnencryptedHTTP2(true)
	h.transport = t
	s.hosts[r.key] = h
	return h
}

// begin counts a client. When the last one ends, so do the connections.
func (s *shared) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients++
}

func (s *shared) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients--; s.clients > 0 {
		return
	}
	for _, h := range s.hosts {
		h.drop(h.conn)
	}
}

// connection returns the connection to a host; fresh is one that was opened now.
func (h *http2Host) connection(ctx context.Context, r *request) (_ *http.ClientConn, fresh bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn != nil && h.conn.Err() == nil {
		return h.conn, false, nil
	}
	h.conn, err = h.transport.NewClientConn(ctx, r.url.Scheme, r.address)
	return h.conn, true, err
}

// drop has the next request open a connection, in place of one that takes no more.
// What is under way on it goes on, unless it is the last thing.
func (h *http2Host) drop(conn *http.ClientConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if conn == nil || h.conn != conn {
		return
	}
	h.conn = nil
	if conn.InFlight() == 0 {
		_ = conn.Close()
		return
	}
	conn.SetStateHook(func(c *http.ClientConn) {
		if c.InFlight() == 0 {
			_ = c.Close()
		}
	})
}

// An http2Client sends requests over the driver's connections of HTTP/2.
type http2Client struct {
	plan   *plan
	shared *shared
	values *values
	path   []byte
	closed bool
}

func (c *http2Client) Close() error {
	if !c.closed {
		c.closed = true
		c.shared.end()
	}
	return nil
}

// Do sends a request once: what the server saw is what is told. Redirections are
// requests of their own.
func (c *http2Client) Do(ctx context.Context, n int64) (load.Answer, error) {
	r := c.plan.request(n)
	c.values.at(n)
	c.path = r.path.Append(c.path[:0], c.values.Values)
	within, cancel := context.WithTimeout(ctx, c.plan.opts.Timeout)
	defer cancel()
	var all load.Answer
	var a answer
	at, path := r, string(c.path)
	req, err := c.request(within, r)
	if err == nil {
		a, err = c.once(within, r, req)
		all = load.Answer{Bytes: a.size, Status: a.status}
	}
	for err == nil && a.location != "" {
		var next *hop
		if next, err = c.plan.redirect(at, path, a.status, a.location, len(all.Before)); next == nil {
			break
		}
		if req, err = next.http2Request(req, at); err != nil {
			break
		}
		at, path = next.request, next.path
		a, err = c.once(within, at, req)
		all = load.Answer{Bytes: all.Bytes + a.size, Status: a.status, Before: append(all.Before, all.Status)}
	}
	if err == nil && !c.plan.opts.Expect.has(all.Status) {
		err = &load.Failure{Class: "status " + strconv.Itoa(all.Status), Text: strings.TrimSpace(strconv.Itoa(all.Status) + " " + http.StatusText(all.Status))}
	}
	if err != nil && at != r {
		err = redirected(at, path, err)
	}
	if err != nil {
		err = named(r, string(c.path), err)
	}
	return all, err
}

// once sends one request.
func (c *http2Client) once(ctx context.Context, r *request, req *http.Request) (answer, error) {
	h := c.shared.host(r)
	for {
		conn, fresh, err := h.connection(ctx, r)
		if err != nil {
			return answer{}, err
		}
		resp, err := conn.RoundTrip(req)
		if err != nil && !fresh && says(err, textUnusable) && ctx.Err() == nil {
			h.drop(conn) // it took no request
			continue
		}
		if err != nil {
			return answer{}, c.failed(ctx, h, err)
		}
		if resp.ProtoMajor != 2 {
			_ = resp.Body.Close()
			return answer{}, &load.Failure{Class: classNotHTTP2, Text: "the server answers in " + resp.Proto}
		}
		size, err := io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		a := answer{size: int(size), status: resp.StatusCode}
		if c.plan.follows(a.status) {
			a.location = resp.Header.Get("Location")
		}
		return a, c.failed(ctx, h, err)
	}
}

// failed is why there is no whole answer of a host to a request that was sent.
func (c *http2Client) failed(ctx context.Context, h *http2Host, err error) error {
	if plain := h.heard.Load(); err != nil && plain != nil && plain.http1.Load() {
		return &load.Failure{Class: classNotHTTP2, Text: "the server answers in HTTP/1.1"}
	}
	if ranOut(err) && !errors.Is(ctx.Err(), context.Canceled) {
		return load.NoAnswer(c.plan.opts.Timeout)
	}
	return classed(err)
}

// hopByHop are headers about a connection, which HTTP/2 does not have (RFC 9113, 8.2.2).
var hopByHop = []string{"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}

// request makes a request of the path that was filled in.
func (c *http2Client) request(ctx context.Context, r *request) (*http.Request, error) {
	u := *r.url
	path, query, _ := bytes.Cut(c.path, []byte("?"))
	u.RawPath, u.RawQuery = string(path), string(query)
	var err error
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return nil, &load.Failure{Class: "bad path", Text: err.Error()}
	}
	var body io.Reader
	if r.body != nil {
		// The transport may read on when the answer is there, so it gets one of its own.
		body = bytes.NewReader(r.body.Append(nil, c.values.Values))
	}
	req, err := http.NewRequestWithContext(ctx, r.method, "", body)
	if err != nil {
		return nil, err
	}
	req.URL, req.Host = &u, u.Host
	for _, h := range r.header {
		value := string(h.value.Append(nil, c.values.Values))
		switch name := strings.ToLower(h.name); {
		case name == "host":
			req.Host = value
		case !slices.Contains(hopByHop, name):
			req.Header.Add(h.name, value)
		}
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "hone")
	}
	return req, nil
}
