package ingest

import (
	"fmt"
	"net/http"
	"time"
)

// An Error says why pushes were refused.
type Error struct {
	Reason     Reason
	RetryAfter time.Duration // how long to wait before trying again; 0: unknown, or trying again doesn't help
	Err        error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error.
func Errorf(r Reason, format string, args ...any) *Error {
	return &Error{Reason: r, Err: fmt.Errorf(format, args...)}
}

// A Reason is the kind of an Error.
type Reason uint8

const (
	Internal        Reason = iota // the server's fault
	Malformed                     // it can't be read
	TooLarge                      // it is larger than a limit
	Unauthenticated               // no valid credentials
	Denied                        // the sender may not write this service
	Limited                       // above the limit of a rate or of the series
	Expired                       // older than the retention
	Unavailable                   // the server is shutting down, or out of memory or disk space
	TooSlow                       // the request came in too slowly
)

// reasons are the names of reasons in counters, and their status in HTTP and gRPC.
var reasons = [...]struct {
	name string
	http int
	grpc uint32
}{
	Internal:        {"internal", http.StatusInternalServerError, 13},
	Malformed:       {"malformed", http.StatusBadRequest, 3},
	TooLarge:        {"too_large", http.StatusRequestEntityTooLarge, 8},
	Unauthenticated: {"unauthenticated", http.StatusUnauthorized, 16},
	Denied:          {"denied", http.StatusForbidden, 7},
	Limited:         {"limited", http.StatusTooManyRequests, 8},
	Expired:         {"expired", http.StatusUnprocessableEntity, 3},
	Unavailable:     {"unavailable", http.StatusServiceUnavailable, 14},
	TooSlow:         {"too_slow", http.StatusRequestTimeout, 4},
}

// String returns the name of the reason in counters.
func (r Reason) String() string { return reasons[r].name }

// HTTP returns the reason's status code in HTTP.
func (r Reason) HTTP() int { return reasons[r].http }

// GRPC returns the reason's status code in gRPC and Connect.
func (r Reason) GRPC() uint32 { return reasons[r].grpc }
