package calls

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

type key struct{}

func serve(h http.Handler, w http.ResponseWriter, r *http.Request, user string) {
	// want C: put everything a call needs into one value
	ctx := context.WithValue(r.Context(), key{}, user) // hot: context.WithValue
	// want C: copies the request
	h.ServeHTTP(w, r.WithContext(ctx)) // hot: net/http.(*Request).WithContext
}

func routed(r *http.Request) (int64, error) {
	// want C: each time; call it once per request and pass the result on
	path := r.URL.EscapedPath() // hot: net/url.(*URL).EscapedPath net/url.validEncoded
	// want C: Atoi is faster
	return strconv.ParseInt(path[1:], 10, 64) // hot: strconv.ParseInt
}

func zoned(text string, at *time.Location) (time.Time, error) {
	// want C: needed time.ParseInLocation parses the layout for each text
	return time.ParseInLocation(time.DateTime, text, at) // hot: time.ParseInLocation
}
