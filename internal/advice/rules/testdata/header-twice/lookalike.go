package p

import "net/http"

// A map that is indexed takes the name as it is.
func values(h http.Header, name string) []string {
	return h[http.CanonicalHeaderKey(name)] // hot: net/http.CanonicalHeaderKey
}

func value(h http.Header, name string) string {
	return h.Get(name) // hot: net/http.Header.Get net/textproto.CanonicalMIMEHeaderKey
}
