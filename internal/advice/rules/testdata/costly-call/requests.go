package calls

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

type key struct{}

func serve(h http.Handler, w http.ResponseWriter, r *http.Request, user string) {
	// want C: put all that a call needs into one value
	ctx := context.WithValue(r.Context(), key{}, user) // hot: context.WithValue
	// want C: copies the request
	h.ServeHTTP(w, r.WithContext(ctx)) // hot: net/http.(*Request).WithContext
}

func routed(r *http.Request) (int64, error) {
	// want C: ask once for each request
	path := r.URL.EscapedPath() // hot: net/url.(*URL).EscapedPath net/url.validEncoded
	// want C: Atoi is faster
	return strconv.ParseInt(path[1:], 10, 64) // hot: strconv.ParseInt
}

func zoned(text string, at *time.Location) (time.Time, error) {
	// want C: reads the layout anew
	return time.ParseInLocation(time.DateTime, text, at) // hot: time.ParseInLocation
}
