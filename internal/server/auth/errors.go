package auth

import "errors"

// Errors of authentication.
var (
	// ErrNobody is the error of requests without a token or session.
	ErrNobody = errors.New("log in, or send a token: Authorization: Bearer TOKEN")
	// ErrUnknown is the error of requests with an invalid token.
	ErrUnknown = errors.New("unknown token: it is mistyped, expired or was removed")
	// ErrGone is the error of all tokens while the directory that they are kept in is
	// missing.
	ErrGone = errors.New("no token is accepted: the server's directory of tokens is missing; restore it")
	// ErrSession is the error of requests with an invalid session cookie.
	ErrSession = errors.New("the session has ended: log in again")
)

// errLocked is the error if another process holds the lock.
var errLocked = errors.New("another hone is changing it")
