package server

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// BadParam returns the error of a parameter that is wrong.
func BadParam(param, format string, args ...any) error {
	return &Error{Status: http.StatusBadRequest, Param: param, Err: fmt.Errorf(format, args...)}
}

// Params reads the parameters of a request. Only those in names are allowed, and only
// those in repeated may be given several times. Other parameters are errors: if a
// misspelled one were ignored, the answer would look like the right one.
func Params(r *http.Request, names []string, repeated ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, BadParam("", "the query can't be read: %w", err)
	}
	known := slices.Concat(names, repeated)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			return nil, BadParam(name, "unknown parameter %q", name)
		case !slices.Contains(known, name):
			return nil, BadParam(name, "unknown parameter %q (known: %s)", name, strings.Join(known, ", "))
		case len(values[name]) > 1 && !slices.Contains(repeated, name):
			return nil, BadParam(name, "%s is given %d times", name, len(values[name]))
		}
	}
	return values, nil
}

// OnlyParams returns an error for parameters of a request other than those known.
func OnlyParams(r *http.Request, known ...string) error {
	_, err := Params(r, known)
	return err
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
