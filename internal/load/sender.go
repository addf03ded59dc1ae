package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// A Request is a request that is due.
type Request struct {
	N   int64         // its number, from 0; requests of the warm-up count, too
	Due time.Duration // since the start of the run
}

// An Outcome is the result of a request.
type Outcome struct {
	Sent     time.Duration // when sending began, since the start of the run
	Done     time.Duration // when its answer was complete, or it failed
	Waited   bool          // it waited for a connection: all were busy, and no more may be opened
	Status   int           // status code of the answer; 0 if the protocol has none
	Before   []int         // status codes of the redirections before the answer
	Bytes    int           // size of all answers
	Messages int           // how many messages the request stands for; 0 is one
	Failure  *Failure      // nil if it succeeded
}

// A Failure says why a request failed.
type Failure struct {
	Class string // a few words that many failures share: "refused", "status 503"
	Text  string // one of them in full
}

func (f *Failure) Error() string { return f.Text }

// Classes of failures without an answer of the service.
const (
	ClassTimeout = "timeout"              // it took longer than a request may
	ClassNone    = "no answer by the end" // the run ended, or the sender was closed
	ClassBacklog = "backlog full"         // too many requests were under way or waited: it was not sent
)

const classTLS = "tls"

// silent reports whether the service said nothing: hone gave up.
func (f *Failure) silent() bool {
	switch f.Class {
	case ClassTimeout, ClassNone, ClassBacklog, "grpc DeadlineExceeded":
		return true
	}
	return false
}

// NoAnswer returns the failure of a request that timed out. The error of package net says
// from which local port it was sent, so each has another text.
func NoAnswer(within time.Duration) *Failure {
	return &Failure{ClassTimeout, fmt.Sprintf("no answer within %v", within)}
}

// FailureOf returns the failure of an error: one that err wraps, or one of the
// class that its cause belongs to. It returns nil for nil.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	text := err.Error()
	if remote(err) && !inHandshake(err) {
		text = "the server refused: " + text // a certificate, for example: TLS 1.3 says so after the handshake
	}
	return &Failure{classOf(err), text}
}

// A handshakeError is why there is no TLS on a connection. Package tls has no type for most
// such errors.
type handshakeError struct{ error }

func (e *handshakeError) Unwrap() error { return e.error }

func inHandshake(err error) bool {
	var h *handshakeError
	return errors.As(err, &h)
}

// remote reports whether an error of TLS is what the other side said.
func remote(err error) bool { return saidByTLS(err, "remote error") }

// saidByTLS reports whether an error is an alert of TLS. Package tls names the side that sent
// it as the operation that failed.
func saidByTLS(err error, side string) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == side
}

func classOf(err error) string {
	var dns *net.DNSError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		return ClassNone
	case errors.As(err, &dns):
		return "name not found"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return ClassTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "reset"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "too many open files"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "no local port left"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "unreachable"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return "closed early"
	case inHandshake(err), remote(err), saidByTLS(err, "local error"):
		return classTLS
	}
	return "other"
}

// A Sender sends requests without waiting for their answers. Send and Close are for one
// goroutine. All senders pass package loadtest, which holds what is promised here.
type Sender interface {
	// Send begins to send a request, and returns without waiting for a connection, an answer
	// or the request's turn. It calls done once, from any goroutine, with what came of it.
	//
	// A request is sent once. One that succeeded had its answer, in full; whatever else came
	// of it is a Failure, also that the service said no. It is not sent again for that, unless
	// the driver's options ask for it.
	//
	// Sent is when sending began, and not before Send was called; Done is when the answer had
	// come, or the request had failed. Where so many are under way that the driver's options
	// allow no more, a request waits for its turn, and has Waited set; or it fails at once
	// with ClassBacklog, and is not sent. Who waited is not late.
	//
	// When ctx ends, what is under way and what waits fails with ClassNone; what is due
	// afterwards does too, and is not sent. Another ctx begins another run: then nothing
	// is under way.
	//
	// Clock is the time since the start of the run.
	Send(ctx context.Context, clock Clock, r Request, done func(Request, Outcome))
	// Close ends what is under way, as the end of ctx does, and closes connections. When it
	// returns, all calls of done have. Send fails with ClassNone from then on.
	Close() error
}

// A Clock tells the time since the start of a run. It never goes back.
type Clock struct{ start time.Time }

// NewClock returns a clock that begins now.
func NewClock() Clock { return Clock{time.Now()} }

// Now returns the time since the clock began.
func (c Clock) Now() time.Duration { return time.Since(c.start) }

// Start returns when the clock began.
func (c Clock) Start() time.Time { return c.start }

// A Driver opens connections to the service. Any goroutine may use it.
type Driver interface {
	// Connect opens a connection. If it fails, so does the request that needed it; the
	// next request tries again. The caller closes the Client.
	Connect(ctx context.Context) (Client, error)
}

// A Client sends requests over a connection, one after the other. Only one goroutine
// may use it at the same time.
type Client interface {
	// Do sends request n of the run, once, and waits for its answer, but not longer than
	// until ctx ends. For an error see FailureOf. After an error the Client is closed, unless
	// the error is a *Failure: then the connection is as good as before.
	Do(ctx context.Context, n int64) (Answer, error)
	Close() error
}

// A Starter is a Client that can also send a request without a goroutine that waits for
// the answer. At a fixed rate most requests find an idle connection: then waking a
// goroutine up for sending costs more than sending does.
type Starter interface {
	Client
	// Start sends request n of the run as Do does, and returns at once. Done is called with
	// what Do would return, once, from another goroutine, also when ctx ends; the client
	// takes the next request before that returns. Where sending would have to wait, for a
	// connection for example, Start sends nothing and returns false: Do can do it.
	Start(ctx context.Context, n int64, done func(Answer, error)) bool
}

// An Answer describes the answer to a request.
type Answer struct {
	Bytes  int   // size of the answer, and of those before it
	Status int   // see Outcome
	Before []int // see Outcome
}
