package calls

import (
	"context"
	"net/http"
	"strconv"
)

type key struct{}

func serve(h http.Handler, w http.ResponseWriter, r *http.Request, user string) {
	// want C: a single value with all that a call needs
	ctx := context.WithValue(r.Context(), key{}, user) // hot: context.WithValue
	// want C: copies the request
	h.ServeHTTP(w, r.WithContext(ctx)) // hot: net/http.(*Request).WithContext
}

func routed(r *http.Request) (int64, error) {
	// want C: RawPath is what was received
	path := r.URL.EscapedPath() // hot: net/url.(*URL).EscapedPath net/url.validEncoded
	// want C: Atoi has a short way
	return strconv.ParseInt(path[1:], 10, 64) // hot: strconv.ParseInt
}
