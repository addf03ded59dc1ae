package cloudprofiler

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrOpenProxy is the error of a proxy that other machines could use without a
// token.
var ErrOpenProxy = errors.New("the Cloud Profiler proxy would forward connections for anyone who can reach it: turn on authentication, or listen on localhost")

// IsLocal reports whether a proxy at a host is for its own machine alone.
func IsLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// A Proxy lets programs profile into hone that only know Google's server. It is
// an HTTP proxy that answers itself what is meant for Google's profiler, with a
// certificate of its own authority, and forwards all other connections. Beside
// that, it answers what an agent asks about machine and credentials.
//
// The credentials it gives out are worth nothing: what agents may do is decided
// by the token that they came to the proxy with, and what else is in their
// requests, which can be a token for Google, is removed.
type Proxy struct {
	cfg     ProxyConfig
	other   http.Handler // what isn't CONNECT
	agents  *http.Server // of the connections of agents
	tunnels chan net.Conn
	closed  chan struct{}

	mu    sync.Mutex
	ended bool
	open  map[net.Conn]bool
}

// NewProxy returns a proxy that hands requests of agents to a handler: a mux
// with a Service, behind whatever checks tokens. It makes the files in Dir.
func NewProxy(handler http.Handler, cfg ProxyConfig) (*Proxy, error) {
	host, _, err := net.SplitHostPort(cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("the address of the Cloud Profiler proxy: %w", err)
	}
	if cfg.Authenticate == nil && !IsLocal(host) {
		return nil, fmt.Errorf("%s: %w", cfg.Addr, ErrOpenProxy)
	}
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if cfg.Dir, err = filepath.Abs(cfg.Dir); err != nil { // programs run elsewhere
		return nil, err
	}
	name, _ := os.Hostname()
	cfg.Project = cmp.Or(cfg.Project, DefaultProject)
	cfg.Instance = cmp.Or(cfg.Instance, name)
	cfg.MaxTunnels = cmp.Or(cfg.MaxTunnels, DefaultTunnels)
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	authority, err := loadAuthority(cfg.Dir, cfg.Log)
	if err != nil {
		return nil, fmt.Errorf("the certificate authority of the Cloud Profiler proxy: %w", err)
	}
	if err := writeAccount(filepath.Join(cfg.Dir, accountFile), cfg); err != nil {
		return nil, fmt.Errorf("the service account of the Cloud Profiler proxy: %w", err)
	}
	p := &Proxy{cfg: cfg, tunnels: make(chan net.Conn), closed: make(chan struct{}), open: make(map[net.Conn]bool)}
	p.other = newMetadata(cfg)
	p.agents = &http.Server{
		Handler:           p.identify(handler),
		TLSConfig:         &tls.Config{GetCertificate: authority.certificate},
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       5 * time.Minute,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, tokenKey{}, c.(*tls.Conn).NetConn().(*agentConn).token)
		},
	}
	go func() { _ = p.agents.ServeTLS((*tunnelListener)(p), "", "") }()
	return p, nil
}

// Environment returns what the environment of a program needs, as NAME=VALUE.
func (p *Proxy) Environment() []string {
	user := ""
	if p.cfg.Authenticate != nil {
		user = "hone:TOKEN@"
	}
	return []string{
		"HTTPS_PROXY=http://" + user + p.cfg.Addr,
		"SSL_CERT_FILE=" + filepath.Join(p.cfg.Dir, authorityFile),
		"GCE_METADATA_HOST=" + p.cfg.Addr,
	}
}

// Instructions tells how programs are made to profile into hone.
func (p *Proxy) Instructions() string {
	return "Programs with the agent of Google Cloud Profiler profile into hone with\n\n\t" +
		strings.Join(p.Environment(), " \\\n\t") + " \\\n\tPROGRAM\n\n" +
		"On macOS and Windows the system must trust that file instead. It can vouch for\n" + agentHost + " only. See doc/cloud-profiler.md for more.\n"
}

// Shutdown ends the proxy. It waits, while ctx lasts, until requests of agents
// are answered; other connections are ended as they are. The Service is to be
// closed before, because its polls take long to answer.
func (p *Proxy) Shutdown(ctx context.Context) error {
	p.mu.Lock()
	if !p.ended {
		p.ended = true
		close(p.closed)
	}
	p.mu.Unlock()
	err := p.agents.Shutdown(ctx)
	if err != nil {
		_ = p.agents.Close()
	}
	p.mu.Lock()
	open := slices.Collect(maps.Keys(p.open))
	p.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
	return err
}

// ServeHTTP serves programs.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		if r.URL.IsAbs() {
			http.Error(w, "this proxy is for HTTPS only: set HTTPS_PROXY, and not HTTP_PROXY", http.StatusNotImplemented)
			return
		}
		p.other.ServeHTTP(w, r)
		return
	}
	token, err := p.authenticate(r)
	if err != nil {
		p.tell(r, token, err)
		w.Header().Set("Proxy-Authenticate", `Basic realm="hone"`)
		http.Error(w, "give the proxy a token as its password: "+err.Error(), http.StatusProxyAuthRequired)
		return
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		http.Error(w, fmt.Sprintf("CONNECT needs host:port: %v", err), http.StatusBadRequest)
		return
	}
	mine := strings.EqualFold(strings.TrimSuffix(host, "."), agentHost) && port == "443"
	var there net.Conn
	if !mine {
		there, err = dialAllowed(r.Context(), p.cfg.Allow, host, port)
		p.tell(r, token, err)
		var refused *refusedError
		switch {
		case errors.As(err, &refused):
			p.cfg.Log.Warn("connection not forwarded", "to", r.Host, "err", err)
			http.Error(w, fmt.Sprintf("the proxy does not forward to %s: %v", r.Host, refused), http.StatusForbidden)
			return
		case err != nil:
			http.Error(w, fmt.Sprintf("forwarding: %v", err), http.StatusBadGateway)
			return
		}
	}
	here, err := p.hijack(w)
	if err != nil {
		if there != nil {
			_ = there.Close()
		}
		p.cfg.Log.Warn("no tunnel", "to", r.Host, "err", err)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if mine {
		select {
		case p.tunnels <- &agentConn{here, token}:
		case <-p.closed:
			_ = here.Close()
		}
		return
	}
	defer here.Close()
	defer there.Close()
	copyBothWays(here, there)
}

// authenticate returns the token that a program has for the proxy.
func (p *Proxy) authenticate(r *http.Request) (token string, err error) {
	if p.cfg.Authenticate == nil {
		return "", nil
	}
	scheme, value, _ := strings.Cut(r.Header.Get("Proxy-Authorization"), " ")
	switch {
	case strings.EqualFold(scheme, "bearer"):
		token = strings.TrimSpace(value)
	case strings.EqualFold(scheme, "basic"):
		if b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(value)); err == nil {
			_, token, _ = strings.Cut(string(b), ":")
		}
	}
	if token == "" {
		return "", errNoToken
	}
	return token, p.cfg.Authenticate(r.Context(), token)
}

var errNoToken = errors.New("no token")

// tell tells of a connection to another host. Programs that try without a token
// first, as the protocol has it, have done nothing yet.
func (p *Proxy) tell(r *http.Request, token string, refused error) {
	if p.cfg.Forwarded != nil && !errors.Is(refused, errNoToken) {
		p.cfg.Forwarded(r, token, r.Host, refused)
	}
}

// hijack takes over a connection, notes it, and tells its other end.
func (p *Proxy) hijack(w http.ResponseWriter) (net.Conn, error) {
	p.mu.Lock()
	if p.ended || len(p.open) >= p.cfg.MaxTunnels {
		defer p.mu.Unlock()
		return nil, fmt.Errorf("the proxy is shutting down, or has reached its limit of connections (%d open)", len(p.open))
	}
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		p.mu.Unlock()
		return nil, err
	}
	c := &hijacked{Conn: conn, read: buf.Reader, proxy: p}
	p.open[c] = true
	p.mu.Unlock()

	_ = conn.SetDeadline(time.Time{}) // the server's
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = c.Close()
	}
	return c, nil
}

// hijacked is a connection of which the server may have read ahead.
type hijacked struct {
	net.Conn
	read  *bufio.Reader
	proxy *Proxy
}

func (c *hijacked) Read(b []byte) (int, error) { return c.read.Read(b) }

func (c *hijacked) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *hijacked) Close() error {
	c.proxy.mu.Lock()
	delete(c.proxy.open, c)
	c.proxy.mu.Unlock()
	return c.Conn.Close()
}

// copyBothWays copies until both ends have ended.
func copyBothWays(a, b net.Conn) {
	var wg sync.WaitGroup
	for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
		wg.Go(func() {
			from, to := way[0], way[1]
			_, err := io.Copy(to, from)
			half, ok := to.(interface{ CloseWrite() error })
			if err != nil || !ok || half.CloseWrite() != nil {
				_ = from.Close()
				_ = to.Close()
			}
		})
	}
	wg.Wait()
}

// An agentConn is a tunnel to this server, and the token that it was opened with.
type agentConn struct {
	net.Conn
	token string
}

// tunnelListener is a Proxy as the listener of its server for agents.
type tunnelListener Proxy

func (l *tunnelListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.tunnels:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *tunnelListener) Close() error   { return nil }
func (l *tunnelListener) Addr() net.Addr { return &net.TCPAddr{} }

type tokenKey struct{}

// identify makes the token for the proxy the one of a request, and takes away
// what the request says itself.
func (p *Proxy) identify(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Authorization")
		r.Header.Del("X-Goog-Api-Key")
		if token, _ := r.Context().Value(tokenKey{}).(string); token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		h.ServeHTTP(w, r)
	})
}
