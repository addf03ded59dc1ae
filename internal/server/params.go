package server

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// BadParam returns the error of a parameter that is wrong.
func BadParam(param, format string, args ...any) error {
	return &Error{Status: http.StatusBadRequest, Param: param, Err: fmt.Errorf(format, args...)}
}

// OnlyParams returns an error for a parameter of a request other than those known:
// left out without a word, the answer would pass for another one.
func OnlyParams(r *http.Request, known ...string) error {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return BadParam("", "the query can't be read: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if !slices.Contains(known, name) {
			return BadParam(name, "unknown parameter %q", name)
		}
	}
	return nil
}

// Flag reads a parameter that is 1 or 0.
func Flag(name, value string) (bool, error) {
	switch value {
	case "1", "true":
		return true, nil
	case "", "0", "false":
		return false, nil
	}
	return false, BadParam(name, "invalid %s %q: use 1 or 0", name, value)
}
