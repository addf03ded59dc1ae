package p

import "net/http"

func value(h http.Header, name string) string {
	// want A: this call does it twice
	return h.Get(http.CanonicalHeaderKey(name)) // hot: net/http.CanonicalHeaderKey net/textproto.CanonicalMIMEHeaderKey
}

var current = "x-a"

func advance() string {
	current = "x-b"
	return current
}

func set(h http.Header) {
	// want B: doesn't change the name
	h.Set(http.CanonicalHeaderKey(current), advance()) // hot: net/http.CanonicalHeaderKey net/textproto.CanonicalMIMEHeaderKey
}
