package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Server serves profiles on a port of its own.
type Server struct {
	http   *http.Server
	url    string
	cancel context.CancelFunc // of all requests
	served chan error         // what Serve returned
}

// Listen serves the pages at /debug/pprof/ of addr, for example
// "localhost:6060", or "localhost:0" for a free port, until the server is
// closed. addr must be a loopback address, unless [Pages.AllowRemote] is set.
func Listen(addr string) (*Server, error) { return Pages{}.Listen(addr) }

// Listen serves the pages at p.Prefix of addr, as [Listen] does.
func (p Pages) Listen(addr string) (*Server, error) {
	full := p.withDefaults()
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	if !p.AllowRemote && !tcp.IP.IsLoopback() {
		return nil, fmt.Errorf("profiles: %q can be reached from other machines: use localhost, or set AllowRemote", addr)
	}
	ln, err := net.ListenTCP("tcp", tcp)
	if err != nil {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	mux := http.NewServeMux()
	p.Mount(mux)
	if full.Prefix != "/" {
		mux.Handle("GET /{$}", http.RedirectHandler(full.Prefix, http.StatusFound))
	}
	var handler http.Handler = mux
	if !p.AllowRemote {
		handler = localOnly(mux)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		// No WriteTimeout: a profile takes as long to serve as it records.
		http: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: 10 * time.Second,
			IdleTimeout:       2 * time.Minute,
			BaseContext:       func(net.Listener) context.Context { return ctx },
		},
		url:    "http://" + ln.Addr().String() + full.Prefix,
		cancel: cancel,
		served: make(chan error, 1),
	}
	go func() { s.served <- s.http.Serve(ln) }()
	return s, nil
}

// localOnly refuses requests that name another host: a web page may have the
// browser send them here under a name of its own that resolves to loopback
// (DNS rebinding), and read the answer.
func localOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.Trim(host, "[]")
		ip := net.ParseIP(host)
		if host != "localhost" && !(ip != nil && ip.IsLoopback()) {
			serveError(w, http.StatusForbidden, fmt.Sprintf("profiles are only served to this machine, as localhost, not as %q", host))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// URL returns the address of the index, for example
// http://127.0.0.1:6060/debug/pprof/.
func (s *Server) URL() string { return s.url }

// Shutdown ends recordings, answers their requests and stops serving. Requests
// for a CPU profile or trace get what was recorded so far; requests for other
// profiles get an error. Shutdown returns ctx.Err() if ctx ends first.
func (s *Server) Shutdown(ctx context.Context) error {
	s.cancel()
	return s.ended(s.http.Shutdown(ctx))
}

// Close stops serving at once: it closes all connections, and recordings end.
// Closing a closed server does nothing.
func (s *Server) Close() error {
	s.cancel()
	return s.ended(s.http.Close())
}

// ended adds to err why serving had ended before, if it had.
func (s *Server) ended(err error) error {
	served := <-s.served
	s.served <- http.ErrServerClosed // for the next call
	if errors.Is(served, http.ErrServerClosed) {
		return err
	}
	return errors.Join(err, served)
}
