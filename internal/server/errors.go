package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/profile"
)

// A requestError is an error with the status it is answered with.
type requestError struct {
	status int
	param  string // the parameter to blame, "" for none
	err    error
}

func (e *requestError) Error() string { return e.err.Error() }
func (e *requestError) Unwrap() error { return e.err }

func badParam(param, format string, args ...any) error {
	return &requestError{http.StatusBadRequest, param, fmt.Errorf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &requestError{http.StatusNotFound, "", fmt.Errorf(format, args...)}
}

// A panicError is what is left of a computation that panicked.
type panicError struct{ value any }

func (e *panicError) Error() string {
	return fmt.Sprintf("hone has a bug here: %v; the terminal it runs in shows more", e.value)
}

// statusClientGone is for logs alone: nobody is left to read it. The number is
// nginx's.
const statusClientGone = 499

// failure finds the status and the parameter to blame for an error. What a
// handler has not classified went wrong while a report was made of a profile.
func failure(err error) (status int, param string) {
	var re *requestError
	var pe *panicError
	var wrong *report.ParamError
	var le *profile.LimitError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &re):
		return re.status, re.param
	case errors.Is(err, errBusy):
		return http.StatusServiceUnavailable, ""
	case errors.As(err, &wrong):
		return http.StatusBadRequest, wrong.Param
	case errors.As(err, &pe):
		return http.StatusInternalServerError, ""
	case errors.As(err, &large), errors.As(err, &le):
		return http.StatusRequestEntityTooLarge, ""
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return statusClientGone, ""
	}
	return http.StatusUnprocessableEntity, ""
}

// writeError answers with an error.
func writeError(w http.ResponseWriter, err error) {
	status, param := failure(err)
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
	text, _ := json.Marshal(map[string]body{"error": b})
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Del("Content-Disposition")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}

// answering makes a handler of h: errors and panics are answered too.
func (s *Server) answering(h handlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				if v == http.ErrAbortHandler {
					panic(v)
				}
				writeError(w, panicked(v, s.cfg.Log))
			}
		}()
		if err := h(w, r); err != nil {
			writeError(w, err)
		}
	})
}
