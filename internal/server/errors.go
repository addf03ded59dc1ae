package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"runtime/debug"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/server/page"
	"github.com/hone-go/hone/profile"
)

// An Error is an error with the status it is answered with.
type Error struct {
	Status int
	Param  string // the parameter to blame, "" for none
	Err    error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// NotFound returns the error of what is not there.
func NotFound(format string, args ...any) error {
	return &Error{Status: http.StatusNotFound, Err: fmt.Errorf(format, args...)}
}

// A panicError is what is left of a computation that panicked.
type panicError struct{ value any }

func (e *panicError) Error() string {
	return fmt.Sprintf("internal error: %v; this is a bug in hone, and its log has the details", e.value)
}

// statusClientGone is for logs alone: nobody is left to read it. The number is
// nginx's.
const statusClientGone = 499

// Failure finds the status and the parameter to blame for an error. What a
// handler has not classified went wrong while a report was made of a profile.
func Failure(err error) (status int, param string) {
	var re *Error
	var pe *panicError
	var wrong *report.ParamError
	var of *api.ParamError
	var le *profile.LimitError
	var large *http.MaxBytesError
	var refused *ingest.Error
	switch {
	case errors.As(err, &re):
		return re.Status, re.Param
	case errors.Is(err, errBusy):
		return http.StatusServiceUnavailable, ""
	case errors.As(err, &wrong):
		return http.StatusBadRequest, wrong.Param
	case errors.As(err, &of):
		return http.StatusBadRequest, of.Param
	case errors.As(err, &pe):
		return http.StatusInternalServerError, ""
	case errors.As(err, &refused):
		return refused.Reason.HTTP(), ""
	case errors.As(err, &large), errors.As(err, &le):
		return http.StatusRequestEntityTooLarge, ""
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return statusClientGone, ""
	}
	return http.StatusUnprocessableEntity, ""
}

// writeError answers with an error: who looks at it in a browser's window gets a
// page, everybody else JSON.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	status, param := Failure(err)
	if status == statusClientGone {
		status = http.StatusServiceUnavailable // the server ends; a client that left won't see it
	}
	type body struct {
		Message string `json:"message"`
		Param   string `json:"param,omitempty"`
		Login   string `json:"login,omitempty"`
	}
	b := body{Message: err.Error(), Param: param}
	h := w.Header()
	switch status {
	case http.StatusUnauthorized:
		b.Login = auth.LoginPath
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	h.Del("Content-Disposition")
	if reads(r) && wantsPage(r) {
		home := "Go to the home page"
		if errors.Is(err, errOtherName) {
			home = "" // it would lead here again
		}
		page.WriteProblem(w, status, b.Message, home)
		return
	}
	text, _ := json.Marshal(map[string]body{"error": b})
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}

// answering makes a handler of h: errors and panics are answered too.
func answering(log func(string), h HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				if v == http.ErrAbortHandler {
					panic(v)
				}
				writeError(w, r, Panicked(v, log))
			}
		}()
		if err := h(w, r); err != nil {
			writeError(w, r, err)
		}
	})
}

// StatusOf returns the status of an error that says what is not there, or what
// can't be read.
func StatusOf(err error) int {
	if errors.Is(err, fs.ErrNotExist) {
		return http.StatusNotFound
	}
	return http.StatusUnprocessableEntity
}

// A HandlerFunc answers a request, or returns why it can't.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// errBusy is the error of computations that there is no room to wait for.
var errBusy = errors.New("the server is busy: try again in a moment")

// Panicked logs a panic with its stack, from within recover, and makes it an error.
func Panicked(value any, log func(string)) error {
	log(fmt.Sprintf("panic: %v\n%s", value, debug.Stack()))
	return &panicError{value}
}

// errOtherName is the error of requests by a name that the server does not have.
var errOtherName = errors.New("unknown host name")
