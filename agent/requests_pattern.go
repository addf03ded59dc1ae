//go:build go1.23

package agent

import "net/http"

// patternOf returns the pattern of the mux that has called the handler, "" without one.
func patternOf(r *http.Request) string { return r.Pattern }
