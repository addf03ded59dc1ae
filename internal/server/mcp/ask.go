package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// An API answers a GET request for a path below /api/v1, as one client may ask it.
type API func(ctx context.Context, path string, query url.Values) ([]byte, error)

// MaxAPIAnswer bounds what a tool reads of an answer, in bytes. Tools ask for a few rows.
const MaxAPIAnswer = 8 << 20

// InProcess returns the API of a handler for whoever sent a request: with the same address, login and connection.
func InProcess(h http.Handler, from *http.Request) API {
	return func(ctx context.Context, path string, query url.Values) ([]byte, error) {
		r := from.Clone(ctx)
		r.Method, r.Body, r.ContentLength = http.MethodGet, http.NoBody, 0
		r.URL = &url.URL{Path: "/api/v1/" + path, RawQuery: query.Encode()}
		r.RequestURI = r.URL.RequestURI()
		r.Header.Del("Accept-Encoding")
		r.Header.Set("Accept", "application/json")
		var w recorder
		h.ServeHTTP(&w, r)
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		return w.body.Bytes(), Failure(path, w.status, w.body.Bytes())
	}
}

// errPending is the failure of an answer that isn't ready: 202.
var errPending = errors.New("still working")

// Failure returns what went wrong, by the answer to a request for a path. A body of more than MaxAPIAnswer is too long.
func Failure(path string, status int, body []byte) error {
	switch {
	case len(body) > MaxAPIAnswer:
		return fmt.Errorf("the answer of %s is larger than %d MB: ask for less, with a focus, a limit or a shorter time", path, MaxAPIAnswer>>20)
	case status == http.StatusAccepted:
		return errPending
	case status/100 == 2:
		return nil
	}
	var e struct {
		Error struct{ Message, Param string }
	}
	if json.Unmarshal(body, &e) != nil || e.Error.Message == "" {
		return fmt.Errorf("%s was answered with status %d", path, status)
	}
	return errors.New(e.Error.Message)
}

// A recorder keeps an answer in memory, as far as Failure needs it.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header {
	if w.header == nil {
		w.header = make(http.Header)
	}
	return w.header
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.body.Write(b[:min(len(b), MaxAPIAnswer+1-w.body.Len())])
	if w.body.Len() > MaxAPIAnswer {
		return 0, errors.New("the answer is too large")
	}
	return len(b), nil
}

// ask decodes an answer in JSON.
func ask[T any](ctx context.Context, api API, path string, query url.Values) (*T, error) {
	body, err := api(ctx, path, query)
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(body, v); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}
