package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
	"strings"
	"time"
)

// Timeouts of connections. Reports have none: they end when the client leaves.
const (
	headerTimeout   = 10 * time.Second
	readTimeout     = 5 * time.Minute  // of an upload
	writeTimeout    = 10 * time.Minute // from the request to the end of the answer
	idleTimeout     = 2 * time.Minute
	maxHeaderBytes  = 64 << 10 // patterns in URLs may be long
	shutdownTimeout = 2 * time.Second
)

// Serve answers connections of l until ctx is done, which is no error.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	hs := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       log.New(lineWriter(s.cfg.Log), "", 0),
		BaseContext:    func(net.Listener) context.Context { return ctx },
	}
	done := make(chan error, 1)
	go func() { done <- hs.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	// Requests under way are cancelled by ctx; a moment lets them say so.
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := hs.Shutdown(stop); err != nil {
		hs.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// lineWriter makes a writer of a function that takes lines.
type lineWriter func(string)

func (f lineWriter) Write(b []byte) (int, error) {
	f(strings.TrimSuffix(string(b), "\n"))
	return len(b), nil
}

// Listening says how a server of continuous profiling answers connections. Zeros
// are defaults.
type Listening struct {
	TLS *tls.Config // nil for HTTP without it; NextProtos are added

	Connections Connections
	Body        time.Duration // for a request to come in: 2 minutes
	Drain       time.Duration // for requests under way at the end: 20 s

	// Ending is called when the server stops to accept connections: whoever
	// waits for something to happen is to be sent home. It may be nil.
	Ending func()
}

// DefaultListening returns what holds where zeros stand.
func DefaultListening() Listening { return Listening{}.withDefaults() }

func (l Listening) withDefaults() Listening {
	l.Connections = l.Connections.withDefaults()
	l.Body, l.Drain = cmp.Or(l.Body, usualBodyTime), cmp.Or(l.Drain, usualDrain)
	return l
}

const (
	usualBodyTime = 2 * time.Minute
	usualDrain    = 20 * time.Second
	// maxStreams bounds requests at a time on one connection of HTTP/2.
	maxStreams = 250
)

// ServeContinuous answers connections of l, HTTP/1.1 and HTTP/2 with TLS or
// without, until ctx is done. Then it accepts no more, and requests under way
// have until l's Drain; those that are not done by then are cut off, which is an
// error.
func (s *Server) ServeContinuous(ctx context.Context, l net.Listener, of Listening) error {
	of = of.withDefaults()
	s.bodyTime.Store(int64(of.Body))
	// Requests outlast the signal to end.
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(of.TLS == nil)
	hs := &http.Server{
		Handler: s, Protocols: protocols,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: of.Body, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams,
			// Polls may be silent for long; a peer that is gone is not.
			SendPingTimeout: time.Minute, PingTimeout: 15 * time.Second, WriteByteTimeout: time.Minute,
		},
		ErrorLog:    log.New(lineWriter(s.cfg.Log), "", 0),
		BaseContext: func(net.Listener) context.Context { return base },
		ConnContext: withConn,
	}
	limited := newGate(l, of.Connections)
	s.connections.Store(limited)
	done := make(chan error, 1)
	go func() {
		if of.TLS != nil {
			hs.TLSConfig = of.TLS
			done <- hs.ServeTLS(limited, "", "")
			return
		}
		done <- hs.Serve(limited)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.ending.Store(true)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), of.Drain)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- hs.Shutdown(stop) }()
	if of.Ending != nil {
		of.Ending()
	}
	err := <-ended
	if err != nil {
		cut()
		hs.Close()
		err = errors.New("requests that took too long were cut off at shutdown")
	}
	if serr := <-done; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}
