package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Listening says how a server of continuous profiling answers connections. Zeros
// are defaults.
type Listening struct {
	TLS *tls.Config // nil for HTTP without it; NextProtos are added

	Connections int           // at a time; more wait to be accepted: 4096
	Body        time.Duration // for a request to come in: 2 minutes
	Drain       time.Duration // for requests under way at the end: 20 s

	// Ending is called when the server stops to accept connections: whoever
	// waits for something to happen is to be sent home. It may be nil.
	Ending func()
}

const (
	usualConnections = 4096
	usualBodyTime    = 2 * time.Minute
	usualDrain       = 20 * time.Second
	// maxStreams bounds requests at a time on one connection of HTTP/2.
	maxStreams = 250
)

// ServeContinuous answers connections of l, HTTP/1.1 and HTTP/2 with TLS or
// without, until ctx is done. Then it accepts no more, and requests under way
// have until l's Drain; those that are not done by then are cut off, which is an
// error.
func (s *Server) ServeContinuous(ctx context.Context, l net.Listener, of Listening) error {
	if of.Connections == 0 {
		of.Connections = usualConnections
	}
	if of.Body == 0 {
		of.Body = usualBodyTime
	}
	if of.Drain == 0 {
		of.Drain = usualDrain
	}
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
	}
	limited := newLimitListener(l, of.Connections)
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
		err = errors.New("requests that took too long were cut off at the end")
	}
	if serr := <-done; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}

// Close writes what is not written yet. It is for when no requests come any more,
// and before the store is closed.
func (s *Server) Close() {
	if s.markers != nil {
		s.markers.close()
	}
}

// limitListener accepts as many connections at a time as it may.
type limitListener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
	hits   atomic.Int64 // how often a connection had to wait
}

func newLimitListener(l net.Listener, n int) *limitListener {
	return &limitListener{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

func (l *limitListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	default:
		l.hits.Add(1)
		select {
		case l.slots <- struct{}{}:
		case <-l.closed:
			return nil, net.ErrClosed
		}
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

func (l *limitListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	free func()
}

func (c *limitedConn) Close() error {
	defer c.free()
	return c.Conn.Close()
}
