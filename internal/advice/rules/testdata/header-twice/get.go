package p

import "net/http"

func value(h http.Header, name string) string {
	// want A: goes over it once more
	return h.Get(http.CanonicalHeaderKey(name)) // hot: net/http.CanonicalHeaderKey net/textproto.CanonicalMIMEHeaderKey
}
