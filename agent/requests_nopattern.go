//go:build !go1.23

package agent

import "net/http"

// patternOf returns "": requests have no pattern before Go 1.23.
func patternOf(*http.Request) string { return "" }
